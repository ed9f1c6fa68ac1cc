import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
rank, world_size = dist.get_rank(), dist.get_world_size()

data = TensorDataset(torch.arange(16))
sampler = DistributedSampler(data, shuffle=False)
loader = DataLoader(data, batch_size=4, sampler=sampler)

seen = [int(number) for (batch,) in loader for number in batch]
print(f"rank {rank} of {world_size} sees {seen}")

dist.destroy_process_group()
