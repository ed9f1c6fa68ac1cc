"""A GPU on paper: what the clock shows without and with a wait.

纸上的 GPU：不等和等，时钟各显示多少。
"""

QUEUING, WORK = 1, 10


def clock(tasks, synchronize):
    cpu = gpu = 0
    for _ in range(tasks):
        cpu += QUEUING
        # zh: 任务放进队列、前一个也做完，GPU 才开始。
        # en: The GPU begins when a task is queued and the one before is done.
        gpu = max(gpu, cpu) + WORK
    if synchronize:
        cpu = max(cpu, gpu)
    return cpu


print("without a wait:", clock(20, synchronize=False))
#> without a wait: 20
print("with a wait:   ", clock(20, synchronize=True))
#> with a wait:    201
