"""One code with and without a GPU: `torch.cuda.stream(None)` does nothing.

有没有 GPU 都能跑的写法：`torch.cuda.stream(None)` 什么也不做。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
side = torch.cuda.Stream() if device.type == "cuda" else None

with torch.cuda.stream(side):
    y = torch.full((3,), 2.0, device=device)
if side is not None:
    torch.cuda.current_stream().wait_stream(side)
print(y.tolist())
#> [2.0, 2.0, 2.0]

# zh: 没有 GPU，就建不了 CUDA 流。
# en: Without a GPU there is no CUDA stream to make.
if device.type == "cpu":
    try:
        torch.cuda.Stream()
    except RuntimeError:
        print("no stream without a GPU")
        #> no stream without a GPU
