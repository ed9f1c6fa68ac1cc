"""GPipe and 1F1B: another order, the same gradients.

GPipe 和 1F1B：顺序不同，梯度相同。
"""
# needs: torchrun:2

import copy
import os

import torch
import torch.distributed as dist
from torch.distributed import pipelining
from torch.nn.functional import mse_loss

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
layers = [torch.nn.Linear(4, 4).to(device) for _ in range(2)]
x, y = torch.randn(8, 4).to(device), torch.randn(8, 4).to(device)
mse_loss(layers[1](layers[0](x)), y).backward()

order = []
for kind in (pipelining.ScheduleGPipe, pipelining.Schedule1F1B):
    mine = copy.deepcopy(layers[rank])
    mine.register_forward_pre_hook(lambda *_: order.append("F"))
    mine.register_full_backward_pre_hook(lambda *_: order.append("B"))
    stage = pipelining.PipelineStage(mine, rank, 2, device)
    schedule = kind(stage, n_microbatches=4, loss_fn=mse_loss)
    # zh: 第一步要多跑一遍来推断形状，所以看第二步。
    # en: The first step runs once more to infer shapes: take the second.
    for _ in range(2):
        order.clear()
        mine.zero_grad()
        schedule.step(x) if rank == 0 else schedule.step(target=y)
    print(kind.__name__, rank, "".join(order))
    #> ScheduleGPipe 0 FFFFBBBB
    #> Schedule1F1B 0 FFBFBFBB
    #> ScheduleGPipe 1 FFFFBBBB
    #> Schedule1F1B 1 FBFBFBFB
    for p, q in zip(mine.parameters(), layers[rank].parameters(), strict=True):
        torch.testing.assert_close(p.grad, q.grad, rtol=0, atol=1e-6)

dist.destroy_process_group()
