"""Read what a container may use: its share of the cores, and its memory.

读出容器能用多少：几个核的时间，多少内存。
"""

import math


def cores(cpu_max):
    """Of the text in /sys/fs/cgroup/cpu.max: "QUOTA PERIOD"."""
    # zh: 参数是 /sys/fs/cgroup/cpu.max 的内容，写的是配额和周期。
    quota, period = cpu_max.split()
    return math.inf if quota == "max" else int(quota) / int(period)


def gigabytes(memory_max):
    """Of the text in /sys/fs/cgroup/memory.max."""
    # zh: 参数是 /sys/fs/cgroup/memory.max 的内容。
    text = memory_max.strip()
    return math.inf if text == "max" else int(text) / 2**30


# zh: docker run --cpus=2 --memory=16g 会写成这样。
# en: This is what docker run --cpus=2 --memory=16g writes there.
print(cores("200000 100000"), gigabytes("17179869184\n"))
#> 2.0 16.0
print(cores("max 100000"), gigabytes("max\n"))
#> inf inf
