"""A view goes to another device: the tie to its base is cut.

视图移到另一个设备：它和原张量的联系就断了。
"""
# needs: cuda

import torch

table = torch.zeros(1000, 100)
row = table[0]
row += 1
there = row.to("cuda")
there += 1

print(table[0, 0].item(), there[0].item())
#> 1.0 2.0
print(there.untyped_storage().nbytes(), "bytes went over the bus")
#> 400 bytes went over the bus
