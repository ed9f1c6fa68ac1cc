"""What torchrun tells each process: who it is, and how many there are.

torchrun 告诉每个进程的：自己是几号，一共有几个。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"):
    print(name, os.environ[name])
    #> RANK 0
    #> WORLD_SIZE 2
    #> LOCAL_RANK 0
    #> LOCAL_WORLD_SIZE 2
    #> RANK 1
    #> WORLD_SIZE 2
    #> LOCAL_RANK 1
    #> LOCAL_WORLD_SIZE 2
print("GROUP_RANK", os.environ["GROUP_RANK"])
#> GROUP_RANK 0
#> GROUP_RANK 0

# zh: init_process_group 读的就是前两个，还有 MASTER_ADDR 和 MASTER_PORT。
# en: init_process_group reads the first two, MASTER_ADDR and MASTER_PORT.
print("group", dist.get_rank(), "of", dist.get_world_size())
#> group 0 of 2
#> group 1 of 2

# zh: 先结束的进程会让还在连接的另一个报错，所以互相等一下。
# en: A process that ends first breaks the other's connections while
#     they are made, so each waits for the other.
dist.barrier()
dist.destroy_process_group()
