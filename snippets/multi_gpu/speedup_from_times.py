"""From two measured steps to the serial share, and on to more GPUs.

量出两个步时，反推串行的那一份，再推到更多的卡。
"""


def serial_share(gpus, speedup):
    return (gpus / speedup - 1) / (gpus - 1)


# zh: 每秒多少个样本，不是每秒多少步：两块卡一步算两倍的样本。
# en: Samples a second, not steps: a step of two GPUs has twice the samples.
one_gpu = 32 / 0.200
two_gpus = 64 / 0.320
speedup = two_gpus / one_gpu
serial = serial_share(2, speedup)
print(f"{speedup:.2f} times as fast, {serial:.0%} serial")
#> 1.25 times as fast, 60% serial

for gpus in (4, 8):
    predicted = 1 / (serial + (1 - serial) / gpus)
    print(f"{gpus} GPUs: {predicted:.2f} times, if nothing else changes")
    #> 4 GPUs: 1.43 times, if nothing else changes
    #> 8 GPUs: 1.54 times, if nothing else changes
