"""Equal devices hash alike, so a device can be a dictionary key.

相等的设备哈希也相等，所以设备可以当字典的键。
"""

import torch

print(len({torch.device("cuda:1"), torch.device("cuda", 1)}))
#> 1
print(len({torch.device("cuda"), torch.device("cuda:0")}))
#> 2

elements = {}
for x in (torch.ones(2), torch.ones(3), torch.ones(4, device="meta")):
    elements[x.device] = elements.get(x.device, 0) + x.numel()

print(elements[torch.device("cpu")], elements[torch.device("meta")])
#> 5 4
# zh: 字符串不是同一个键。
# en: A string is another key.
print("cpu" in elements)
#> False
