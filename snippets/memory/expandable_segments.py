"""An expandable segment: order does not matter, live tensors do.

可扩展段：先后不要紧，还活着的张量才要紧。
"""
# needs: cuda, no-wddm, linux
# simulated: no

import os

os.environ.pop("PYTORCH_CUDA_ALLOC_CONF", None)
os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"

import torch

MIB = 2**20


def empty(size):
    return torch.empty(size * MIB, dtype=torch.uint8, device="cuda")


def reserved():
    return torch.cuda.memory_reserved() // MIB


# zh: 小的先来，全部放掉，大的再来：还是 320 MiB。
# en: Small ones, all freed, then large ones: still 320 MiB.
small = [empty(40) for _ in range(8)]
del small
large = [empty(80) for _ in range(4)]
print("all freed: ", reserved())
assert reserved() == 320

# zh: 隔一个留一个：空着的有 160 MiB，却没有连着的 80 MiB。
# en: Every other one lives: 160 MiB are free, but no 80 MiB in one piece.
del large
small = [empty(40) for _ in range(8)]
address = small[1].data_ptr()
del small[::2]
one = empty(80)
print("some live: ", reserved(), one.nbytes // MIB)
assert reserved() == 400 and small[0].data_ptr() == address

# zh: 小的申请、另一条流，各有自己的段。
# en: Small requests and another stream have segments of their own.
tiny = torch.empty(1, dtype=torch.uint8, device="cuda")
with torch.cuda.stream(torch.cuda.Stream()):
    other = empty(40)
segments = {
    (s["stream"], s["segment_type"]) for s in torch.cuda.memory_snapshot()
}
print("segments:  ", len(segments), tiny.nbytes, other.nbytes // MIB)
assert len(segments) == 3
