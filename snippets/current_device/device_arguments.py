"""What `torch.cuda.device` accepts: a number, a string, a torch.device.

`torch.cuda.device` 接受什么：编号、字符串、torch.device。
"""
# needs: cuda:2

import torch

torch.cuda.set_device(1)

# zh: 不带编号和 -1：什么也不改。
# en: No number, or -1: nothing changes.
for device in (0, "cuda:0", torch.device("cuda:0"), "cuda", -1):
    with torch.cuda.device(device):
        print(repr(device), "->", torch.cuda.current_device())
        #> 0 -> 0
        #> 'cuda:0' -> 0
        #> device(type='cuda', index=0) -> 0
        #> 'cuda' -> 1
        #> -1 -> 1

try:
    torch.cuda.device("cpu")
except ValueError as error:
    print(type(error).__name__)
    #> ValueError
