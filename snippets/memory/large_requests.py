"""From 10 MiB on, the segment is the request rounded up to 2 MiB: kRoundLarge.

10 MiB 起，段的大小是申请的大小向上取整到 2 MiB：kRoundLarge。
"""
# needs: cuda
# simulated: no

import torch

MiB = 2**20

for size in 10 * MiB, 10 * MiB + 1, 12 * MiB, 13 * MiB:
    x = torch.empty(size, dtype=torch.uint8, device="cuda")
    reserved = torch.cuda.memory_reserved()
    print(f"{size / MiB:.6f} MiB: a segment of {reserved // MiB} MiB")
    assert reserved == -(-size // (2 * MiB)) * 2 * MiB

    del x
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() == 0
