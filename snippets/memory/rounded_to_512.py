"""A tensor takes a multiple of 512 bytes: kMinBlockSize.

张量占用的显存是 512 字节的整数倍：kMinBlockSize。
"""
# needs: cuda
# simulated: no

import torch

kept = []
for size in 1, 512, 513:
    before = torch.cuda.memory_allocated()
    kept.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
    took = torch.cuda.memory_allocated() - before
    print(f"{kept[-1].nbytes} bytes take {took}")
    assert took == -(-size // 512) * 512

# zh: 申请了多少，另有一个计数。
# en: What was asked for is counted, too.
stats = torch.cuda.memory_stats()
print(stats["requested_bytes.all.current"], "bytes asked for")
assert stats["requested_bytes.all.current"] == 1 + 512 + 513
