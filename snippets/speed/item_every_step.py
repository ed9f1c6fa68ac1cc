"""Reading the loss in each step, or less often: how many steps a second.

每一步都读 loss，还是隔一阵读一次：每秒各训练多少步。
"""
# needs: cuda
# simulated: no
# measures: yes

import time

import numpy as np
import torch

layers = [torch.nn.Linear(1024, 1024) for _ in range(8)]
model = torch.nn.Sequential(*layers).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)


def train(x, steps, every):
    start = time.perf_counter()
    begin.record()
    for step in range(1, steps + 1):
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % every == 0:
            loss.item()
    end.record()
    launched = time.perf_counter() - start
    end.synchronize()
    return launched, begin.elapsed_time(end) / 1e3


# zh: 找一个 batch，使 GPU 算一步比 CPU 启动一步稍久。
# en: Find a batch with which the GPU takes a little longer than launching.
for batch in (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384):
    x = torch.rand(batch, 1024, device="cuda")
    train(x, steps=5, every=5)
    launched, done = train(x, steps=5, every=100)
    if done > 1.5 * launched:
        break
print("batch size:", batch)

rates = {1: [], 10: [], 100: []}
for _ in range(7):
    for every, found in rates.items():
        found.append(100 / train(x, steps=100, every=every)[1])

medians = {}
for every, found in rates.items():
    low, median, high = np.quantile(found, (0.25, 0.5, 0.75))
    print(f"every {every}: {median:.0f} ({low:.0f} to {high:.0f}) steps/s")
    medians[every] = median

assert medians[100] > medians[1]
