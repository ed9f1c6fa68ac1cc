"""Each operator reads its inputs from memory and writes its output there.

每个算子都要从显存读取输入，再把输出写回去。
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Traffic(TorchDispatchMode):
    """Adds up the bytes of the inputs and outputs of each operator."""

    # zh: 把每个算子的输入和输出的字节数加起来。

    bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        output = func(*args, **(kwargs or {}))
        tensors = [*args, output]
        self.bytes += sum(
            x.nbytes for x in tensors if isinstance(x, torch.Tensor)
        )
        return output


x = torch.rand(1000, 1000)
chains = {
    "cos": lambda: x.cos(),
    "cos, cos": lambda: x.cos().cos(),
    "cos, +, relu": lambda: (x.cos() + 1).relu(),
}
for name, run in chains.items():
    with Traffic() as traffic:
        run()
    print(f"{name}: {traffic.bytes // x.numel()} bytes a number")
    #> cos: 8 bytes a number
    #> cos, cos: 16 bytes a number
    #> cos, +, relu: 24 bytes a number
