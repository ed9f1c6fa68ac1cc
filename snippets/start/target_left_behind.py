"""Model and batch have moved, the target has not: which line fails?

模型和数据移走了，标签没有移：哪一行报错？
"""

import torch

# zh: meta 是没有存储空间的设备，在这里代替 GPU。
# en: The meta device has no memory; here it stands in for a GPU.
model = torch.nn.Linear(4, 2).to("meta")
batch = torch.rand(8, 4).to("meta")
target = torch.rand(8, 2)

scores = model(batch)
print("model:", scores.device)
#> model: meta
try:
    torch.nn.functional.mse_loss(scores, target)
except RuntimeError as error:
    print("loss:", type(error).__name__)
    #> loss: RuntimeError
