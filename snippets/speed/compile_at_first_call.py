"""`torch.compile` compiles at the first call, and again for a new shape.

`torch.compile` 在第一次调用时才编译，形状变了再编译一次。
"""

import torch

compiled_graphs = []


# zh: 这个后端不编译，只计数，照原样运行。
# en: This backend does not compile: it counts, and runs the code as it is.
def count(graph, inputs):
    compiled_graphs.append(graph)
    return graph.forward


@torch.compile(backend=count)
def double(x):
    return x * 2


print("before:", len(compiled_graphs))
#> before: 0

# zh: 第二种大小之后，大小就成了变量，不再重新编译。
# en: From the second size on, size is a variable: no more compiling.
for size in (4, 4, 5, 6, 7):
    y = double(torch.ones(size))
    print(f"size {size}:", len(compiled_graphs), y.sum().item())
    #> size 4: 1 8.0
    #> size 4: 1 8.0
    #> size 5: 2 10.0
    #> size 6: 2 12.0
    #> size 7: 2 14.0

print("other dtype:", double(torch.ones(4).double()).dtype)
#> other dtype: torch.float64
print("graphs:", len(compiled_graphs))
#> graphs: 3
