"""Bytes belong to a storage; views share it, and clone() makes another.

字节属于存储（storage）：视图共用一份，clone() 另建一份。
"""

import torch

x = torch.zeros(1000, 1000)
row = x[0]
copy = row.clone()


def storage(tensor):
    return tensor.untyped_storage()


print(x.nbytes, storage(x).nbytes())
#> 4000000 4000000
print(row.nbytes, storage(row).nbytes())
#> 4000 4000000
print(copy.nbytes, storage(copy).nbytes())
#> 4000 4000
print(storage(row).data_ptr() == storage(x).data_ptr())
#> True

# zh: 只剩一行还在用，整份存储也都留着。
# en: With only a row still in use, the whole storage stays.
del x
print(storage(row).nbytes())
#> 4000000
