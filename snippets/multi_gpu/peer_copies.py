"""Copies between two GPUs: right, and how fast, straight or through the CPU.

两块 GPU 之间的拷贝：对不对，多快，直接拷和绕道 CPU。
"""
# needs: cuda:2
# simulated: no
# measures: yes

import time

import torch

x = torch.rand(2**26, device="cuda:0")
print("P2P access:", torch.cuda.can_device_access_peer(0, 1))

for name, copy in (
    ("straight", lambda: x.to("cuda:1")),
    ("through the CPU", lambda: x.cpu().to("cuda:1")),
):
    for _ in range(2):
        torch.cuda.synchronize(0)
        start = time.perf_counter()
        y = copy()
        torch.cuda.synchronize(0)
        torch.cuda.synchronize(1)
        seconds = time.perf_counter() - start
    print(f"{name}: {x.nbytes / seconds / 1e9:.1f} GB/s")
    assert torch.equal(y.cpu(), x.cpu())
