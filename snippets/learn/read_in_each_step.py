"""A GPU on paper: reading a number in each step, or once at the end.

纸上的 GPU：每一步读一个数，或者最后读一次。
"""

QUEUING, WORK = 9, 10


def run(steps, read_each):
    cpu = gpu = 0
    for _ in range(steps):
        cpu += QUEUING
        gpu = max(gpu, cpu) + WORK
        if read_each:
            cpu = gpu
    total = max(cpu, gpu)
    return f"{total} units, GPU busy for {steps * WORK / total:.0%}"


print("read once:     ", run(20, read_each=False))
#> read once:      209 units, GPU busy for 96%
print("read each step:", run(20, read_each=True))
#> read each step: 380 units, GPU busy for 53%
