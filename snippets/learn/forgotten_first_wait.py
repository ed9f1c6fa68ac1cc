"""A GPU on paper: the clock starts while older work is still in the queue.

纸上的 GPU：按下秒表时，队列里还有以前的任务。
"""


def measured(old_work, new_work, wait_before):
    cpu, gpu = 0, old_work
    if wait_before:
        cpu = gpu
    start = cpu
    gpu = max(gpu, cpu) + new_work
    cpu = max(cpu, gpu)
    return cpu - start


print("wait before:", measured(300, 50, wait_before=True))
#> wait before: 50
print("no wait:    ", measured(300, 50, wait_before=False))
#> no wait:     350
