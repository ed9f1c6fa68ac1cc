"""A model that does not fit: its weights visit the GPU a layer at a time.

显存放不下的模型：权重一层一层地轮流到 GPU 上。
"""
# needs: cuda

import torch

model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(6)])
on_gpu = []


def bring(layer, inputs):
    layer.to("cuda")
    there = sum(one.weight.is_cuda for one in model)
    on_gpu.append(there)


def send_back(layer, inputs, output):
    layer.to("cpu")


for layer in model:
    layer.register_forward_pre_hook(bring)
    layer.register_forward_hook(send_back)

with torch.no_grad():
    y = model(torch.ones(2, 8, device="cuda"))

print("layers on the GPU at a time:", max(on_gpu), "of", len(model))
#> layers on the GPU at a time: 1 of 6
print(y.device, {str(p.device) for p in model.parameters()})
#> cuda:0 {'cpu'}
