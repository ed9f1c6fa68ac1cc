"""What DataLoader makes of rows: tensors on the CPU, strings stay strings.

DataLoader 拼出来的 batch：张量在 CPU 上，字符串还是字符串。
"""

import torch
from torch.utils.data import DataLoader

rows = [
    {"x": torch.ones(3), "number": 7, "score": 0.5, "file": "cat.jpg"},
    {"x": torch.ones(3), "number": 8, "score": 1.5, "file": "dog.jpg"},
]

batch = next(iter(DataLoader(rows, batch_size=2)))

print(batch["x"].device, tuple(batch["x"].shape))
#> cpu (2, 3)
print(batch["number"])
#> tensor([7, 8])
print(batch["score"])
#> tensor([0.5000, 1.5000], dtype=torch.float64)
print(batch["file"])
#> ['cat.jpg', 'dog.jpg']
