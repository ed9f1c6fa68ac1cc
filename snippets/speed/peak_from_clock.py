"""The peak of a GPU, from its multiprocessors, their rate and the clock.

由 SM 数、每时钟周期的次数和频率，算出 GPU 的峰值。
"""

# zh: SM 数、每个 SM 每周期的乘加次数（16 位，稠密）、MHz。
# en: SMs, multiply-adds per SM and clock (16 bits, dense), MHz.
GPUS = {
    "T4": (40, 512, 1590),
    "RTX 4090": (128, 256, 2520),
    "A100 SXM4 80 GB": (108, 1024, 1410),
    "H100 SXM5 80 GB": (132, 2048, 1830),
}

for name, (sms, fma, mhz) in GPUS.items():
    # zh: 一次乘加算两次运算。
    # en: A multiply-add counts as two operations.
    dense = sms * fma * 2 * mhz * 1e6
    print(f"{name}: {dense / 1e12:.0f} TFLOPS")
    #> T4: 65 TFLOPS
    #> RTX 4090: 165 TFLOPS
    #> A100 SXM4 80 GB: 312 TFLOPS
    #> H100 SXM5 80 GB: 989 TFLOPS
