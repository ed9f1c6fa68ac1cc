"""What is in a checkpoint? Load it to `meta`: no memory for the tensors.

检查点里有什么？加载到 `meta` 上看，不占张量的内存。
"""

import io

import torch

file = io.BytesIO()
torch.save(torch.nn.Linear(3, 2).half().state_dict(), file)
file.seek(0)

checkpoint = torch.load(file, map_location="meta")
for name, x in checkpoint.items():
    print(name, tuple(x.shape), x.dtype, x.device)
    #> weight (2, 3) torch.float16 meta
    #> bias (2,) torch.float16 meta
