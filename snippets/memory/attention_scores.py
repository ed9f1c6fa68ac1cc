"""Attention written out keeps a score for each pair of tokens.

写成两步的注意力，每一对 token 都要存一个分数。
"""

import torch
from torch.nn.functional import scaled_dot_product_attention

heads, size = 8, 64

for tokens in (512, 1024, 2048):
    q = torch.empty(1, heads, tokens, size, device="meta")
    scores = q @ q.transpose(-2, -1)
    fused = scaled_dot_product_attention(q, q, q)
    print(
        f"{tokens} tokens: scores {scores.nbytes // 2**20} MiB,"
        f" output {fused.nbytes // 2**20} MiB"
    )
    #> 512 tokens: scores 8 MiB, output 1 MiB
    #> 1024 tokens: scores 32 MiB, output 2 MiB
    #> 2048 tokens: scores 128 MiB, output 4 MiB
