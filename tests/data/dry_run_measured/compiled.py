"""An encoder of eight layers by torch.compile, 16 texts of 512 tokens, bfloat16 by autocast."""

import torch
from torch import nn

layer = nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.0, batch_first=True, norm_first=True)
encoder = nn.TransformerEncoder(layer, 8, enable_nested_tensor=False)
model = nn.Sequential(nn.Embedding(32000, 768), encoder, nn.Linear(768, 32000)).to("cuda")
compiled = torch.compile(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for _ in range(4):
    tokens = torch.randint(32000, (16, 512)).to("cuda")
    with torch.autocast("cuda", torch.bfloat16):
        logits = compiled(tokens)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
