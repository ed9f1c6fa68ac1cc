"""What may not be mixed: stack and cat, and a GPU index into a CPU tensor.

不能混用的：stack、cat，还有用 GPU 上的下标取 CPU 上的张量。
"""
# needs: cuda

import torch

on_gpu = torch.tensor([10.0, 20.0], device="cuda")
on_cpu = torch.tensor([10.0, 20.0])
zero_dim = torch.tensor(1.0)
index = torch.tensor([1], device="cuda")

calls = {
    "stack": lambda: torch.stack([on_gpu[0], zero_dim]),
    "cat": lambda: torch.cat([on_gpu, on_cpu[:1]]),
    "CPU + zero-dim GPU": lambda: on_cpu + zero_dim.to("cuda"),
    "CPU[GPU index]": lambda: on_cpu[index],
}
for name, call in calls.items():
    try:
        call()
    except RuntimeError as error:
        reason = str(error).split(",")[0].split(" or ")[0]
        print(f"{name}: {reason}")
        #> stack: Expected all tensors to be on the same device
        #> cat: Expected all tensors to be on the same device
        #> CPU + zero-dim GPU: Expected all tensors to be on the same device
        #> CPU[GPU index]: indices should be either on cpu

# zh: 先移到同一个设备上，就可以了。
# en: Moved to one device first, each of them works.
print(torch.stack([on_gpu[0], zero_dim.to("cuda")]).device)
#> cuda:0
print(on_cpu[index.cpu()])
#> tensor([20.])
