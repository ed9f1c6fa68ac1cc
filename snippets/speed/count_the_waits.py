"""Reading a loss in each step waits in each step; a sum on the device does not.

每步都读一次 loss，就每步都等；在设备上累加，只在最后等一次。
"""

import torch
from torch.profiler import ProfilerActivity, profile

device = torch.accelerator.current_accelerator(check_available=True)
device = device or torch.device("cpu")
model = torch.nn.Linear(16, 1).to(device)
batches = torch.rand(20, 8, 16, device=device)


def read_each_loss():
    total = 0.0
    for batch in batches:
        total += model(batch).mean().item()
    return total


def add_on_the_device():
    total = torch.zeros((), device=device)
    for batch in batches:
        total += model(batch).mean().detach()
    return total.item()


for work in (read_each_loss, add_on_the_device):
    with profile(activities=[ProfilerActivity.CPU]) as p:
        work()
    calls = {row.key: row.count for row in p.key_averages()}
    print(work.__name__, calls["aten::_local_scalar_dense"])
    #> read_each_loss 20
    #> add_on_the_device 1
