import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()

torch.manual_seed(0)
model = DistributedDataParallel(nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()

if rank == 0:
    torch.save(model.state_dict(), "model.pt")
dist.barrier()

single = nn.Linear(4, 1)
single.load_state_dict(torch.load("model.pt"))
print(f"rank {rank} has loaded {len(single.state_dict())} tensors")

dist.destroy_process_group()
