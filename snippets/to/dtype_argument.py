"""A dtype alone changes the type and leaves the tensor where it is.

只写数据类型：类型变了，张量还在原来的设备上。
"""

import torch

x = torch.tensor([1.5, 2.5])

print(x.to(torch.float64))
#> tensor([1.5000, 2.5000], dtype=torch.float64)
print(x.to(dtype=torch.int32))
#> tensor([1, 2], dtype=torch.int32)

# zh: Python 的类型也算：float 是 float64，不是 float32。
# en: Python's types count, too: float means float64, not float32.
print(x.to(float))
#> tensor([1.5000, 2.5000], dtype=torch.float64)

# zh: 字符串一律当作设备。
# en: A string always means a device.
try:
    x.to("float64")
except RuntimeError as error:
    print(error)
    #> Invalid device string: 'float64'
