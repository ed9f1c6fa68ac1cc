"""Shapes that differ: no error, wrong numbers. DETAIL finds them.

形状不一样：不报错，数却错了。`DETAIL` 查得出来。
"""
# needs: torchrun:2

import os
import re

import torch
import torch.distributed as dist

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()

# zh: 元素个数相同，形状不同；数按内存里的顺序相加。
# en: As many numbers in another shape; they are added as they lie in memory.
x = torch.arange(6.0, device=device).reshape((2, 3) if rank == 0 else (3, 2))
y = x.clone()
dist.all_reduce(y)
print("rank", rank, y.tolist())
#> rank 0 [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]
#> rank 1 [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]

# zh: 等于启动前设置 TORCH_DISTRIBUTED_DEBUG=DETAIL；对之后建的组起作用。
# en: As TORCH_DISTRIBUTED_DEBUG=DETAIL before the start; for groups made later.
dist.set_debug_level(dist.DebugLevel.DETAIL)
checked = dist.new_group()
try:
    dist.all_reduce(x, group=checked)
except RuntimeError as error:
    print("rank", rank, str(error).split(".")[0])
    #> rank 0 Detected mismatch between collectives on ranks
    #> rank 1 Detected mismatch between collectives on ranks
    shapes = re.findall(r"TensorShape=(\[.*?\])", str(error))
    print("rank", rank, "has", shapes[0], "the other", shapes[1])
    #> rank 0 has [2, 3] the other [3, 2]
    #> rank 1 has [3, 2] the other [2, 3]

dist.destroy_process_group()
