"""A transformer of FLUX.2 klein (4 billion weights), trained on 512 × 512 pixels with PEFT."""

import argparse

import torch
from diffusers import Flux2Transformer2DModel
from peft import LNTuningConfig, LoHaConfig, LoraConfig, get_peft_model
from transformers import Dinov2Config, Dinov2Model

ATTENTION = ["to_q", "to_k", "to_v", "to_out.0", "add_q_proj", "add_k_proj", "add_v_proj"]
LAYERS = [*ATTENTION, "to_add_out", "to_qkv_mlp_proj", "linear_in", "linear_out"]
METHODS = {
    "lora": lambda rank: LoraConfig(r=rank, lora_alpha=rank, target_modules=LAYERS),
    "dora": lambda rank: LoraConfig(r=rank, lora_alpha=rank, use_dora=True, target_modules=LAYERS),
    "loha": lambda rank: LoHaConfig(r=rank, alpha=rank, target_modules=LAYERS),
    "norms": lambda rank: LNTuningConfig(target_modules=["norm_q", "norm_k"]),
}

parser = argparse.ArgumentParser()
parser.add_argument("method", choices=["full", *METHODS])
parser.add_argument("--rank", type=int, default=32)
options = parser.parse_args()

BATCH, TEXT, SIDE, CHANNELS, WORDS, IMAGES = 2, 512, 32, 128, 7680, 14
shape = {"num_layers": 5, "num_single_layers": 20, "num_attention_heads": 24}
with torch.device("cuda"):
    torch.set_default_dtype(torch.bfloat16)
    model = Flux2Transformer2DModel(**shape, joint_attention_dim=WORDS, guidance_embeds=False)
    torch.set_default_dtype(torch.float32)
model.enable_gradient_checkpointing()
if options.method == "full":
    model.requires_grad_(True)
else:
    model = get_peft_model(model, METHODS[options.method](options.rank))
model.to("cpu")
torch.cuda.empty_cache()
model.train()
rate = {"lr": 1e-4, "weight_decay": 1e-4}
optimizer = torch.optim.AdamW(model.parameters(), **rate)
# Texts and images are encoded beforehand, and kept on the GPU.
with torch.device("cuda"):
    texts = torch.randn(IMAGES, TEXT, WORDS, dtype=torch.bfloat16)
    text_places = torch.zeros(IMAGES, TEXT, 4, dtype=torch.int64)
    images = torch.randn(IMAGES, CHANNELS, SIDE, SIDE, dtype=torch.bfloat16)
    places = torch.zeros(BATCH, SIDE * SIDE, 4, dtype=torch.int64)
# What judges images lies there from the start.
judge = Dinov2Model(Dinov2Config()).to("cuda")
model.to("cuda")
torch.cuda.empty_cache()
torch.cuda.reset_peak_memory_stats()
for _ in range(4):
    chosen = torch.randint(IMAGES, (BATCH,)).to("cuda")
    latents = images.index_select(0, chosen)
    given, given_places = texts.index_select(0, chosen), text_places.index_select(0, chosen)
    noise = torch.randn_like(latents)
    times = torch.rand(BATCH, device="cuda", dtype=torch.bfloat16)
    sigmas = times.view(-1, 1, 1, 1)
    noisy = (1.0 - sigmas) * latents + sigmas * noise
    packed = noisy.flatten(2).transpose(1, 2)
    optimizer.zero_grad(set_to_none=True)
    predicted = model(
        hidden_states=packed,
        timestep=times,
        guidance=None,
        encoder_hidden_states=given,
        txt_ids=given_places,
        img_ids=places,
        return_dict=False,
    )[0]
    predicted = predicted[:, : packed.size(1)].transpose(1, 2).reshape(latents.shape)
    target = noise - latents
    weight = torch.ones_like(sigmas)
    error = weight.float() * (predicted.float() - target.float()) ** 2
    loss = torch.mean(error.reshape(BATCH, -1), 1).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(torch.cuda.max_memory_reserved())
