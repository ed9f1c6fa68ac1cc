"""The setting is read at the first use, not at `import torch`.

设置在第一次用到时才读，不是在 `import torch` 时。
"""
# needs: torch>=2.12
# leaves: environment

import os

import torch

settings = torch._C._accelerator_getAllocatorSettings

os.environ["PYTORCH_ALLOC_CONF"] = "max_split_size_mb:128"
print(settings())
#> max_split_size_mb:128

os.environ["PYTORCH_ALLOC_CONF"] = "max_split_size_mb:256"
print(settings())
#> max_split_size_mb:128
