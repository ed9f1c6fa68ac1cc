"""The estimate, beside the peak that a GPU measures in a training step.

估算的大小，和 GPU 上一步训练测到的显存峰值。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch
from torch import nn

blocks = [m for _ in range(8) for m in (nn.Linear(2048, 2048), nn.GELU())]
model = nn.Sequential(*blocks).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
x = torch.rand(8192, 2048, device="cuda")


def step():
    model(x).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


# zh: 第一步才建立优化器状态：每步之前清零，留下第二步的峰值。
# en: The first step makes the optimizer's state. Reset before each step:
#   what remains is the peak of the second.
for _ in range(2):
    torch.cuda.reset_peak_memory_stats()
    step()
peak = torch.cuda.max_memory_allocated()

weights = sum(p.nbytes for p in model.parameters())
training = 4 * weights
# zh: 每个 Linear 和 GELU 留下自己的输入，平方再留一份输出。
# en: Every Linear and GELU keeps its input; the square keeps the output.
activations = (len(blocks) + 1) * x.nbytes
ratio = peak / (training + activations)
assert 0.75 < ratio < 1.25, ratio

print(f"{training / 2**20:.0f} MiB of weights, gradients, state")
print(f"{activations / 2**20:.0f} MiB of activations")
print(f"{peak / 2**20:.0f} MiB at the peak, {ratio:.2f} of the estimate")
