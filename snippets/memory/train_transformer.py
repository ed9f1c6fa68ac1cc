"""A small language model on random tokens, as large as the command line says.

一个小语言模型，用随机的 token 训练；大小由命令行决定。
"""

import argparse

import torch
from torch import nn

options = argparse.ArgumentParser()
options.add_argument("--layers", type=int, default=2)
options.add_argument("--width", type=int, default=64)
options.add_argument("--vocabulary", type=int, default=1000)
options.add_argument("--length", type=int, default=32)
options.add_argument("--batch-size", type=int, default=4)
options.add_argument("--steps", type=int, default=2)
options = options.parse_args()
device = torch.accelerator.current_accelerator(check_available=True)
device = device or torch.device("cpu")


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.heads = width // 64
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = self.qkv(self.norms[0](x)).chunk(3, dim=-1)
        heads = (-1, (self.heads, 64))
        q, k, v = (t.unflatten(*heads).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / 8
        mixed = scores.softmax(-1) @ v
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        hidden = nn.functional.gelu(self.up(self.norms[1](x)))
        return x + self.down(hidden)


model = nn.Sequential(
    nn.Embedding(options.vocabulary, options.width),
    *[Block(options.width) for _ in range(options.layers)],
    nn.Linear(options.width, options.vocabulary),
).to(device)
optimizer = torch.optim.AdamW(model.parameters())
print(sum(p.numel() for p in model.parameters()), "parameters")
#> 228968 parameters

for step in range(options.steps):
    size = (options.batch_size, options.length + 1)
    tokens = torch.randint(options.vocabulary, size, device=device)
    logits = model(tokens[:, :-1]).flatten(0, 1)
    loss = nn.functional.cross_entropy(logits, tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "done")
    #> step 0 done
    #> step 1 done
