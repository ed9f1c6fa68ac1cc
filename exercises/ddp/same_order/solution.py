import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
rank = dist.get_rank()

data = TensorDataset(torch.arange(16))
sampler = DistributedSampler(data, shuffle=True, seed=0)
loader = DataLoader(data, batch_size=4, sampler=sampler)

epochs = []
for epoch in range(3):
    sampler.set_epoch(epoch)
    epochs.append([int(number) for (batch,) in loader for number in batch])
    print(f"rank {rank}, epoch {epoch}: {epochs[-1]}")

dist.destroy_process_group()
