"""Deterministic algorithms: an operation that has none raises.

确定性算法：没有确定性实现的算子会报错。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(3, device=device)
index = torch.tensor([0, 0], device=device)
values = torch.tensor([1.0, 2.0], device=device)

x.put_(index, values)
print("before: fine")
#> before: fine

torch.use_deterministic_algorithms(True)
try:
    x.put_(index, values)
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> put_ does not have a deterministic implementation

# zh: 这一个有，写同一处的结果每次都一样。
# en: This one has: writing to one place gives the same every time.
x.zero_()
x.index_put_((index,), values)
print(x[0].item())
#> 2.0

# zh: 没有初始化的内存也填上 NaN，不让它碰巧对。
# en: Uninitialised memory is filled with NaN, so that nothing works by luck.
print(torch.empty(2).tolist())
#> [nan, nan]
