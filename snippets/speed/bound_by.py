"""What limits a layer: the bytes it moves, or the operations it computes?

一层的快慢由什么决定：要搬的字节，还是要算的次数？
"""

import torch
from torch.utils.flop_counter import FlopCounterMode

# zh: A100 40 GB，取自 NVIDIA 的规格：显存带宽，bfloat16 的峰值（非稀疏）。
# en: An A100 40 GB by NVIDIA's data sheet: bandwidth, bfloat16 peak (dense).
BYTES_PER_SECOND = 1555e9
FLOPS_PER_SECOND = 312e12

with torch.device("meta"):
    layer = torch.nn.Linear(4096, 4096, bias=False, dtype=torch.bfloat16)

for batch in (1, 16, 256, 4096):
    x = torch.empty(batch, 4096, dtype=torch.bfloat16, device="meta")
    with FlopCounterMode(display=False) as counter:
        y = layer(x)
    flops = counter.get_total_flops()
    moved = x.nbytes + layer.weight.nbytes + y.nbytes
    moving, computing = moved / BYTES_PER_SECOND, flops / FLOPS_PER_SECOND
    bound = "bandwidth" if moving > computing else "compute"
    per_byte = flops / moved
    print(f"batch {batch}: {per_byte:.0f} operations a byte, {bound}")
    #> batch 1: 1 operations a byte, bandwidth
    #> batch 16: 16 operations a byte, bandwidth
    #> batch 256: 228 operations a byte, compute
    #> batch 4096: 1365 operations a byte, compute
