"""Is NCCL in this build? Without it, or without a GPU, take gloo.

这个 PyTorch 里有没有 NCCL？没有 NCCL 或没有 GPU，就用 gloo。
"""

import torch
import torch.distributed as dist

print("NCCL:", dist.is_nccl_available())
#> NCCL: False
print("gloo:", dist.is_gloo_available())
#> gloo: True

one = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
try:
    dist.init_process_group("nccl", **one)
except (RuntimeError, ValueError) as error:
    print(type(error).__name__, error)
    #> RuntimeError Distributed package doesn't have NCCL built in
else:
    dist.destroy_process_group()

has_gpu = dist.is_nccl_available() and torch.cuda.is_available()
dist.init_process_group("nccl" if has_gpu else "gloo", **one)
print("taken:", dist.get_backend())
#> taken: gloo
dist.destroy_process_group()
