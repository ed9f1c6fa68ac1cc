"""How long a billion gradients need, at several speeds of the link.

十亿个梯度要传多久：几种不同的带宽。
"""

gradients = 1_000_000_000 * 4
gpus = 2
# zh: 环形 all-reduce 里，每块 GPU 发送这么多。
# en: What each GPU sends in a ring all-reduce.
sent = 2 * (gpus - 1) / gpus * gradients

for gigabytes in (1, 10, 100):
    seconds = sent / (gigabytes * 1e9)
    print(f"{gigabytes:3} GB/s: {seconds * 1000:4.0f} ms in each step")
    #>   1 GB/s: 4000 ms in each step
    #>  10 GB/s:  400 ms in each step
    #> 100 GB/s:   40 ms in each step
