"""Set the device where a pool's thread starts, or pass it as an argument.

线程池里，在线程开头设好当前设备，或者把设备当参数传进去。
"""
# needs: cuda:2

from concurrent.futures import ThreadPoolExecutor

import torch


def work(device):
    return torch.ones(2, device=device)


with ThreadPoolExecutor(1) as pool:
    print(pool.submit(work, "cuda").result())
    #> tensor([1., 1.], device='cuda:0')
    print(pool.submit(work, "cuda:1").result())
    #> tensor([1., 1.], device='cuda:1')

start = {"initializer": torch.cuda.set_device, "initargs": (1,)}
with ThreadPoolExecutor(1, **start) as pool:
    print(pool.submit(work, "cuda").result())
    #> tensor([1., 1.], device='cuda:1')

# zh: 主线程的当前设备没有变。
# en: The current device of the main thread has not changed.
print(torch.cuda.current_device())
#> 0
