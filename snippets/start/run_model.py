"""Model and data on one device, and the result is there, too.

模型和数据在同一个设备上，结果也在那里。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(4, 2).to(device)
batch = torch.rand(8, 4, device=device)

# zh: 推理不需要梯度：不记录计算图，结果也不带梯度。
# en: Inference needs no gradients: no graph is kept, the result carries none.
with torch.no_grad():
    scores = model(batch)

print(tuple(scores.shape))
#> (8, 2)
print(scores.device == batch.device)
#> True
print(scores.requires_grad)
#> False
