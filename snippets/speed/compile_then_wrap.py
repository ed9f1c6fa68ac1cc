"""With several GPUs: compile the model first, then wrap it in DDP.

多卡训练：先编译模型，再套 DDP。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()

graphs = []


def count(graph, inputs):
    graphs.append(graph)
    return graph.forward


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1, bias=False)

    def forward(self, x):
        return self.layer(x).relu()


torch.manual_seed(0)
net = Net().to(device)
net.compile(backend=count)
model = DistributedDataParallel(net)
model(torch.full((4, 2), rank + 1.0, device=device)).sum().backward()

gradients = [torch.empty_like(net.layer.weight) for _ in range(2)]
dist.all_gather(gradients, net.layer.weight.grad)
if rank == 0:
    print("graphs:", len(graphs), "names:", list(model.state_dict()))
    #> graphs: 1 names: ['module.layer.weight']
    print("gradients averaged:", torch.equal(*gradients))
    #> gradients averaged: True

dist.destroy_process_group()
