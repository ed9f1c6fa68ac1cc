"""Training with DDP: one process per GPU, each with its share of the data.

用 DDP 训练：每块 GPU 一个进程，各算自己的那份数据。
"""
# needs: torchrun:2
# leaves: files

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

torch.manual_seed(0)
x = torch.rand(64, 4)
data = TensorDataset(x, x.sum(1, keepdim=True))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=8, sampler=sampler)

model = DistributedDataParallel(nn.Linear(4, 1).to(device))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for epoch in range(3):
    sampler.set_epoch(epoch)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.all_reduce(loss, op=dist.ReduceOp.AVG)
    if dist.get_rank() == 0:
        print(f"epoch {epoch}, {len(loader)} steps, loss {loss.item():.3f}")
        #> epoch 0, 4 steps, loss 0.469
        #> epoch 1, 4 steps, loss 0.096
        #> epoch 2, 4 steps, loss 0.092

if dist.get_rank() == 0:
    torch.save(model.module.state_dict(), "model.pt")
    print("saved", sorted(torch.load("model.pt")))
    #> saved ['bias', 'weight']

dist.destroy_process_group()
