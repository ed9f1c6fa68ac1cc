"""How often a function is compiled when the last batch is smaller.

最后一个 batch 小一些，函数要编译几次。
"""

import torch
from torch.utils.data import DataLoader

compiled = []


# zh: 这个后端只计数，不编译。
# en: This backend counts and does not compile.
def count(graph, inputs):
    compiled.append(graph)
    return graph.forward


for drop_last in (False, True):
    torch.compiler.reset()
    compiled.clear()
    double = torch.compile(lambda x: x * 2, backend=count)
    loader = DataLoader(torch.ones(250), 100, drop_last=drop_last)
    for batch in loader:
        double(batch)
    print(f"drop_last={drop_last}: compiled {len(compiled)} times")
    #> drop_last=False: compiled 2 times
    #> drop_last=True: compiled 1 times
