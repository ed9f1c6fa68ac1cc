"""`dynamic=True` compiles for any size at once, except for size 1.

`dynamic=True` 一开始就按任意大小编译，只有大小 1 例外。
"""

import torch

compiled_graphs = []


# zh: 这个后端不编译，只计数，照原样运行。
# en: This backend does not compile: it counts, and runs the code as it is.
def count(graph, inputs):
    compiled_graphs.append(graph)
    return graph.forward


def double(x):
    return x * 2


def graphs_after_each(dynamic):
    torch.compiler.reset()
    compiled_graphs.clear()
    run = torch.compile(double, backend=count, dynamic=dynamic)
    counted = []
    for size in (4, 5, 6, 1, 7):
        run(torch.ones(size))
        counted.append(len(compiled_graphs))
    return counted


print("default:", graphs_after_each(None))
#> default: [1, 2, 2, 3, 3]
print("dynamic=True:", graphs_after_each(True))
#> dynamic=True: [1, 1, 1, 2, 2]
print("dynamic=False:", graphs_after_each(False))
#> dynamic=False: [1, 2, 3, 4, 5]
