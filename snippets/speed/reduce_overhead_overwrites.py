"""With `reduce-overhead`, the next call overwrites the output, soon in silence.

用 `reduce-overhead` 时，下一次调用会覆盖输出，很快就不再报错。
"""
# needs: cuda, sm_70, triton
# simulated: no

import torch


def double(x):
    return x * 2


fast = torch.compile(double, mode="reduce-overhead")
x = torch.ones(3, device="cuda")

# zh: 头一次调用只是预热，这时 PyTorch 还会提醒。
# en: The first call only warms up, and PyTorch still notices.
early = fast(x)
fast(x + 1)
try:
    print(early.tolist())
except RuntimeError as error:
    print(str(error).split(". ")[0])
else:
    raise AssertionError("the output of the first call can still be read")

# zh: 图录好之后，每次调用只是重放它。
# en: Once the graph is recorded, a call only replays it.
fast(x)
late = fast(x)
copy = fast(x).clone()
fast(x + 1)
print(late.tolist(), copy.tolist())
assert late.tolist() == [4, 4, 4]
assert copy.tolist() == [2, 2, 2]
