"""Compute in bfloat16, keep and sum in float32.

用 bfloat16 计算，用 float32 保存和求和。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

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
