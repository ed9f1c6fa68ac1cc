"""One block of a language model, and what it keeps for the backward pass.

语言模型的一个块（block），以及它为反向传播留下的东西。
"""

import torch
import torch.nn.functional as F
from torch import nn


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


class Block(nn.Module):
    def __init__(self, hidden, heads, key_heads, head_size, middle, **options):
        super().__init__()
        norm = options.get("norm", nn.RMSNorm)
        qkv = {"bias": options.get("attention_bias", False)}
        rest = {"bias": options.get("bias", False)}
        query, keys = heads * head_size, key_heads * head_size
        self.head_size, self.grouped = head_size, heads != key_heads
        self.norm1, self.norm2 = norm(hidden), norm(hidden)
        self.q = nn.Linear(hidden, query, **qkv)
        self.k = nn.Linear(hidden, keys, **qkv)
        self.v = nn.Linear(hidden, keys, **qkv)
        self.o = nn.Linear(query, hidden, **rest)
        gated = options.get("gated", True)
        self.gate = nn.Linear(hidden, middle, **rest) if gated else None
        self.up = nn.Linear(hidden, middle, **rest)
        self.down = nn.Linear(middle, hidden, **rest)
        if options.get("head_norms", False):
            self.q_norm, self.k_norm = norm(head_size), norm(head_size)
        else:
            self.q_norm = self.k_norm = nn.Identity()

    def heads(self, x):
        return x.unflatten(-1, (-1, self.head_size)).transpose(1, 2)

    def forward(self, x, rope=None, cache=None):
        y = self.norm1(x)
        q, k, v = (self.heads(layer(y)) for layer in (self.q, self.k, self.v))
        q, k = self.q_norm(q), self.k_norm(k)
        if rope is not None:
            q, k = rotate(q, *rope), rotate(k, *rope)
        if cache is not None:
            k, v = cache[0].copy_(k), cache[1].copy_(v)
        z = F.scaled_dot_product_attention(
            q, k, v, is_causal=True, enable_gqa=self.grouped
        )
        x = x + self.o(z.transpose(1, 2).flatten(2))
        y = self.norm2(x)
        if self.gate is None:
            return x + self.down(F.gelu(self.up(y)))
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


def kept(model, *inputs):
    weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
    found = {}

    def keep(t):
        storage = t.untyped_storage()
        if storage.data_ptr() not in weights:
            found[storage.data_ptr()] = t
        return t

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
        model(*inputs)
    return list(found.values())


# zh: 用 LayerNorm，因为它在 CPU 和 GPU 上留下的一样多。RMSNorm 在 CPU 上由
#   几个算子拼成，每个多留一份输入。
# en: LayerNorm, because it keeps the same on CPU and GPU. On the CPU RMSNorm is
#   made of several operators and keeps one more copy of its input.
block = Block(64, 8, 2, 8, 160, norm=nn.LayerNorm)
x = torch.rand(2, 16, 64, requires_grad=True)
tokens = x.numel() // 64
tensors = kept(block, x)
print([t.numel() // tokens for t in tensors if t.numel() >= tokens])
#> [64, 1, 1, 64, 16, 64, 16, 8, 64, 64, 1, 1, 64, 160, 160, 160, 160]
# zh: 四个 hidden（64）、两个 q（64）、两个 k（16）、四个 middle（160），再加
#   归一化和注意力的小项。
# en: Four times hidden (64), twice q (64), twice k (16), four times middle
#   (160), and a little for the norms and the attention.
total = sum(t.untyped_storage().nbytes() for t in tensors) // tokens
print(total, "bytes per token")
#> 4272 bytes per token
assert total == 4 * (4 * 64 + 2 * 64 + 2 * 16 + 4 * 160) + 4 * (2 + 2 + 8)
