"""What a training step has in GPU memory at each point, part by part.

一步训练中，显存里有什么：按部分、按时刻。
"""
# needs: cuda
# simulated: no

import torch
from torch import nn

blocks = [m for _ in range(8) for m in (nn.Linear(1024, 1024), nn.GELU())]
model = nn.Sequential(*blocks).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
x = torch.rand(4096, 1024, device="cuda")


def size(tensors):
    return sum(t.nbytes for t in tensors if t is not None)


def show(name):
    weights = size(model.parameters())
    gradients = size(p.grad for p in model.parameters())
    states = optimizer.state.values()
    state = size(t for one in states for t in one.values())
    # zh: 剩下的是输入和激活值；2.14 及更早，还有 cuBLAS 的工作区。
    # en: The rest is input and activations; up to torch 2.14, also the
    #   workspace of cuBLAS.
    rest = torch.cuda.memory_allocated() - weights - gradients - state
    parts = (weights, gradients, state, rest)
    print(f"{name}:", *(f"{part / 2**20:.0f}" for part in parts), "MiB")
    return rest


# zh: 第一步才建立优化器状态，所以看第二步。
# en: The first step makes the optimizer's state, so look at the second.
for step in (1, 2):
    loss = model(x).square().mean()
    if step == 2:
        after_forward = show("after forward")
    loss.backward()
    if step == 2:
        after_backward = show("after backward")
    optimizer.step()
    if step == 2:
        show("after step")
    optimizer.zero_grad()
    if step == 2:
        show("after zero_grad")

assert after_forward - after_backward >= 15 * x.nbytes
