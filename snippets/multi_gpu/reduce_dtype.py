"""Compute in bfloat16, keep and sum in float32.

用 bfloat16 计算，用 float32 保存和求和。
"""
# needs: torchrun:2

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

local_rank = int(os.environ["LOCAL_RANK"])
on_gpus = torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"])
device = torch.device("cuda", local_rank) if on_gpus else torch.device("cpu")
if on_gpus:
    torch.cuda.set_device(device)
backend = "nccl" if on_gpus else "gloo"
dist.init_process_group(backend, timeout=timedelta(seconds=30))

mesh = init_device_mesh(device.type, (dist.get_world_size(),))

for reduce_dtype in (torch.float32, torch.bfloat16):
    policy = MixedPrecisionPolicy(torch.bfloat16, reduce_dtype)
    layer = torch.nn.Linear(1, 1, bias=False)
    fully_shard(layer, mesh=mesh, mp_policy=policy)
    optimizer = torch.optim.AdamW(layer.parameters())

    # zh: 两个 rank 的梯度分别是 256 和 1。
    # en: The gradients of the two ranks are 256 and 1.
    y = layer(torch.tensor([[1.0 + 255 * dist.get_rank()]], device=device))
    y.sum().backward()
    optimizer.step()
    weight = layer.weight
    moment = optimizer.state[weight]["exp_avg"]
    mean = weight.grad.full_tensor().item()
    if dist.get_rank() == 0:
        print(y.dtype, weight.dtype, weight.grad.dtype, moment.dtype)
        #> torch.bfloat16 torch.float32 torch.float32 torch.float32
        #> torch.bfloat16 torch.float32 torch.float32 torch.float32
        print(reduce_dtype, mean)
        #> torch.float32 128.5
        #> torch.bfloat16 128.0

dist.destroy_process_group()
