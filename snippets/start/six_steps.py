"""A whole first GPU program: it fits a line, on any machine.

第一个完整的 GPU 程序：拟合一条直线，任何机器都能跑。
"""

import torch

# zh: 检查：有 GPU 就用，没有就用 CPU。
# en: Check: take the GPU if there is one, else the CPU.
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(device)
#> cpu

# zh: 创建：数据直接建在设备上。
# en: Create: the data is made on the device.
x = torch.linspace(0, 1, 256, device=device).unsqueeze(1)
y = 3 * x + 1

# zh: 移动：模型建好后在 CPU 上，移到设备上再建优化器。
# en: Move: a new model is on the CPU; move it, then build its optimizer.
model = torch.nn.Linear(1, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

# zh: 运行：前向、反向、更新，都在设备上。
# en: Run: forward, backward, update, all on the device.
for _ in range(500):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# zh: 取回：.item() 把一个数拷回 CPU。
# en: Bring back: .item() copies one number to the CPU.
print(f"y = {model.weight.item():.2f} x + {model.bias.item():.2f}")
#> y = 3.00 x + 1.00
