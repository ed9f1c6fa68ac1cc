"""A small model four ways: eager, compiled, and each as a CUDA graph.

一个小模型的四种运行方式：eager、编译，以及各自录成 CUDA 图。
"""
# needs: cuda, sm_70, triton
# simulated: no
# measures: yes

import numpy as np
import torch
from torch import nn
from torch.utils.benchmark import Timer

parts = [(nn.Linear(256, 256), nn.LayerNorm(256), nn.GELU()) for _ in range(8)]
model = nn.Sequential(*[layer for part in parts for layer in part])
model.cuda().requires_grad_(False)
compiled = torch.compile(model)
x = torch.rand(32, 256, device="cuda")
want = model(x)
# zh: 第一次调用才编译，录制之前要先做完。
# en: The first call compiles, which has to be done before recording.
compiled(x)


def recorded(function):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        function(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = function(x)

    def replay():
        graph.replay()
        return y

    return replay


medians = {}
for name, way in {
    "eager": lambda: model(x),
    "compiled": lambda: compiled(x),
    "eager, graph": recorded(model),
    "compiled, graph": recorded(compiled),
}.items():
    torch.testing.assert_close(way(), want, rtol=1e-3, atol=1e-3)
    timer = Timer("way()", globals={"way": way})
    us = np.array(timer.blocked_autorange(min_run_time=0.5).times) * 1e6
    low, median, high = np.quantile(us, (0.25, 0.5, 0.75))
    print(f"{name}: {median:.3g} ({low:.3g} to {high:.3g}) us")
    medians[name] = median

assert medians["eager, graph"] < medians["eager"]
