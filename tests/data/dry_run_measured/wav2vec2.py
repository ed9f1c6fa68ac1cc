"""Wav2Vec2 base of Transformers with CTC, four pieces of ten seconds, float32."""

import torch
from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

model = Wav2Vec2ForCTC(Wav2Vec2Config(ctc_loss_reduction="mean", mask_time_prob=0.0)).to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for _ in range(4):
    sound = torch.randn(4, 160_000).to("cuda")
    letters = torch.randint(1, 32, (4, 80)).to("cuda")
    loss = model(input_values=sound, labels=letters).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
