"""A checkpoint from `cuda:1` without a GPU: each form of `map_location`.

没有 GPU，加载 `cuda:1` 上存的检查点：`map_location` 的每种写法。
"""

import io

import torch

# zh: 存的时候记上 cuda:1，和在那块 GPU 上存的文件一样。
# en: Saved with the tag cuda:1, as a file from that GPU would have it.
register = torch.serialization.register_package
register(0, lambda storage: "cuda:1", lambda storage, location: None)
file = io.BytesIO()
torch.save(torch.ones(2), file)


def load(map_location):
    file.seek(0)
    try:
        return torch.load(file, map_location=map_location).device
    except RuntimeError as error:
        return str(error).split(" but ")[0]


print(load(None))
#> Attempting to deserialize object on a CUDA device
for form in ("cpu", torch.device("cpu"), "meta"):
    print(repr(form), "->", load(form))
    #> 'cpu' -> cpu
    #> device(type='cpu') -> cpu
    #> 'meta' -> meta
print("lambda ->", load(lambda storage, location: storage))
#> lambda -> cpu

# zh: 字典只管写了的设备。
# en: A dict maps the devices that it names, no others.
for form in ({"cuda:1": "cpu"}, {"cuda:0": "cpu"}):
    print(form, "->", load(form))
    #> {'cuda:1': 'cpu'} -> cpu
    #> {'cuda:0': 'cpu'} -> Attempting to deserialize object on a CUDA device
