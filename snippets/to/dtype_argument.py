"""A dtype alone changes the type and leaves the tensor where it is.

只写数据类型：类型变了，张量还在原来的设备上。
"""

import torch

x = torch.tensor([1.5, 2.5])

print(x.to(torch.float64))
#> tensor([1.5000, 2.5000], dtype=torch.float64)
print(x.to(dtype=torch.int32))
#> tensor([1, 2], dtype=torch.int32)

# zh: Python 自己的类型也可以传。
# en: Python's own types are accepted, too.
print(x.to(float))
#> tensor([1.5000, 2.5000], dtype=torch.float64)

# zh: 把类型的名字写成字符串。
# en: The name of a dtype, written as a string.
try:
    x.to("float64")
except RuntimeError as error:
    print(error)
    #> Invalid device string: 'float64'
