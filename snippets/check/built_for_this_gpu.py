"""Was this build of PyTorch compiled for this GPU?

这个 PyTorch 有没有为这块 GPU 编译？
"""
# needs: cuda
# simulated: no

import re

import torch

gpu = torch.cuda.get_device_capability()
built_for = torch.cuda.get_arch_list()


def runs(arch: str) -> bool:
    kind, number, suffix = re.match(r"(sm|compute)_(\d+)(\w?)", arch).groups()
    code = divmod(int(number), 10)
    # zh: Jetson Orin（8.7）在 CUDA 13.2 之前只运行为它自己编译的代码。
    # en: Before CUDA 13.2 a Jetson Orin (8.7) runs no code but its own.
    cuda = tuple(map(int, torch.version.cuda.split(".")))
    if code >= gpu or suffix == "a" or (gpu == (8, 7) and cuda < (13, 2)):
        return code == gpu
    # zh: sm_XY 能在同一主版本、次版本更大的 GPU 上运行，compute_XY（PTX）
    #   还能在更新的 GPU 上运行。
    # en: sm_XY runs on GPUs of its major version with a larger minor one;
    #   compute_XY (PTX) runs on newer GPUs, too.
    return code[0] == gpu[0] or (kind == "compute" and not suffix)


print(f"this GPU: sm_{gpu[0]}{gpu[1]}")
print("built for:", ", ".join(built_for))
print("runs here:", ", ".join(filter(runs, built_for)) or "none")
print(any(map(runs, built_for)))
