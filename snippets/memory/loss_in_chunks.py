"""The loss in chunks: the logits are never there all at once.

把损失分段计算：logits 不会整个出现在内存里。
"""

import torch
from torch.nn.functional import cross_entropy
from torch.profiler import profile
from torch.utils.checkpoint import checkpoint

TOKENS, WIDTH, WORDS, PIECE = 2048, 64, 8192, 256
torch.manual_seed(0)
hidden = torch.randn(TOKENS, WIDTH, requires_grad=True)
head = torch.nn.Linear(WIDTH, WORDS, bias=False)
target = torch.randint(WORDS, (TOKENS,))


def whole():
    return cross_entropy(head(hidden), target)


def piece(hidden, target):
    return cross_entropy(head(hidden), target, reduction="sum")


def in_chunks():
    pieces = zip(hidden.split(PIECE), target.split(PIECE), strict=True)
    losses = [checkpoint(piece, *both, use_reentrant=False) for both in pieces]
    return torch.stack(losses).sum() / TOKENS


def peak_and_gradients(loss):
    with profile(profile_memory=True) as seen:
        value = loss()
        value.backward()
    gradients = [hidden.grad, head.weight.grad]
    hidden.grad = head.weight.grad = None
    # zh: 每一次分配和释放都是一个事件，按先后加起来，最大的和就是峰值。
    # en: Each allocation or release is an event. Their largest sum is the peak.
    events = seen.profiler.kineto_results.events()
    memory = [event for event in events if event.name() == "[memory]"]
    now = peak = 0
    for event in sorted(memory, key=lambda event: event.start_ns()):
        now += event.nbytes()
        peak = max(peak, now)
    return peak, [value.detach(), *gradients]


all_at_once, expected = peak_and_gradients(whole)
chunked, found = peak_and_gradients(in_chunks)
print("logits:", TOKENS * WORDS * 4 // 2**20, "MiB")
#> logits: 64 MiB
print("peak at once:", all_at_once // 2**20, "MiB")
#> peak at once: 192 MiB
print("peak in chunks:", chunked // 2**20, "MiB")
#> peak in chunks: 26 MiB
for a, b in zip(expected, found, strict=True):
    torch.testing.assert_close(a, b)
print("the same loss and gradients")
#> the same loss and gradients
