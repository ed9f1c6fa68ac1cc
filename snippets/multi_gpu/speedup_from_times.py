"""From the times of a step on one GPU and on two to more GPUs, under DDP.

量出一块卡和两块卡的每步用时，推算更多的卡：用 DDP，每块卡的 batch 不变。
"""

# zh: 每块卡一步都是 32 个样本，所以两块卡一步是 64 个。单位是秒。
# en: Each GPU has 32 samples in a step, so that two have 64. In seconds.
one, two = 0.200, 0.320


def step(gpus):
    """What two GPUs add is communication; a ring of N sends 2 (N - 1) / N."""
    # zh: 两块 GPU 多用的时间就是通信；N 块的环要传 2(N - 1)/N。
    return one + (two - one) * 2 * (gpus - 1) / gpus


for gpus in (1, 2, 4, 8, 64):
    times = gpus * one / step(gpus)
    print(f"{gpus} GPUs: {step(gpus):.3f} s a step, {times:.2f} x throughput")
    #> 1 GPUs: 0.200 s a step, 1.00 x throughput
    #> 2 GPUs: 0.320 s a step, 1.25 x throughput
    #> 4 GPUs: 0.380 s a step, 2.11 x throughput
    #> 8 GPUs: 0.410 s a step, 3.90 x throughput
    #> 64 GPUs: 0.436 s a step, 29.34 x throughput
