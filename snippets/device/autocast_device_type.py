"""`torch.autocast` takes the type of a device, not the device.

`torch.autocast` 要的是设备类型，不是设备。
"""

import torch

device = torch.device("cpu")
model = torch.nn.Linear(4, 2)
x = torch.ones(1, 4)

try:
    torch.autocast(device)
except ValueError as error:
    print(str(error).split(",")[0])
    #> Expected `device_type` of type `str`

with torch.autocast(device.type, dtype=torch.bfloat16):
    print(model(x).dtype)
    #> torch.bfloat16
