"""Up to 1 MiB (kSmallSize), requests share segments of 2 MiB (kSmallBuffer).

不超过 1 MiB（kSmallSize）的申请共用 2 MiB 的段（kSmallBuffer）。
"""
# needs: cuda
# simulated: no

import torch

MiB = 2**20


def take(size):
    return torch.empty(size, dtype=torch.uint8, device="cuda")


a = take(1)
assert torch.cuda.memory_reserved() == 2 * MiB

# zh: 第二个正好放得下，第三个要另一段。
# en: The second just fits in; the third needs another segment.
b = take(MiB)
assert torch.cuda.memory_reserved() == 2 * MiB
c = take(MiB)
assert torch.cuda.memory_reserved() == 4 * MiB

for pool in "small_pool", "large_pool":
    segments = torch.cuda.memory_stats()[f"segment.{pool}.current"]
    print(pool, "has", segments, "segments")
    assert segments == (2 if pool == "small_pool" else 0)
