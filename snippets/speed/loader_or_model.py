"""Does the GPU wait for data? Time the loader and the model apart.

GPU 在等数据吗？把数据加载和计算分开计时。
"""
# measures: yes

import time

import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(100, 100).to(device)


class SlowToRead(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.ones(100)


def compute(batches):
    for batch in batches:
        model(batch.to(device)).sum().item()


def seconds(work, batches):
    start = time.perf_counter()
    work(batches)
    return time.perf_counter() - start


loader = DataLoader(SlowToRead(), batch_size=8)
ready = [next(iter(loader))] * len(loader)
compute(ready)

loading = seconds(list, loader)
computing = seconds(compute, ready)
print(f"loader alone: {loading:.3f} s")
print(f"model alone:  {computing:.3f} s")
print(f"both:         {seconds(compute, loader):.3f} s")
assert computing < loading
