"""Does not leak: the hook keeps the last output, detached, and is removed.

不泄漏：hook 只留最后一次的输出，并且 detach；用完就移除。
"""

import weakref

import torch

model = torch.nn.Linear(4, 8)
outputs, features = [], {}


def keep(module, args, output):
    outputs.append(weakref.ref(output))
    features["linear"] = output.detach()


hook = model.register_forward_hook(keep)
for _ in range(3):
    model(torch.rand(2, 4)).sum().backward()
hook.remove()
model(torch.rand(2, 4))

print(features["linear"].requires_grad)
#> False
print(len(outputs), sum(ref() is not None for ref in outputs))
#> 3 0
