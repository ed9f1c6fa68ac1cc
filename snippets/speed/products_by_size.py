"""Square matrix products in three precisions: how many TFLOPS, by size.

方阵乘法用三种精度：多大的矩阵，达到多少 TFLOPS。
"""
# needs: cuda, sm_80
# simulated: no
# measures: yes

import numpy as np
import torch

begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)


def tflops(a, precision="ieee"):
    torch.backends.cuda.matmul.fp32_precision = precision
    rates = []
    for _ in range(23):
        begin.record()
        for _ in range(3):
            a @ a
        end.record()
        end.synchronize()
        rates.append(3 * 2 * len(a) ** 3 / begin.elapsed_time(end) / 1e9)
    # zh: 前三次是预热。
    # en: The first three warm up.
    return np.quantile(rates[3:], (0.25, 0.5, 0.75))


def shown(name, quartiles):
    low, median, high = quartiles
    return f"{name} {median:.3g} ({low:.3g} to {high:.3g})"


for size in (128, 256, 512, 1024, 2048, 4096, 8192):
    a = torch.randn(size, size, device="cuda")
    full, tf32, half = tflops(a), tflops(a, "tf32"), tflops(a.bfloat16())
    rates = shown("float32", full), shown("TF32", tf32), shown("bfloat16", half)
    print(f"{size}:", *rates, "TFLOPS")

assert half[1] > full[1]
