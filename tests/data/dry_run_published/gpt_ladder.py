"""GPT-2 with 124 M weights, at first all written by hand, then with more and more of PyTorch's own.

`--stage` is how many of the changes are made: mask on the fly, (nothing), fused AdamW, (nothing),
bfloat16, PyTorch's layers, fused attention.
"""

import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--stage", type=int, default=0)
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--words", type=int, default=50257)
options = parser.parse_args()
ON_THE_FLY, FUSED_ADAMW, BFLOAT16, LAYERS, FUSED_ATTENTION = 1, 3, 5, 6, 7
LENGTH, WIDTH, HEADS, DEPTH, DROPOUT = 1024, 768, 12, 12, 0.1


def reached(change: int) -> bool:
    return options.stage >= change


class Norm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(WIDTH))
        self.shift = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, keepdim=True, unbiased=False)
        normed = (x - mean) / torch.sqrt(variance + 1e-5)
        return self.scale * normed + self.shift


class Gelu(nn.Module):
    def forward(self, x):
        factor = torch.sqrt(torch.tensor(2.0 / math.pi))
        return 0.5 * x * (1 + torch.tanh(factor * (x + 0.044715 * torch.pow(x, 3))))


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.out = nn.Linear(WIDTH, WIDTH)
        self.dropout = nn.Dropout(DROPOUT)
        if not reached(ON_THE_FLY):
            self.register_buffer("mask", torch.triu(torch.ones(LENGTH, LENGTH), diagonal=1))

    def forward(self, x):
        batch, length, _ = x.shape
        keys, queries, values = self.key(x), self.query(x), self.value(x)
        shape = batch, length, HEADS, WIDTH // HEADS
        keys, queries, values = keys.view(shape), queries.view(shape), values.view(shape)
        keys, queries, values = (
            keys.transpose(1, 2),
            queries.transpose(1, 2),
            values.transpose(1, 2),
        )
        scores = queries @ keys.transpose(2, 3)
        if reached(ON_THE_FLY):
            ones = torch.ones(length, length, device=x.device)
            mask = torch.triu(ones, diagonal=1).bool()
        else:
            mask = self.mask.bool()[:length, :length]
        scores.masked_fill_(mask, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        weights = self.dropout(weights)
        return self.out((weights @ values).transpose(1, 2).reshape(batch, length, WIDTH))


class FusedAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        qkv = self.qkv(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        dropout = DROPOUT if self.training else 0.0
        result = F.scaled_dot_product_attention(*qkv, dropout_p=dropout, is_causal=True)
        return self.out(result.transpose(1, 2).contiguous().view(batch, length, WIDTH))


def norm() -> nn.Module:
    return nn.LayerNorm(WIDTH) if reached(LAYERS) else Norm()


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = FusedAttention() if reached(FUSED_ATTENTION) else Attention()
        gelu = nn.GELU(approximate="tanh") if reached(LAYERS) else Gelu()
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), gelu, nn.Linear(4 * WIDTH, WIDTH))
        self.norm1, self.norm2 = norm(), norm()
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x):
        shortcut = x
        x = self.norm1(x)
        x = self.attention(x)
        x = self.dropout(x)
        x = x + shortcut
        shortcut = x
        x = self.norm2(x)
        x = self.mlp(x)
        x = self.dropout(x)
        x = x + shortcut
        return x


class Gpt(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(options.words, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.dropout = nn.Dropout(DROPOUT)
        self.blocks = nn.Sequential(*[Block() for _ in range(DEPTH)])
        self.norm = norm()
        self.head = nn.Linear(WIDTH, options.words, bias=False)

    def forward(self, tokens):
        words = self.words(tokens)
        places = self.places(torch.arange(tokens.shape[1], device=tokens.device))
        x = words + places
        x = self.dropout(x)
        x = self.blocks(x)
        x = self.norm(x)
        return self.head(x)


def loss_of(tokens, following):
    tokens, following = tokens.to("cuda"), following.to("cuda")
    logits = model(tokens)
    return F.cross_entropy(logits.flatten(0, 1), following.flatten())


model = Gpt().to("cuda")
if reached(BFLOAT16):
    model.to(torch.bfloat16)
fused = {"fused": True} if reached(FUSED_ADAMW) else {}
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.1, **fused)
batch = torch.randint(options.words, (2, options.batch, LENGTH))
for step in range(4):
    optimizer.zero_grad()
    loss = loss_of(*batch)
    loss.backward()
    optimizer.step()
    if step in (0, 3):
        model.eval()
        with torch.no_grad():
            print(sum(loss_of(*batch).item() for _ in range(2)))
        model.train()
model.eval()
tokens = torch.randint(options.words, (1, 4)).to("cuda")
for _ in range(50):
    with torch.no_grad():
        logits = model(tokens)
    tokens = torch.cat((tokens, logits[:, -1, :].argmax(dim=-1, keepdim=True)), dim=1)
print(torch.cuda.memory_reserved() / 2**30)
