"""A GradScaler needs float32 only where parameters are trained.

GradScaler 只要求训练的那部分参数是 float32。
"""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(2, 4, device=device)


def step(model):
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(trained)
    optimizer.zero_grad()
    scaler = torch.amp.GradScaler(device.type)
    with torch.autocast(device.type, dtype=torch.float16):
        loss = model(x).sum()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    return "one step"


# zh: 第一层冻结，像 LoRA 微调时的原模型；第二层要训练。
# en: The first layer is frozen, as with LoRA, and the second one is trained.
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1)).half().to(device)
model[0].requires_grad_(False)
try:
    print(step(model))
except ValueError as error:
    print(error)
    #> Attempting to unscale FP16 gradients.

for p in model.parameters():
    if p.requires_grad:
        p.data = p.data.float()
print(step(model))
#> one step
print(model[0].weight.dtype, model[1].weight.dtype)
#> torch.float16 torch.float32
