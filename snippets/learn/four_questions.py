"""What is this machine? Four questions, in this order.

这是一台什么机器？按这个顺序问四个问题。
"""

import torch

print("can PyTorch use a GPU?", torch.cuda.is_available())
#> can PyTorch use a GPU? False
print("how many?", torch.cuda.device_count())
#> how many? 0

# zh: 没有 GPU 时，循环一次也不执行，后两个问题就不会问。
# en: Without a GPU the loop has no rounds: two questions stay unasked.
for index in range(torch.cuda.device_count()):
    gpu = torch.cuda.get_device_properties(index)
    print(f"cuda:{index}", gpu.name, f"{gpu.total_memory / 2**30:.1f} GiB")

# zh: 答案是 False 时，由这一行决定往哪里去。
# en: If the answer was False, this line decides where to go.
print("built for CUDA", torch.version.cuda)
#> built for CUDA None
