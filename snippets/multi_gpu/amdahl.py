"""Amdahl's law: with the same global batch, the serial part limits all GPUs.

阿姆达尔定律：全局 batch 不变时，不能分摊的那一部分决定了上限。
"""


def speedup(gpus, serial):
    """`serial`: the share of a step that more GPUs do not shorten."""
    # zh: `serial` 是一步里加多少 GPU 都不会变短的那一份。
    return 1 / (serial + (1 - serial) / gpus)


for serial in (0.0, 0.05, 0.2):
    row = [f"{speedup(gpus, serial):.1f}" for gpus in (2, 4, 8, 64)]
    print(f"{serial:4.0%} serial:", *row)
    #>   0% serial: 2.0 4.0 8.0 64.0
    #>   5% serial: 1.9 3.5 5.9 15.4
    #>  20% serial: 1.7 2.5 3.3 4.7
