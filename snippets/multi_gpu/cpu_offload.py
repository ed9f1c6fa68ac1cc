"""CPUOffloadPolicy: shards, gradients and AdamW stay in host memory.

CPUOffloadPolicy：分片、梯度和 AdamW 的状态都在主机内存里。
"""
# needs: cuda, linux
# simulated: no

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, fully_shard

# zh: 梯度在内存里，裁剪时的通信走 gloo；GPU 上的走 NCCL。
# en: Gradients are in host memory: clipping them communicates by gloo, what is
#   on the GPU by NCCL.
one = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
dist.init_process_group("cpu:gloo,cuda:nccl", **one)
mesh = init_device_mesh("cuda", (1,))


def note(layer, inputs, output):
    print("forward on", layer.weight.device.type)
    assert layer.weight.is_cuda


layer = torch.nn.Linear(512, 512)
layer.register_forward_hook(note)
fully_shard(layer, mesh=mesh, offload_policy=CPUOffloadPolicy())
optimizer = torch.optim.AdamW(layer.parameters())
layer(torch.ones(8, 512, device="cuda")).sum().backward()
optimizer.step()

weight = layer.weight
moment = optimizer.state[weight]["exp_avg"]
for tensor in (weight, weight.grad, moment):
    print(tensor.to_local().device.type)
    assert tensor.to_local().device.type == "cpu"

dist.destroy_process_group()
