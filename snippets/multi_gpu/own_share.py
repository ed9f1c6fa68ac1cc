"""Data that DistributedSampler does not divide: streams, and weighted samples.

DistributedSampler 不会切分的数据：流式数据和按权重抽取的样本。
"""

import torch
from torch.utils.data import (
    DataLoader,
    IterableDataset,
    Sampler,
    get_worker_info,
)


class Stream(IterableDataset):
    def __init__(self, rank, ranks):
        self.rank, self.ranks = rank, ranks

    def __iter__(self):
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        # zh: 所有 rank 的所有工作进程一起编号。
        # en: The workers of all ranks are numbered together.
        reader = self.rank * workers + number
        return iter(range(reader, 12, self.ranks * workers))


class WeightedShare(Sampler):
    def __init__(self, weights, total, rank, ranks):
        self.weights, self.total = weights, total
        self.rank, self.ranks, self.epoch = rank, ranks, 0

    def __iter__(self):
        # zh: 每个 rank 抽到的都一样，再各取自己那一份，各份一样长。
        # en: Every rank draws the same, and takes its own share of it,
        #   which is as long as the others.
        order = torch.Generator().manual_seed(self.epoch)
        drawn = torch.multinomial(
            self.weights,
            len(self) * self.ranks,
            replacement=True,
            generator=order,
        )
        return iter(drawn[self.rank :: self.ranks].tolist())

    def __len__(self):
        return self.total // self.ranks


if __name__ == "__main__":
    for rank in (0, 1):
        loader = DataLoader(Stream(rank, 2), batch_size=None, num_workers=2)
        print("stream, rank", rank, sorted(loader))
        #> stream, rank 0 [0, 1, 4, 5, 8, 9]
        #> stream, rank 1 [2, 3, 6, 7, 10, 11]

    rare = torch.tensor([0] * 90 + [1] * 10)
    weights = torch.where(rare == 1, 9.0, 1.0)
    for rank in (0, 1):
        sampler = WeightedShare(weights, 401, rank, 2)
        drawn = list(sampler)
        share = rare[drawn].float().mean().item()
        print("rank", rank, len(drawn), "about half rare:", 0.4 < share < 0.6)
        #> rank 0 200 about half rare: True
        #> rank 1 200 about half rare: True
