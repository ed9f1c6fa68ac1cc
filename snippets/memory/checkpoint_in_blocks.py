"""One checkpointed block saves nothing: its activations come back all at once.

只包成一段等于没有省：反向传播时这一段的激活值会一起回来。
"""

import torch
from torch.nn import Linear, ReLU, Sequential
from torch.profiler import profile
from torch.utils.checkpoint import checkpoint_sequential

torch.manual_seed(0)
model = Sequential(*(Sequential(Linear(256, 256), ReLU()) for _ in range(16)))
x = torch.randn(2048, 256, requires_grad=True)


def peak(forward):
    model.zero_grad()
    with profile(profile_memory=True) as seen:
        forward(x).sum().backward()
    # zh: 每一次分配和释放都是一个事件，按先后加起来，最大的和就是峰值。
    # en: Each allocation or release is an event. Their largest sum is the peak.
    events = seen.profiler.kineto_results.events()
    memory = [event for event in events if event.name() == "[memory]"]
    now = highest = 0
    for event in sorted(memory, key=lambda event: event.start_ns()):
        now += event.nbytes()
        highest = max(highest, now)
    return highest // 2**20


def in_blocks(count):
    return lambda x: checkpoint_sequential(model, count, x, use_reentrant=False)


print("without checkpointing:", peak(model), "MiB")
#> without checkpointing: 34 MiB
print("one block:", peak(in_blocks(1)), "MiB")
#> one block: 34 MiB
print("four blocks:", peak(in_blocks(4)), "MiB")
#> four blocks: 17 MiB
