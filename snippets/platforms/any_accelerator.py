"""A training step for NVIDIA, AMD, Intel, Apple and Ascend, and the CPU.

同一步训练，在 NVIDIA、AMD、Intel、Apple、昇腾和 CPU 上都能运行。
"""

import torch

device = torch.accelerator.current_accelerator(check_available=True)
device = device or torch.device("cpu")

torch.manual_seed(0)
model = torch.nn.Linear(8, 1).to(device)
before = model.weight.detach().clone()
optimizer = torch.optim.AdamW(model.parameters())
x = torch.rand(16, 8, device=device)

with torch.autocast(device.type, dtype=torch.bfloat16):
    output = model(x)
loss = output.float().square().mean()
loss.backward()
optimizer.step()

# zh: 计时之前等设备算完；CPU 没有要等的。
# en: Wait for the device before reading a clock; a CPU has nothing to wait for.
if torch.accelerator.is_available():
    torch.accelerator.synchronize()

print("output in", output.dtype)
#> output in torch.bfloat16
print("weights in", model.weight.dtype)
#> weights in torch.float32
print("weights updated:", not torch.equal(model.weight, before))
#> weights updated: True
