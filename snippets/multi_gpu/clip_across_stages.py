"""Clipping over pipeline stages: each norm is one stage's until combined.

流水线的各段裁剪梯度：不合起来，范数就只是自己那一段的。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()

# zh: 每个 rank 只有自己那一段的参数：一段的梯度是 3，另一段是 4。
# en: Each rank has the parameters of its own stage: a gradient of 3, one of 4.
weight = torch.zeros(1, device=device, requires_grad=True)
(weight * (3 + rank)).sum().backward()

norm = get_total_norm([weight.grad])
print("stage", rank, "alone:", norm.item())
#> stage 0 alone: 3.0
#> stage 1 alone: 4.0

squares = norm**2
dist.all_reduce(squares)
norm = squares.sqrt()
clip_grads_with_norm_([weight], 1.0, norm)
print("stage", rank, "of both:", norm.item())
#> stage 0 of both: 5.0
#> stage 1 of both: 5.0
print("stage", rank, f"gradient: {weight.grad.item():.1f}")
#> stage 0 gradient: 0.6
#> stage 1 gradient: 0.8
dist.destroy_process_group()
