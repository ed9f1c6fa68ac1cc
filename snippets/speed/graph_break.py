"""What the compiler cannot follow cuts the graph in two.

编译器跟不下去的地方，会把图断成两段。
"""

import torch

graphs = []


# zh: 这个后端不编译，只计数，照原样运行。
# en: This backend does not compile: it counts, and runs the code as it is.
def count(graph, inputs):
    graphs.append(graph)
    return graph.forward


def with_if(x):
    y = x + 1
    # zh: 走哪一边，要看张量里的值。
    # en: Which way it goes depends on a value in the tensor.
    if y.sum() > 0:
        return y * 2
    return y


def with_where(x):
    y = x + 1
    return torch.where(y.sum() > 0, y * 2, y)


for function in (with_if, with_where):
    graphs.clear()
    torch.compile(function, backend=count)(torch.ones(2))
    print(function.__name__, len(graphs))
    #> with_if 2
    #> with_where 1

# zh: 不许断开：fullgraph=True 会报错，告诉你在哪里。
# en: With fullgraph=True there must be no break: it raises and says where.
torch.compiler.reset()
try:
    torch.compile(with_if, backend=count, fullgraph=True)(torch.ones(2))
except RuntimeError as error:
    print("if y.sum() > 0" in str(error))
    #> True
