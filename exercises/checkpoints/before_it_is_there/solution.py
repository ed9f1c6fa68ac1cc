import time

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank = dist.get_rank()


def evaluate(model):
    time.sleep(0.4)
    return model(torch.ones(1, 4)).item()


torch.manual_seed(rank)
model = nn.Linear(4, 1)

if rank == 0:
    score = evaluate(model)
    torch.save({"model": model.state_dict(), "score": score}, "best.pt")

dist.barrier()
best = torch.load("best.pt")
model.load_state_dict(best["model"])
print(f"rank {rank} continues with {model.weight.tolist()}")

dist.destroy_process_group()
