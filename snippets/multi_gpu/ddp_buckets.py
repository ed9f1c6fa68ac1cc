"""DDP keeps the gradients a second time, in the buckets it communicates.

DDP 把梯度多存一份：通信用的桶（bucket）。
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

# zh: 一个进程的组就够看到它。
# en: A group of one process is enough to see it.
alone = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
dist.init_process_group("gloo", **alone)


def bytes_per_parameter(**options):
    model = nn.Sequential(nn.Linear(256, 256), nn.Linear(256, 256))
    ddp = DistributedDataParallel(model, **options)
    optimizer = torch.optim.AdamW(ddp.parameters())
    buckets = []

    def note(_, bucket):
        buckets.append(bucket.buffer())
        return default_hooks.allreduce_hook(None, bucket)

    ddp.register_comm_hook(None, note)
    for _ in range(2):
        buckets.clear()
        ddp(torch.ones(1, 256)).sum().backward()
        optimizer.step()

    kept = list(buckets)
    for p in model.parameters():
        state = optimizer.state[p]
        kept += [p, p.grad, state["exp_avg"], state["exp_avg_sq"]]
    # zh: 共用的存储只算一次。
    # en: A storage that two tensors share counts once.
    storages = {x.untyped_storage().data_ptr(): x for x in kept}
    total = sum(x.untyped_storage().nbytes() for x in storages.values())
    return total / sum(p.numel() for p in model.parameters())


print("DDP:", bytes_per_parameter())
#> DDP: 20.0
print("as views:", bytes_per_parameter(gradient_as_bucket_view=True))
#> as views: 16.0
dist.destroy_process_group()
