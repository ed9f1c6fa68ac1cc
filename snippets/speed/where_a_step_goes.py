"""Name the parts of a training step, and let the profiler add them up.

给训练的每一段取名，让性能分析器分段计时。
"""

import time

import torch
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.data import DataLoader, Dataset

device = torch.accelerator.current_accelerator(check_available=True)
device = device or torch.device("cpu")
model = torch.nn.Linear(256, 256).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


class SlowToRead(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        time.sleep(0.02)
        return torch.ones(256)


def train(loader):
    batches = iter(loader)
    for _ in range(len(loader)):
        with record_function("data"):
            batch = next(batches)
        with record_function("move"):
            batch = batch.to(device, non_blocking=True)
        with record_function("compute"):
            loss = model(batch).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


loader = DataLoader(SlowToRead(), batch_size=8)
ready = [torch.ones(8, 256)] * len(loader)
train(ready)

for name, batches in (("loader", loader), ("ready batches", ready)):
    with profile(activities=[ProfilerActivity.CPU]) as p:
        train(batches)
    rows = {row.key: row for row in p.key_averages()}
    times = {part: rows[part].cpu_time_total for part in ("data", "compute")}
    print(f"{name}: most of the time goes into", max(times, key=times.get))
    #> loader: most of the time goes into data
    #> ready batches: most of the time goes into compute
