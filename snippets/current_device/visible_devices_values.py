"""Which numbers PyTorch reads out of CUDA_VISIBLE_DEVICES.

PyTorch 从 CUDA_VISIBLE_DEVICES 里读出哪些编号。
"""
# leaves: environment

import os

import torch

values = ["1,0", "1, 0", "2,-1,0", "1,1", "0 1", '"0,1"', "cuda:1", "all"]

for value in values:
    os.environ["CUDA_VISIBLE_DEVICES"] = value
    # zh: 内部函数，device_count() 靠它读变量；这里只用来看结果。
    # en: Internal: device_count() reads the variable with it.
    print(value, "->", torch.cuda._parse_visible_devices())
    #> 1,0 -> [1, 0]
    #> 1, 0 -> [1, 0]
    #> 2,-1,0 -> [2]
    #> 1,1 -> []
    #> 0 1 -> [0]
    #> "0,1" -> []
    #> cuda:1 -> []
    #> all -> []
