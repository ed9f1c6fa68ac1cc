"""A small data set as one tensor on the GPU: shuffle and cut it there.

小数据集整个放在 GPU 上：在那里打乱、切成 batch。
"""

import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.rand(60, 4).to(device)
y = torch.arange(60).to(device)


class Counted(TensorDataset):
    calls = 0

    def __getitem__(self, index):
        Counted.calls += 1
        return super().__getitem__(index)


batches = sum(1 for _ in DataLoader(Counted(x, y), batch_size=20))
print(f"DataLoader: {batches} batches, {Counted.calls} calls for samples")
#> DataLoader: 3 batches, 60 calls for samples

seen = []
for index in torch.randperm(len(x), device=device).split(20):
    inputs, labels = x[index], y[index]
    seen.append(labels)
print(f"by index: {len(seen)} batches of {len(seen[0])}")
#> by index: 3 batches of 20
print("every sample once:", torch.equal(torch.cat(seen).sort().values, y))
#> every sample once: True
