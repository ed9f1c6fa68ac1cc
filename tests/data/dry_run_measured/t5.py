"""T5 base of Transformers, eight pairs of 512 and 128 tokens, float32, by Adafactor."""

import torch
from transformers import Adafactor, T5Config, T5ForConditionalGeneration

sizes = {"d_model": 768, "d_ff": 3072, "num_layers": 12, "num_heads": 12}
model = T5ForConditionalGeneration(T5Config(**sizes, decoder_start_token_id=0)).to("cuda").train()
optimizer = Adafactor(model.parameters(), relative_step=True)
for _ in range(4):
    asked = torch.randint(32000, (8, 512)).to("cuda")
    answer = torch.randint(32000, (8, 128)).to("cuda")
    loss = model(input_ids=asked, labels=answer).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
