"""What is in memory after each part of two training steps, in bytes.

训练两步，每一段之后存储器里有什么，各多少字节。
"""

import weakref

import torch
from torch import nn

hidden = nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
model = nn.Sequential(*hidden, nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters())
weights = list(model.parameters())
saved = []


# zh: 前向传播每留下一个张量就调用一次。弱引用不会让张量多活一会儿。
# en: Called for each tensor that forward keeps. A weak reference doesn't
#   keep it alive.
def note(t):
    saved.append(weakref.ref(t))
    return t


def report(part):
    grads = [w.grad for w in weights if w.grad is not None]
    states = optimizer.state.values()
    adam = [s[name] for s in states for name in ("exp_avg", "exp_avg_sq")]
    # zh: 按地址去重，参数已经数过，不再数。
    # en: One entry for each address, without the weights counted already.
    kept = {t.data_ptr(): t for t in (ref() for ref in saved) if t is not None}
    kept = [kept[at] for at in kept.keys() - {w.data_ptr() for w in weights}]
    groups = {"weights": weights, "grads": grads, "Adam": adam, "kept": kept}
    for name, tensors in groups.items():
        part += f"  {name} {sum(t.nbytes for t in tensors):5}"
    print(part)
    #> forward    weights 18188  grads     0  Adam     0  kept 54004
    #> backward   weights 18188  grads 18188  Adam     0  kept  1600
    #> step       weights 18188  grads 18188  Adam 36376  kept  1600
    #> zero_grad  weights 18188  grads     0  Adam 36376  kept  1600
    #> forward    weights 18188  grads     0  Adam 36376  kept 54004
    #> backward   weights 18188  grads 18188  Adam 36376  kept  1600
    #> step       weights 18188  grads 18188  Adam 36376  kept  1600
    #> zero_grad  weights 18188  grads     0  Adam 36376  kept  1600


for _ in range(2):
    points, rings = torch.rand(100, 2), torch.zeros(100, dtype=torch.long)
    with torch.autograd.graph.saved_tensors_hooks(note, lambda t: t):
        loss = nn.functional.cross_entropy(model(points), rings)
    report("forward  ")
    loss.backward()
    report("backward ")
    optimizer.step()
    report("step     ")
    optimizer.zero_grad()
    report("zero_grad")
