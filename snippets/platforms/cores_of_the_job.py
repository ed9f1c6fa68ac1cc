"""os.cpu_count() counts the machine; a job may use fewer cores.

os.cpu_count() 数的是整台机器，作业能用的核可能更少。
"""
# needs: linux

import os

allowed = os.sched_getaffinity(0)

# zh: 调度器就是这样限制作业的：只准用其中一个核。
# en: This is how a scheduler restricts a job: to one of the cores.
os.sched_setaffinity(0, {min(allowed)})
print("the job may use", len(os.sched_getaffinity(0)))
#> the job may use 1
print("the machine has more:", os.cpu_count() >= len(allowed))
#> the machine has more: True

os.sched_setaffinity(0, allowed)
