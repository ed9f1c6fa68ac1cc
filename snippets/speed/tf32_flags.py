"""The fp32_precision settings: one for all, and one for each library.

fp32_precision 的设置：一个总的，每个库各有自己的。
"""

import torch

backends = torch.backends


def show(what):
    matmul = backends.cuda.matmul.fp32_precision
    conv = backends.cudnn.conv.fp32_precision
    print(f"{what}: matmul {matmul}, convolution {conv}")
    #> default: matmul none, convolution tf32
    #> matmul : matmul tf32, convolution tf32
    #> conv   : matmul tf32, convolution ieee
    #> all    : matmul tf32, convolution ieee
    #> none   : matmul ieee, convolution ieee


show("default")

# zh: 矩阵乘法也用 TF32。
# en: TF32 for matrix products, too.
backends.cuda.matmul.fp32_precision = "tf32"
show("matmul ")

# zh: 卷积不用 TF32。
# en: No TF32 for convolutions.
backends.cudnn.conv.fp32_precision = "ieee"
show("conv   ")

# zh: 库里设的优先；设为 "none" 就跟随总的设置。
# en: A library's own setting counts first; with "none" it follows the one
#   for all.
backends.fp32_precision = "ieee"
show("all    ")
backends.cuda.matmul.fp32_precision = "none"
show("none   ")
