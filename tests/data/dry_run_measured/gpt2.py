"""GPT-2 with 124 M weights of Transformers, 8 texts of 1,024 tokens, bfloat16 by autocast."""

import argparse

import torch
from transformers import GPT2Config, GPT2LMHeadModel

parser = argparse.ArgumentParser()
parser.add_argument("--checkpoint", action="store_true")
parser.add_argument("--attention", default="sdpa")
options = parser.parse_args()

model = GPT2LMHeadModel(GPT2Config(attn_implementation=options.attention)).to("cuda").train()
if options.checkpoint:
    model.gradient_checkpointing_enable()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
for _ in range(4):
    tokens = torch.randint(50257, (8, 1024)).to("cuda")
    with torch.autocast("cuda", torch.bfloat16):
        loss = model(input_ids=tokens, labels=tokens).loss
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
