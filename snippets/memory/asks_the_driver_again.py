"""With empty_cache() in the loop, every step asks the driver for memory again.

循环里调 empty_cache()，每一步都要重新向驱动申请显存。
"""
# needs: cuda
# simulated: no

import torch


def segments_asked_for(steps, empty):
    torch.cuda.empty_cache()
    torch.cuda.reset_accumulated_memory_stats()
    for _ in range(steps):
        x = torch.empty(30 * 2**20, dtype=torch.uint8, device="cuda")
        del x
        if empty:
            torch.cuda.empty_cache()
    return torch.cuda.memory_stats()["segment.all.allocated"]


left_alone = segments_asked_for(10, empty=False)
emptied = segments_asked_for(10, empty=True)

print("left alone:", left_alone)
print("emptied in every step:", emptied)
assert (left_alone, emptied) == (1, 10)
