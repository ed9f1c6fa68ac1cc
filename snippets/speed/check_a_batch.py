"""Check a batch on the CPU, before it goes to the GPU.

batch 移到 GPU 之前，先在 CPU 上检查。
"""

import torch


def check(inputs, labels, classes):
    problems = []
    if not inputs.isfinite().all():
        problems.append("inputs are not finite")
    if labels.dtype != torch.long:
        problems.append(f"labels are {labels.dtype}")
    used = labels[labels != -100]
    if len(used) and not 0 <= used.min() <= used.max() < classes:
        problems.append(f"labels from {used.min()} to {used.max()}")
    return problems


x = torch.ones(3, 4)

# zh: -100 是交叉熵默认忽略的标签。
# en: -100 is the label that cross entropy ignores by default.
print(check(x, torch.tensor([0, 9, -100]), classes=10))
#> []
print(check(x, torch.tensor([1, 10, 5]), classes=10))
#> ['labels from 1 to 10']
print(check(x / 0 * 0, torch.tensor([-1, 0, 0]), classes=10))
#> ['inputs are not finite', 'labels from -1 to 0']
print(check(x, torch.tensor([0.0, 1.0, 2.0]), classes=10))
#> ['labels are torch.float32']
