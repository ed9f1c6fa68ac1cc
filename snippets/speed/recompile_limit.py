"""After eight versions of a function, `torch.compile` stops compiling it.

一个函数编译到第八个版本之后，`torch.compile` 就不再编译它了。
"""

import logging

import torch

logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
graphs = []


# zh: 这个后端不编译，只计数，照原样运行。
# en: This backend does not compile: it counts, and runs the code as it is.
def count(graph, inputs):
    graphs.append(graph)
    return graph.forward


@torch.compile(backend=count)
def scale(x, mode):
    return x if mode == "plain" else x * len(mode)


# zh: mode 是 Python 的值，每一种都要编译一个版本。
# en: `mode` is a Python value, so each one needs a version of its own.
for number in (1, 8, 9, 12):
    for length in range(number):
        y = scale(torch.ones(1), "double" + "!" * length)
    print(f"{number} modes: {len(graphs)} graphs, last result {y.item()}")
    #> 1 modes: 1 graphs, last result 6.0
    #> 8 modes: 8 graphs, last result 13.0
    #> 9 modes: 8 graphs, last result 14.0
    #> 12 modes: 8 graphs, last result 17.0

print("limit:", torch._dynamo.config.recompile_limit)
#> limit: 8
