"""A CUDA graph repeats the recorded kernels, on the recorded memory.

CUDA 图重放录下的 kernel，用的也是录下的显存。
"""
# needs: cuda
# simulated: no

import torch


def work(x):
    return x * 2 + 1


x = torch.zeros(3, device="cuda")

# zh: 先在另一条流上预热，再录制。
# en: Warm up on a side stream, then record.
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    work(x)
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = work(x)

for value in (1.0, 2.0):
    x.fill_(value)
    graph.replay()
    print(y.tolist())

# zh: 换一个张量没有用，要拷进原来的那个。
# en: Another tensor is not seen: copy into the one that was recorded.
recorded, x = x, torch.full((3,), 5.0, device="cuda")
graph.replay()
print(y.tolist())
recorded.copy_(x)
graph.replay()
print(y.tolist())
