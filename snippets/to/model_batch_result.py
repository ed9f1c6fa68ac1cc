"""A model, a batch and a result on their way.

模型、batch 和结果各自如何移动。
"""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(4, 2)
images, labels = torch.ones(8, 4), torch.zeros(8, dtype=torch.long)

# zh: 模型移动自己，张量要赋值。
# en: A model moves itself, a tensor is assigned.
model.to(device)
images = images.to(device)
labels = labels.to(device)

loss = nn.functional.cross_entropy(model(images), labels)
print(loss.device == images.device, loss.cpu().device)
#> True cpu
