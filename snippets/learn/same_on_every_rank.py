"""After two steps on different samples, every rank has the same weights.

两步之后，虽然样本不同，每个 rank 的权重仍然一样。
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

# zh: 每个进程的种子不同，所以初始权重和样本都不同。
# en: Another seed in each process: other first weights, other samples.
torch.manual_seed(rank)
net = nn.Linear(4, 1).to(device)
before = net.weight.detach().clone()
model = DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    loss = model(torch.randn(8, 4, device=device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

for name, weight in (("before", before), ("after", net.weight.detach())):
    both = [torch.empty_like(weight) for _ in range(dist.get_world_size())]
    dist.all_gather(both, weight)
    if rank == 0:
        print(name, torch.equal(both[0], both[1]))
        #> before False
        #> after True

dist.destroy_process_group()
