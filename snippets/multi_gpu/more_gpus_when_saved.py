"""Saved on a GPU with a higher index than any here: `map_location` again.

存的时候 GPU 编号更大，这里没有：还是用 `map_location`。
"""
# needs: cuda

import io

import torch

there = f"cuda:{torch.cuda.device_count()}"
register = torch.serialization.register_package
register(0, lambda storage: there, lambda storage, location: None)
file = io.BytesIO()
torch.save(torch.ones(2), file)

file.seek(0)
try:
    torch.load(file)
except RuntimeError as error:
    words = str(error).split()
    print(*words[:7], "…", *words[9:11])
    #> Attempting to deserialize object on CUDA device … torch.cuda.device_count() is

file.seek(0)
print(torch.load(file, map_location={there: "cuda:0"}).device)
#> cuda:0
