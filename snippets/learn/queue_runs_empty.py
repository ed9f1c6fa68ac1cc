"""A GPU on paper whose tasks take longer to queue than to do.

纸上的 GPU：放任务比做任务还慢。
"""

QUEUING, WORK = 10, 1


def clock(tasks, synchronize):
    cpu = gpu = 0
    for _ in range(tasks):
        cpu += QUEUING
        gpu = max(gpu, cpu) + WORK
    return max(cpu, gpu) if synchronize else cpu


print("without a wait:", clock(20, synchronize=False))
#> without a wait: 200
print("with a wait:   ", clock(20, synchronize=True))
#> with a wait:    201
