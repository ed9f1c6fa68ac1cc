"""Reusing a pinned tensor too early spoils the copy that is under way.

过早改写锁页张量，会弄坏还没完成的拷贝。
"""
# needs: cuda
# simulated: no

import torch

done = torch.cuda.Event()
busy = torch.ones(8192, 8192, device="cuda")
batch = torch.ones(2**20).pin_memory()
print(batch.to("cuda").unique().tolist())

# zh: 让 GPU 忙一会儿：拷贝排在这些计算后面。
# en: Keep the GPU busy: the copy has to queue behind this.
for _ in range(30):
    busy = (busy @ busy) / 8192

y = batch.to("cuda", non_blocking=True)
batch.fill_(9)
print("overwritten: ", y.unique().tolist())

# zh: 先等拷贝完成，再改写。
# en: Wait for the copy, then write.
y = batch.to("cuda", non_blocking=True)
done.record()
done.synchronize()
batch.fill_(5)
print("waited first:", y.unique().tolist())
