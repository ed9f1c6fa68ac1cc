"""With both names set, the old one wins: set only one of them.

新旧两个名字都设了，旧的生效：只设一个。
"""
# needs: torch>=2.12
# leaves: environment

import os

import torch

os.environ["PYTORCH_ALLOC_CONF"] = "max_split_size_mb:128"
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:64"

print(torch._C._accelerator_getAllocatorSettings())
#> max_split_size_mb:64
