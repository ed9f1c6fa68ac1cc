"""`DataParallel` itself: replicas live for one call, outputs end on GPU 0.

真正的 `DataParallel`：副本只活一次调用，输出都回到 0 号卡。
"""
# needs: cuda:2
# simulated: no

import torch

seen = []


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        seen.append((str(x.device), tuple(x.shape)))
        return self.layer(x).mean()


module = Counting().to("cuda:0")
model = torch.nn.DataParallel(module, device_ids=[0, 1])
losses = model(torch.ones(6, 4))
# zh: 每块卡一个线程，先后不定，所以排了序再打印。
# en: A thread for each GPU, in no fixed order: sort, then print.
for device, shape in sorted(seen):
    print(device, shape)
print(losses.device, tuple(losses.shape))
print("calls:", module.calls)
