"""A vendor's package adds its device type by naming `privateuseone`.

厂商的插件给 `privateuseone` 起名，就多出一种设备类型。
"""

import torch

try:
    torch.device("my_npu:0")
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected one of cpu

# zh: 这一句由厂商的插件调用，你的程序不用写。
# en: The vendor's package calls this; your program does not.
torch.utils.rename_privateuse1_backend("my_npu")

print(torch.device("my_npu:0").type)
#> my_npu
