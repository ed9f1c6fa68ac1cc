"""A parameter that the loss does not use stops DDP in the second step.

有参数没参与 loss，DDP 到第二步就报错。
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

# zh: 一个进程的组就够看到它。
# en: A group of one process is enough to see it.
alone = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
dist.init_process_group("gloo", **alone)


class FirstLayerOnly(nn.Sequential):
    def forward(self, x):
        return self[0](x)


def new():
    return FirstLayerOnly(nn.Linear(2, 2), nn.Linear(2, 2))


def two_steps(model, **options):
    ddp = DistributedDataParallel(model, **options)
    for _ in range(2):
        ddp(torch.ones(1, 2)).sum().backward()
    return [name for name, p in model.named_parameters() if p.grad is None]


# zh: 等于启动前设置 TORCH_DISTRIBUTED_DEBUG=INFO：报错里会有参数的名字。
# en: As TORCH_DISTRIBUTED_DEBUG=INFO before the start: the error then names
#   the parameters.
dist.set_debug_level(dist.DebugLevel.INFO)
try:
    two_steps(new())
except RuntimeError as error:
    print(str(error).split(" before")[0])
    #> Expected to have finished reduction in the prior iteration
    names = str(error).split("rank 0: ")[1].splitlines()[0]
    print("without a gradient:", sorted(names.split(", ")))
    #> without a gradient: ['1.bias', '1.weight']

print(two_steps(new(), find_unused_parameters=True))
#> ['1.weight', '1.bias']
print(two_steps(new(), static_graph=True))
#> ['1.weight', '1.bias']

model = new()
model[1].requires_grad_(False)
print(two_steps(model))
#> ['1.weight', '1.bias']
dist.destroy_process_group()
