"""CUDA_VISIBLE_DEVICES hides GPUs and gives new numbers to the rest.

CUDA_VISIBLE_DEVICES 隐藏一部分 GPU，剩下的重新编号。
"""

cards = ["GPU 0", "GPU 1", "GPU 2", "GPU 3"]

for value in ("2", "2,0", "0,1,2,3"):
    visible = [cards[int(number)] for number in value.split(",")]
    names = {f"cuda:{i}": card for i, card in enumerate(visible)}
    print(f"{value:8}", names)
    #> 2        {'cuda:0': 'GPU 2'}
    #> 2,0      {'cuda:0': 'GPU 2', 'cuda:1': 'GPU 0'}
    #> 0,1,2,3  {'cuda:0': 'GPU 0', 'cuda:1': 'GPU 1', 'cuda:2': 'GPU 2', 'cuda:3': 'GPU 3'}
