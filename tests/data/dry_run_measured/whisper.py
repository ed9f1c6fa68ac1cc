"""Whisper small of Transformers, four pieces of 30 seconds, float16 with a GradScaler."""

import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

sizes = {"d_model": 768, "encoder_layers": 12, "decoder_layers": 12}
heads = {"encoder_attention_heads": 12, "decoder_attention_heads": 12}
layers = {"encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072}
model = WhisperForConditionalGeneration(WhisperConfig(**sizes, **heads, **layers)).to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
scaler = torch.amp.GradScaler()
for _ in range(4):
    sound = torch.randn(4, 80, 3000).to("cuda")
    words = torch.randint(50000, (4, 128)).to("cuda")
    with torch.autocast("cuda", torch.float16):
        loss = model(input_features=sound, labels=words).loss
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
