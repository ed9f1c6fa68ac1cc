"""Operations per byte copied: they grow with a matrix, but not with a sum.

每拷一个字节能算多少次：矩阵乘法越大越多，逐元素加法不变。
"""

import torch
from torch.utils.flop_counter import FlopCounterMode

for size in (8, 128, 2048):
    x = torch.rand(size, size)
    with FlopCounterMode(display=False) as product:
        y = x @ x
    # zh: 输入拷到 GPU，结果拷回来。
    # en: The input goes to the GPU, the result comes back.
    copied = x.nbytes + y.nbytes
    per_byte = product.get_total_flops() / copied
    additions = (x + x).numel() / copied
    print(f"{size:4}: x @ x {per_byte:g}, x + x {additions:g}")
    #>    8: x @ x 2, x + x 0.125
    #>  128: x @ x 32, x + x 0.125
    #> 2048: x @ x 512, x + x 0.125
