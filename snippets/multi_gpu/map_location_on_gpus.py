"""Where a checkpoint from `cuda:1` goes when there are two GPUs.

有两块 GPU 时，`cuda:1` 上存的检查点加载到哪里。
"""
# needs: cuda:2

import io

import torch

file = io.BytesIO()
torch.save(torch.ones(2, device="cuda:1"), file)


def load(map_location=None):
    file.seek(0)
    return torch.load(file, map_location=map_location).device


print("not given ->", load())
#> not given -> cuda:1
for form in ("cpu", "cuda:0", {"cuda:1": "cuda:0"}):
    print(form, "->", load(form))
    #> cpu -> cpu
    #> cuda:0 -> cuda:0
    #> {'cuda:1': 'cuda:0'} -> cuda:0

# zh: 不带编号的 cuda 是当前设备。
# en: A bare cuda is the current device.
for current in range(2):
    with torch.cuda.device(current):
        print("cuda, current device", current, "->", load("cuda"))
        #> cuda, current device 0 -> cuda:0
        #> cuda, current device 1 -> cuda:1
