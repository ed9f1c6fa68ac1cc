"""Mixed precision with float16: autocast and a GradScaler.

用 float16 做混合精度：autocast 加 GradScaler。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
x = torch.linspace(-1, 1, 64, device=device).unsqueeze(1)
target = 3 * x + 1
model = torch.nn.Linear(1, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
scaler = torch.amp.GradScaler(device.type)

for _ in range(100):
    optimizer.zero_grad()
    with torch.autocast(device.type, dtype=torch.float16):
        loss = torch.nn.functional.mse_loss(model(x), target)
    # zh: 放大损失，反向传播；step 先除回来，再更新。
    # en: Scale the loss, go backward; step divides it out, then updates.
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()

print(abs(model.weight.item() - 3) < 0.02, abs(model.bias.item() - 1) < 0.02)
#> True True
print("scale:", scaler.get_scale())
#> scale: 16384.0
