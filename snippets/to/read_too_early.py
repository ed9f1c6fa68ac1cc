"""Read at once, a `non_blocking` copy on the CPU holds wrong values.

`non_blocking` 拷回 CPU 后马上读，读到的值是错的。
"""
# needs: cuda
# simulated: no

import torch

done = torch.cuda.Event()
x = torch.ones(8192, 8192, device="cuda")

# zh: 预热：先备好锁页内存。
# en: Warm up: have some pinned memory ready.
x[0].sum().to("cpu", non_blocking=True)
torch.cuda.synchronize()

# zh: 让 GPU 忙一会儿：拷贝排在这些计算后面。
# en: Keep the GPU busy: the copy has to queue behind this.
for _ in range(30):
    x = (x @ x) / 8192

result = x.sum().to("cpu", non_blocking=True)
done.record()
early = result.item()
print("copied already:", done.query())

done.synchronize()
print("early one was right:", early == 8192 * 8192)
print("right after waiting:", result.item() == 8192 * 8192)
