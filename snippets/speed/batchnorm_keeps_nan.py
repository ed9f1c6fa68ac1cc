"""The step is skipped, but BatchNorm keeps the NaN in its statistics.

这一步虽然跳过了，BatchNorm 的统计量里却留下了 NaN。
"""

import torch
from torch import nn

torch.manual_seed(0)
norm = nn.BatchNorm1d(4)
model = nn.Sequential(nn.Linear(2, 4), norm)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
x = torch.randn(8, 2)


def step(batch):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.float16):
        loss = model(batch).float().square().mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()


step(x)
# zh: 这一批里的数太大，float16 存不下。
# en: The numbers of this batch are too large for float16.
step(x * 1e6)
step(x)

state = model.state_dict()
print([name for name in state if not state[name].isfinite().all()])
#> ['1.running_mean', '1.running_var']
print("train:", model(x).isnan().any().item())
#> train: False
model.eval()
print("eval:", model(x).isnan().any().item())
#> eval: True

# zh: 清零，再用正常的数据重新统计。
# en: Clear the statistics and collect them again from good data.
norm.reset_running_stats()
model.train()
with torch.no_grad():
    model(x)
model.eval()
print("eval, collected again:", model(x).isnan().any().item())
#> eval, collected again: False
