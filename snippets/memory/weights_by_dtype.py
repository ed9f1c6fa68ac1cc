"""Weights for inference: what a dtype saves, and what `.to()` leaves alone.

推理时的权重：换一种类型能省多少，`.to()` 又不会动什么。
"""

import torch

with torch.device("meta"):
    model = torch.nn.Sequential(
        torch.nn.Embedding(32_000, 4096),
        torch.nn.Linear(4096, 11_008),
        torch.nn.BatchNorm1d(11_008),
        torch.nn.Linear(11_008, 4096),
    )


def gib(model):
    tensors = [*model.parameters(), *model.buffers()]
    return sum(x.nbytes for x in tensors) / 2**30


print(f"float32:  {gib(model):.3f} GiB")
#> float32:  0.824 GiB
model.to(torch.bfloat16)
print(f"bfloat16: {gib(model):.3f} GiB")
#> bfloat16: 0.412 GiB

# zh: 整数的缓冲区保持原来的类型。
# en: A buffer of integers keeps its dtype.
print(model[2].num_batches_tracked.dtype)
#> torch.int64
