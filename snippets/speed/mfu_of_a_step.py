"""Operations of a training step of a transformer, and what checkpointing adds.

Transformer 训练一步要算多少次，激活检查点又多算多少。
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential
from torch.utils.flop_counter import FlopCounterMode

TOKENS, WIDTH, BATCH = 512, 256, 4

# zh: meta 设备上只有形状，没有数据，所以不用等它算完。
# en: On the meta device there are shapes and no data, so nothing is computed.
with torch.device("meta"):
    blocks = nn.Sequential(
        *(
            nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.0)
            for _ in range(6)
        )
    )
    x = torch.empty(TOKENS, BATCH, WIDTH, requires_grad=True)


def operations(forward):
    with FlopCounterMode(display=False) as counter:
        forward(x).mean().backward()
    return counter.get_total_flops()


def with_checkpoints(x):
    return checkpoint_sequential(blocks, 6, x, use_reentrant=False)


weights = sum(p.numel() for p in blocks.parameters() if p.dim() == 2)
rule = 6 * weights * TOKENS * BATCH
counted = operations(blocks)
print(f"6 per weight and token: {rule / 1e9:.1f} billion")
#> 6 per weight and token: 58.0 billion
print(f"counted: {counted / 1e9:.1f} billion")
#> counted: 77.3 billion
print(f"with checkpoints: {operations(with_checkpoints) / 1e9:.1f} billion")
#> with checkpoints: 98.8 billion

# zh: 峰值取自 GPU 对照表；用时换成你在自己的 GPU 上量到的。
# en: The peak is from the table of GPUs; put in the time that you measure.
PEAK, SECONDS = 165e12, 0.0025
print(f"MFU: {counted / SECONDS / PEAK:.0%}")
#> MFU: 19%
