"""A device compared with a string, and with a device.

设备和字符串比较，和设备比较。
"""

import torch

x = torch.ones(1)
print(x.device == "cpu")
#> False
print(str(x.device) == "cpu", x.device == torch.device("cpu"))
#> True True
