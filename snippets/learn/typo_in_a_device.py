"""Which strings are devices: the type is checked at once.

哪些字符串是设备：类型写错，马上报错。
"""

import torch

for text in ("cpu", "cuda:1", "CUDA", "gpu"):
    try:
        print(text, "->", torch.device(text))
        #> cpu -> cpu
        #> cuda:1 -> cuda:1
    except RuntimeError:
        print(text, "-> no such type of device")
        #> CUDA -> no such type of device
        #> gpu -> no such type of device
