"""After a device-side assert the process cannot use the GPU any more.

出现设备端断言之后，这个进程就不能再用 GPU。
"""
# needs: cuda
# simulated: no

import torch

free, total = torch.cuda.mem_get_info()
print("memory to spare:", free > total / 10)


def attempt(name, work):
    try:
        work()
    except RuntimeError as error:
        print(name, type(error).__name__)
    else:
        print(name, "works")


scores = torch.zeros(2, 10, device="cuda")
labels = torch.tensor([3, 10], device="cuda")
loss = torch.nn.functional.cross_entropy

attempt("wrong label:   ", lambda: loss(scores, labels).item())
attempt("right label:   ", lambda: loss(scores, labels - 1).item())
attempt("another tensor:", lambda: torch.ones(2, device="cuda"))
attempt("on the CPU:    ", lambda: torch.ones(2).sum().item())
