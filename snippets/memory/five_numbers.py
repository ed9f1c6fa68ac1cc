"""One tensor in five numbers, each of which counts more than the one before.

一个张量，五个数，一个比一个算得多。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

x = torch.empty(3_000_001, dtype=torch.uint8, device="cuda")

free, total = torch.cuda.mem_get_info()
stats = torch.cuda.memory_stats()
numbers = {
    "asked for": stats["requested_bytes.all.current"],
    "allocated": torch.cuda.memory_allocated(),
    "reserved": torch.cuda.memory_reserved(),
    "used on the card": total - free,
    "in all": total,
}
for name, number in numbers.items():
    print(f"{name:16} {number / 2**20:10.2f} MiB")

exact = list(numbers.values())
assert exact == sorted(exact)
assert exact[:3] == [3_000_001, 3_000_320, 20 * 2**20]
