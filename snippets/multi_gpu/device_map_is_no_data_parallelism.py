"""A `device_map` puts each layer on one GPU and trains no faster.

`device_map` 把每一层放到一块 GPU 上，训练不会因此变快。
"""
# needs: accelerate

import torch
from accelerate import infer_auto_device_map
from torch import nn

# zh: 在 meta 设备上创建，所以只有形状，不占显存。
# en: Created on the meta device, so there are only shapes and no values.
with torch.device("meta"):
    model = nn.Sequential(*(nn.Linear(1024, 1024) for _ in range(6)))

each = sum(p.numel() * p.element_size() for p in model[0].parameters())
print(f"{each / 2**20:.1f} MiB for each of {len(model)} layers")
#> 4.0 MiB for each of 6 layers

# zh: 告诉它每块卡能用多少，它就按顺序一层一层地放。
# en: Told how much each GPU has, it fills them in order, layer by layer.
limits = {0: 10 * 2**20, 1: 18 * 2**20, "cpu": 2**30}
placed = infer_auto_device_map(model, max_memory=limits)
for name, device in placed.items():
    print(f"layer {name}: {device}")
    #> layer 0: 0
    #> layer 1: 1
    #> layer 2: 1
    #> layer 3: 1
    #> layer 4: 1
    #> layer 5: cpu

on_gpus = [name for name, device in placed.items() if device != "cpu"]
print("layers on more than one GPU:", len(on_gpus) - len(set(on_gpus)))
#> layers on more than one GPU: 0
