"""Two settings limit which sizes of pinned memory are rounded and cached.

两项设置，限定多大的锁页内存才取整、才缓存。
"""
# needs: cuda, torch>=2.13
# simulated: no

import os

os.environ.pop("PYTORCH_CUDA_ALLOC_CONF", None)
os.environ["PYTORCH_ALLOC_CONF"] = (
    "pinned_max_round_threshold_mb:64,pinned_max_cached_size_mb:64"
)

import torch

MIB = 2**20


def locked():
    stats = torch.cuda.host_memory_stats()
    return stats["allocated_bytes.current"] // MIB


torch.ones(1, device="cuda")
for size, before, after in ((33, 64, 64), (65, 65, 0)):
    x = torch.empty(size * MIB, dtype=torch.uint8, pin_memory=True)
    assert locked() == before
    del x
    assert locked() == after
    print(f"{size} MiB: {before} MiB pinned, {after} MiB after del")
    torch.accelerator.empty_host_cache()
