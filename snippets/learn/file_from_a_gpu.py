"""A file that was saved on a GPU, loaded on a machine without one.

在 GPU 上保存的文件，拿到没有 GPU 的机器上加载。
"""

import io

import torch

# zh: 保存时记上 cuda:1，和在那块 GPU 上保存的文件一样。
# en: Saved with the tag cuda:1, as a file from that GPU would have it.
register = torch.serialization.register_package
register(0, lambda storage: "cuda:1", lambda storage, location: None)
file = io.BytesIO()
torch.save({"weight": torch.ones(2)}, file)

for device in (None, "cpu"):
    file.seek(0)
    try:
        state = torch.load(file, map_location=device)
        print(device, "->", state["weight"].device)
        #> cpu -> cpu
    except RuntimeError as error:
        print(device, "->", str(error).split(" but ")[0])
        #> None -> Attempting to deserialize object on a CUDA device
