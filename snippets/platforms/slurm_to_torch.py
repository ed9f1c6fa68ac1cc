"""Start torch.distributed from the variables that srun sets for each task.

用 srun 给每个任务设好的环境变量启动 torch.distributed。
"""
# leaves: environment

import os

import torch
import torch.distributed as dist

# zh: srun 在每个任务里设好这三个。这里假装只有一个任务。
# en: srun sets these three in each task. Here we act as the only one.
os.environ |= {"SLURM_PROCID": "0", "SLURM_NTASKS": "1", "SLURM_LOCALID": "0"}

rank = int(os.environ["SLURM_PROCID"])
local_rank = int(os.environ["SLURM_LOCALID"])
# zh: 在有 GPU 的机器上，每个任务用编号等于 local_rank 的那一块。
# en: On a machine with GPUs, each task takes the one with its local rank.
device = torch.device("cuda", local_rank)
if torch.cuda.is_available():
    torch.cuda.set_device(device)
store = dist.TCPStore("127.0.0.1", 0, is_master=rank == 0)
dist.init_process_group(
    "gloo",
    store=store,
    rank=rank,
    world_size=int(os.environ["SLURM_NTASKS"]),
)

total = torch.tensor([float(rank + 1)])
dist.all_reduce(total)
print(dist.get_rank(), dist.get_world_size(), total.item())
#> 0 1 1.0
dist.destroy_process_group()
