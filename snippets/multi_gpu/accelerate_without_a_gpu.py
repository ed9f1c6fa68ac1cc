"""Without a GPU, `Accelerator()` below torchrun trains each process alone.

没有 GPU 时，torchrun 下的 `Accelerator()` 让每个进程各练各的。
"""
# needs: torchrun:2, accelerate

import torch.distributed as dist
from accelerate import Accelerator
from torch import nn

accelerator = Accelerator()
model = accelerator.prepare(nn.Linear(1, 1))
if dist.get_rank() == 0:
    print("processes of torchrun:", dist.get_world_size())
    #> processes of torchrun: 2
    print("processes of Accelerate:", accelerator.num_processes)
    #> processes of Accelerate: 1
    print("model wrapped in:", type(model).__name__)
    #> model wrapped in: Linear
    print("main process:", accelerator.is_main_process)
    #> main process: True
if dist.get_rank() == 1:
    print("rank 1, main process:", accelerator.is_main_process)
    #> rank 1, main process: True

accelerator.end_training()
