"""torch.accelerator answers with the same numbers as torch.cuda.

torch.accelerator 给出的数和 torch.cuda 一样。
"""
# needs: cuda
# simulated: no

import torch

x = torch.empty(1000, device="cuda")
y = torch.empty(10**7, device="cuda")
del y

names = ("memory_allocated", "max_memory_allocated")
names += ("memory_reserved", "max_memory_reserved")
for name in names:
    number = getattr(torch.accelerator, name)()
    print(name, number)
    assert number == getattr(torch.cuda, name)() > 0

total = torch.accelerator.get_memory_info()[1]
print("total is the same:", total == torch.cuda.mem_get_info()[1])
assert total == torch.cuda.mem_get_info()[1]
