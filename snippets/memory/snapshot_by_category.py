"""A snapshot by category: whose block lies in which segment.

按类别看快照：哪一段里有谁的块。
"""
# needs: cuda
# simulated: no

import torch
from torch import nn

model = nn.Sequential(*(nn.Linear(1024, 1024) for _ in range(4))).cuda()
optimizer = torch.optim.Adam(model.parameters())
x = torch.rand(1024, 1024, device="cuda")
model(x).sum().backward()
optimizer.step()
# zh: 第二次前向传播的激活值还留着，等着反向传播。
# en: The activations of a second forward pass wait for its backward pass.
output = model(x)

owner = {}
for p in model.parameters():
    owner[p.data_ptr()] = "weights"
    owner[p.grad.data_ptr()] = "gradients"
    for state in optimizer.state[p].values():
        owner[state.data_ptr()] = "state"

KINDS = ("weights", "gradients", "state", "rest", "free")
rows = []
for segment in torch.cuda.memory_snapshot():
    if segment["segment_type"] == "large":
        sizes = dict.fromkeys(KINDS, 0)
        for block in segment["blocks"]:
            used = block["state"] == "active_allocated"
            kind = owner.get(block["address"], "rest") if used else "free"
            sizes[kind] += block["size"] // 2**20
        rows.append(sizes)

# zh: 段的地址每次不同，所以按内容排序。
# en: Addresses differ from run to run, so segments are ordered by content.
rows.sort(key=lambda sizes: [*sizes.values()], reverse=True)
for number, sizes in enumerate(rows, 1):
    print(f"segment {number}:", *sizes.values(), "MiB")
