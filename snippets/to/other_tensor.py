"""`x.to(other)`: the device and the dtype of another tensor.

`x.to(other)`：和另一个张量的设备、数据类型一致。
"""
# needs: cuda

import torch

x = torch.tensor([1, 2, 3])
other = torch.tensor([0.5], device="cuda", dtype=torch.float16)

print(x.to(other))
#> tensor([1., 2., 3.], device='cuda:0', dtype=torch.float16)

# zh: 参数名是 tensor。文档里写的是 other，可是不能用。
# en: The keyword is `tensor`. The documentation says `other`; it is refused.
print(x.to(tensor=other).device)
#> cuda:0
try:
    x.to(other=other)
except TypeError as error:
    print(str(error).split(" - ")[0])
    #> to() received an invalid combination of arguments
