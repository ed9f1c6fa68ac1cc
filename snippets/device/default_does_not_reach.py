"""What a default device does not reach: all but the first stay on the CPU.

默认设备管不到的：下面除了第一个都留在 CPU 上。
"""

import io

import numpy
import torch

old = torch.ones(2)
file = io.BytesIO()
torch.save(old, file)
file.seek(0)

with torch.device("meta"):
    made = {
        "torch.ones": torch.ones(2),
        "from_numpy": torch.from_numpy(numpy.ones(2)),
        "frombuffer": torch.frombuffer(bytearray(8), dtype=torch.int8),
        "torch.Tensor(2)": torch.Tensor(2),
        "torch.normal": torch.normal(0.0, 1.0, (2,)),
        "ones_like of a CPU tensor": torch.ones_like(old),
        "new_ones of a CPU tensor": old.new_ones(2),
        "a CPU tensor times 2": old * 2,
        "torch.load": torch.load(file),
        "torch.Generator": torch.Generator(),
    }

for name, x in made.items():
    print(f"{x.device}: {name}")
    #> meta: torch.ones
    #> cpu: from_numpy
    #> cpu: frombuffer
    #> cpu: torch.Tensor(2)
    #> cpu: torch.normal
    #> cpu: ones_like of a CPU tensor
    #> cpu: new_ones of a CPU tensor
    #> cpu: a CPU tensor times 2
    #> cpu: torch.load
    #> cpu: torch.Generator
