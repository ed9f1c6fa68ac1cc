"""Each worker draws numbers of its own; a generator repeats them.

每个工作进程各有随机数；给定 generator 就能重现。
"""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Draws(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        numbers = [random.random(), np.random.rand(), torch.rand(1).item()]
        return torch.tensor(numbers)


def draw(seed):
    generator = torch.Generator().manual_seed(seed)
    loader = DataLoader(Draws(), num_workers=2, generator=generator)
    return torch.cat(list(loader))


if __name__ == "__main__":
    one, two = draw(0)
    print("random, NumPy, torch equal:", (one == two).tolist())
    #> random, NumPy, torch equal: [False, False, False]
    print("repeated:", torch.equal(draw(0), draw(0)))
    #> repeated: True
    print("another seed:", torch.equal(draw(0), draw(1)))
    #> another seed: False
