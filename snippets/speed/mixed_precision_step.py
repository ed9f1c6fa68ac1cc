"""Mixed precision with bfloat16: one line around the forward pass.

用 bfloat16 做混合精度：只在前向传播外面加一行。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
x = torch.linspace(-1, 1, 64, device=device).unsqueeze(1)
target = 3 * x + 1
model = torch.nn.Linear(1, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
dtypes = set()

for _ in range(100):
    optimizer.zero_grad()
    # zh: 前向传播和损失在里面，反向传播和更新在外面。
    # en: Forward pass and loss inside; backward pass and update outside.
    with torch.autocast(device.type, dtype=torch.bfloat16):
        y = model(x)
        loss = torch.nn.functional.mse_loss(y, target)
    loss.backward()
    optimizer.step()
    dtypes.add(y.dtype)

print(dtypes)
#> {torch.bfloat16}
print(abs(model.weight.item() - 3) < 0.02, abs(model.bias.item() - 1) < 0.02)
#> True True
