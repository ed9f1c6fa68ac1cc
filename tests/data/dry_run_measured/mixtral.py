"""A mixture of eight experts of Transformers, two texts of 512 tokens, bfloat16."""

import torch
from transformers import MixtralConfig, MixtralForCausalLM

sizes = {"hidden_size": 768, "intermediate_size": 2048, "num_hidden_layers": 8}
heads = {"num_attention_heads": 12, "num_key_value_heads": 4, "num_local_experts": 8}
model = MixtralForCausalLM(MixtralConfig(**sizes, **heads)).to("cuda", torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for _ in range(4):
    tokens = torch.randint(32000, (2, 512)).to("cuda")
    loss = model(input_ids=tokens, labels=tokens).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
