"""Split off: in the small pool from 512 B on, in the large above 1 MiB.

切块：小块池里剩下 512 B 就切，大块池里剩下超过 1 MiB 才切。
"""
# needs: cuda
# simulated: no

import torch

KiB, MiB = 2**10, 2**20


def allocated_for(*sizes):
    kept = [torch.empty(n, dtype=torch.uint8, device="cuda") for n in sizes]
    allocated = torch.cuda.memory_allocated()
    kept.clear()
    torch.cuda.empty_cache()
    print(f"{sum(sizes)} bytes asked for, {allocated} allocated")
    return allocated


# zh: 小块：2 MiB 的段最后剩 512 B，也切开。
# en: Small: the last 512 B of a segment of 2 MiB are split off, too.
assert allocated_for(MiB, MiB - 512) == 2 * MiB - 512

# zh: 大块：14 MiB 的段剩 1 MiB，不切，整段都算已分配。
# en: Large: 1 MiB of a segment of 14 MiB is left, so all of it counts.
assert allocated_for(13 * MiB) == 14 * MiB
assert allocated_for(13 * MiB - KiB) == 13 * MiB - KiB
