"""`set_device` lasts after the function that called it; `with` puts it back.

`set_device` 在函数返回后仍然有效，`with` 会恢复原样。
"""
# needs: cuda:2

import torch


def work_with_set_device():
    torch.cuda.set_device(1)
    return torch.cuda.current_device()


def work_in_context():
    with torch.cuda.device(1):
        return torch.cuda.current_device()


print(work_in_context())
#> 1
print(torch.cuda.current_device())
#> 0

print(work_with_set_device())
#> 1
print(torch.cuda.current_device())
#> 1
