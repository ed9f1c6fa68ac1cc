"""Whether expandable segments are in use: every segment says so.

可扩展段到底有没有生效：看每个段自己怎么说。
"""
# needs: cuda, no-wddm, linux
# simulated: no

import os

os.environ.pop("PYTORCH_CUDA_ALLOC_CONF", None)
os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"

import torch

x = torch.empty(64 * 2**20, dtype=torch.uint8, device="cuda")
segments = torch.cuda.memory_snapshot()
assert segments and all(s["is_expandable"] for s in segments)

print(torch.cuda.get_allocator_backend())
print([s["is_expandable"] for s in segments], x.nbytes // 2**20, "MiB")
