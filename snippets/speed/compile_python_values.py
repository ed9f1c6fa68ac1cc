"""Which Python values cost a compilation each: strings, integer attributes.

哪些 Python 值每换一个就要编译一次：字符串，以及存成属性的整数。
"""

import logging

import torch

logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
compiled_graphs = []


# zh: 这个后端不编译，只计数，照原样运行。
# en: This backend does not compile: it counts, and runs the code as it is.
def count(graph, inputs):
    compiled_graphs.append(graph)
    return graph.forward


class Scale(torch.nn.Module):
    by = None

    def forward(self, x, by=None):
        by = self.by if by is None else by
        return x * (len(by) if isinstance(by, str) else by)


def graphs_for(values, as_attribute=False):
    torch.compiler.reset()
    compiled_graphs.clear()
    module = Scale()
    run = torch.compile(module, backend=count)
    for value in values:
        if as_attribute:
            module.by = value
            run(torch.ones(3))
        else:
            run(torch.ones(3), value)
    return len(compiled_graphs)


# zh: 每一行都传 12 个不同的值。
# en: Each line passes 12 different values.
numbers = range(2, 14)
print("integers:", graphs_for(numbers))
#> integers: 2
print("floats:", graphs_for([n + 0.5 for n in numbers]))
#> floats: 2
print("tensors:", graphs_for([torch.tensor(n) for n in numbers]))
#> tensors: 1
print("strings:", graphs_for(["a" * n for n in numbers]))
#> strings: 8
print("integer attribute:", graphs_for(numbers, as_attribute=True))
#> integer attribute: 8
