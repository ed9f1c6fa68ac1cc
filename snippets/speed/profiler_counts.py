"""The profiler: which operators ran, how often, and where the time went.

性能分析器：运行了哪些算子、各几次、时间花在哪里。
"""

import torch
from torch.profiler import ProfilerActivity, profile

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
activities = [ProfilerActivity.CPU]
if device.type == "cuda":
    activities.append(ProfilerActivity.CUDA)

model = torch.nn.Sequential(
    torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)
).to(device)
x = torch.rand(1024, 256, device=device)
model(x)

with profile(activities=activities) as p:
    for _ in range(3):
        model(x)

counts = {row.key: row.count for row in p.key_averages()}
for name in ("aten::linear", "aten::addmm", "aten::relu", "aten::softmax"):
    print(name, counts.get(name, 0))
    #> aten::linear 6
    #> aten::addmm 6
    #> aten::relu 3
    #> aten::softmax 0

# zh: 整张表：p.key_averages().table(row_limit=10)。
# en: The whole table: p.key_averages().table(row_limit=10).
table = p.key_averages().table(row_limit=10)
print("Self CPU" in table, "aten::addmm" in table)
#> True True
