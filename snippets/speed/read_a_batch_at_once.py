"""`__getitems__` reads a whole batch in one call.

`__getitems__` 一次读一整个 batch。
"""

import torch
from torch.utils.data import DataLoader, Dataset

table = torch.arange(8)
calls = []


class OneByOne(Dataset):
    def __len__(self):
        return len(table)

    def __getitem__(self, index):
        calls.append(index)
        return table[index]


class ManyAtOnce(OneByOne):
    def __getitems__(self, indices):
        calls.append(indices)
        return table[indices]


for kind, collate in ((OneByOne, None), (ManyAtOnce, lambda batch: batch)):
    calls.clear()
    loader = DataLoader(kind(), batch_size=4, collate_fn=collate)
    print([batch.tolist() for batch in loader], len(calls), "calls")
    #> [[0, 1, 2, 3], [4, 5, 6, 7]] 8 calls
    #> [[0, 1, 2, 3], [4, 5, 6, 7]] 2 calls
