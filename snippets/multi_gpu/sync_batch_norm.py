"""BatchNorm of each GPU sees its own share only; SyncBatchNorm sees all.

每块 GPU 的 BatchNorm 只看到自己那一份；SyncBatchNorm 看到全部。
"""

import torch
from torch import nn

batch = torch.tensor([[0.0], [2.0], [10.0], [12.0]])


def normalized(samples):
    output = nn.BatchNorm1d(1)(samples)
    return [round(value, 1) for value in output.flatten().tolist()]


print("whole batch:", normalized(batch))
#> whole batch: [-1.2, -0.8, 0.8, 1.2]
for rank, share in enumerate(batch.split(2)):
    print("share", rank, normalized(share))
    #> share 0 [-1.0, 1.0]
    #> share 1 [-1.0, 1.0]

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
model[1].running_mean.fill_(5.0)
names = list(model.state_dict())
# zh: 在 DDP 之前转换；训练过的统计量和名字都保留。
# en: Convert before DDP; the statistics and the names are kept.
model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
print(type(model[1]).__name__, model[1].running_mean[0].item())
#> SyncBatchNorm 5.0
print("same names:", names == list(model.state_dict()))
#> same names: True
