"""A snapshot lists segments and their blocks; the sums are the two numbers.

快照列出每个段和段里的块；加起来就是那两个数。
"""
# needs: cuda
# simulated: no

import torch

KiB = 2**10
a = torch.empty(300 * KiB, dtype=torch.uint8, device="cuda")
b = torch.empty(3000 * KiB, dtype=torch.uint8, device="cuda")

# zh: 段的先后没有规定，这里按大小排。
# en: The order of segments is not specified: sorted by size here.
segments = torch.cuda.memory_snapshot()
segments.sort(key=lambda segment: segment["total_size"])
for segment in segments:
    print(segment["segment_type"], segment["total_size"] // KiB, "KiB:")
    for block in segment["blocks"]:
        print("   ", block["state"], block["size"] // KiB, "KiB")

held = sum(segment["total_size"] for segment in segments)
used = sum(segment["allocated_size"] for segment in segments)
assert held == torch.cuda.memory_reserved() == 22 * KiB * KiB
assert used == torch.cuda.memory_allocated() == 3300 * KiB
