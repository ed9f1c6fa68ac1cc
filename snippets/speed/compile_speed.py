"""Compiled into one kernel, a chain of small operations is faster.

编译成一个 kernel，一串小算子就快了。
"""
# needs: cuda, sm_70, triton
# simulated: no
# measures: yes

import torch
from torch.utils.benchmark import Timer


def chain(x):
    y = torch.sin(x) * 2 + x
    y = torch.relu(y) - 0.5 * y
    return torch.tanh(y) + y.square()


compiled = torch.compile(chain)
x = torch.rand(2**25, device="cuda")
before = torch.cuda.memory_allocated()
same = torch.allclose(chain(x), compiled(x), atol=1e-5)
times = {}

for name, function in (("eager", chain), ("compiled", compiled)):
    timer = Timer("f(x)", globals={"f": function, "x": x})
    times[name] = timer.blocked_autorange(min_run_time=0.5).median
    print(f"{name:8} {times[name] * 1e6:7.1f} us")

assert same and times["compiled"] < times["eager"] / 2
assert torch.cuda.memory_allocated() == before
