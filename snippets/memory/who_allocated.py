"""With the history on, every block knows the lines that allocated it.

打开历史记录之后，每一块都知道是哪几行代码分配的。
"""
# needs: cuda
# simulated: no

import torch

memory = torch.cuda.memory


def make_batch():
    return torch.empty(1000, device="cuda")


memory._record_memory_history(max_entries=1000, stacks="python")
batch = make_batch()
segments = memory._snapshot()["segments"]
memory._record_memory_history(enabled=None)

blocks = [block for segment in segments for block in segment["blocks"]]
(used,) = [b for b in blocks if b["state"] == "active_allocated"]
# zh: 调用栈从最里面的函数开始往外列，最外面的不必看。
# en: The call stack begins with the innermost function and goes outwards.
names = [frame["name"] for frame in used["frames"]]
print(used["requested_size"], names[:2])
assert used["requested_size"] == batch.nbytes
assert names[:2] == ["make_batch", "<module>"]
