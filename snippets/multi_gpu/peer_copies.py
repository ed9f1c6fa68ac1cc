"""Copies between two GPUs: right, and how fast, straight or through the CPU.

两块 GPU 之间的拷贝：对不对，多快，直接拷和绕道 CPU。
"""
# needs: cuda:2
# simulated: no
# measures: yes

import time

import torch

x = torch.rand(2**26, device="cuda:0")
y = torch.empty_like(x, device="cuda:1")
# zh: 锁页内存：两块 GPU 都能直接读写它，不经过可分页内存。
# en: Pinned memory, which both GPUs read and write without pageable memory.
host = torch.empty_like(x, device="cpu", pin_memory=True)
print("P2P access:", torch.cuda.can_device_access_peer(0, 1))


def straight():
    y.copy_(x)


def through_the_host():
    host.copy_(x)
    y.copy_(host)


for copy in (straight, through_the_host):
    for _ in range(3):
        y.zero_()
        torch.cuda.synchronize(1)
        start = time.perf_counter()
        copy()
        torch.cuda.synchronize(0)
        torch.cuda.synchronize(1)
        seconds = time.perf_counter() - start
    print(f"{copy.__name__}: {x.nbytes / seconds / 1e9:.1f} GB/s")
    assert torch.equal(y.cpu(), x.cpu())
