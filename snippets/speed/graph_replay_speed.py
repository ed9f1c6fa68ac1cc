"""A hundred small kernels: launched one by one, or replayed as a graph.

一百个小 kernel：一个个启动，还是作为一张图重放。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch
from torch.utils.benchmark import Timer

x = torch.ones(1000, device="cuda")


def work():
    for _ in range(100):
        x.mul_(1.0)


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    work()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    work()

times = {}
for name, function in (("one by one", work), ("graph", graph.replay)):
    timer = Timer("f()", globals={"f": function})
    times[name] = timer.blocked_autorange(min_run_time=0.5).median
    print(f"{name:10} {times[name] * 1e6:7.1f} us")

assert times["graph"] < times["one by one"]
