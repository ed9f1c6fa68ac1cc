"""A denoising U-Net of Diffusers, 16 images of 128 × 128, float16 by Accelerate, with an EMA."""

import torch
from accelerate import Accelerator
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.training_utils import EMAModel

accelerator = Accelerator(mixed_precision="fp16")
down = ("DownBlock2D", "DownBlock2D", "AttnDownBlock2D", "DownBlock2D")
up = ("UpBlock2D", "AttnUpBlock2D", "UpBlock2D", "UpBlock2D")
widths = {"block_out_channels": (128, 256, 256, 512), "layers_per_block": 2}
model = UNet2DModel(sample_size=128, down_block_types=down, up_block_types=up, **widths)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
batches = torch.utils.data.DataLoader(torch.randn(64, 3, 128, 128), batch_size=16)
model, optimizer, batches = accelerator.prepare(model, optimizer, batches)
noises, average = DDPMScheduler(1000), EMAModel(model.parameters())
for images in batches:
    noise = torch.randn_like(images)
    times = torch.randint(0, 1000, (len(images),), device=images.device)
    said = model(noises.add_noise(images, noise, times), times).sample
    accelerator.backward(torch.nn.functional.mse_loss(said.float(), noise))
    accelerator.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    average.step(model.parameters())
