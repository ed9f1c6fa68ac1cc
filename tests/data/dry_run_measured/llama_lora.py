"""A Llama of 1.2 B weights in bfloat16, trained by LoRA (PEFT), two texts of 1,024 tokens."""

import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

sizes = {"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16}
heads = {"num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256}
torch.set_default_dtype(torch.bfloat16)
with torch.device("cuda"):
    model = LlamaForCausalLM(LlamaConfig(**sizes, **heads, tie_word_embeddings=True))
torch.set_default_dtype(torch.float32)
model = get_peft_model(model, LoraConfig(r=16, target_modules="all-linear"))
trained = [weight for weight in model.parameters() if weight.requires_grad]
optimizer = torch.optim.AdamW(trained, lr=1e-4)
for _ in range(4):
    tokens = torch.randint(128256, (2, 1024)).to("cuda")
    loss = model(input_ids=tokens, labels=tokens).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
