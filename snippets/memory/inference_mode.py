"""Does not leak: under inference_mode no graph is made.

不泄漏：在 inference_mode 里不建计算图。
"""

import weakref

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.Linear(8, 1))
model.eval()
hidden, outputs = [], []
model[1].register_forward_hook(
    lambda module, args, output: hidden.append(weakref.ref(output))
)

with torch.inference_mode():
    for _ in range(3):
        outputs.append(model(torch.rand(8, 4)))

print(model.training, outputs[0].requires_grad)
#> False False
print(len(hidden), sum(ref() is not None for ref in hidden))
#> 3 0
