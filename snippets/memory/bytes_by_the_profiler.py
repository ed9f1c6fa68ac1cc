"""Without a GPU the profiler counts what an expression allocates.

没有 GPU 时，性能分析器能数出一个表达式分配了多少。
"""

import torch
from torch.profiler import profile

x = torch.zeros(1000)


def allocated(step):
    with profile(profile_memory=True) as seen:
        step()
    used = [event.self_cpu_memory_usage for event in seen.key_averages()]
    return sum(number for number in used if number > 0)


print(x.nbytes)
#> 4000
print(allocated(lambda: x + x))
#> 4000
print(allocated(lambda: x * x + x))
#> 8000
print(allocated(lambda: x.mul_(x).add_(x)))
#> 0
