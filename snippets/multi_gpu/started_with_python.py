"""Started with plain python, nobody has set RANK: use a group of one.

直接用 python 启动，没有人设 RANK：就用一个进程的组。
"""

import os

import torch
import torch.distributed as dist

try:
    os.environ["LOCAL_RANK"]
except KeyError as error:
    print(repr(error))
    #> KeyError('LOCAL_RANK')

try:
    dist.init_process_group("gloo")
except ValueError as error:
    print(str(error).split(": ")[1])
    #> environment variable RANK expected, but not set

# zh: 有 torchrun，就用它设的变量；没有，就自己成一组。
# en: With torchrun its variables are used; without it, a group of one.
alone = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
dist.init_process_group("gloo", **({} if "RANK" in os.environ else alone))
x = torch.ones(2) * 3
dist.all_reduce(x)
print(dist.get_rank(), dist.get_world_size(), x.tolist())
#> 0 1 [3.0, 3.0]
dist.destroy_process_group()
