"""A model, a batch and a result on their way.

模型、batch 和结果各自如何移动。
"""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(4, 2)
model.to(device)  # zh: 模型移动自己 # en: a model moves itself

images, labels = torch.ones(8, 4), torch.zeros(8, dtype=torch.long)
images = images.to(device)  # zh: 张量要赋值 # en: a tensor has to be assigned
labels = labels.to(device)

loss = nn.functional.cross_entropy(model(images), labels)
print(loss.device == images.device, loss.cpu().device)
#> True cpu
