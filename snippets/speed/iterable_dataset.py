"""An IterableDataset runs in every worker: split it, or all comes twice.

IterableDataset 在每个工作进程里各跑一遍：不切分，数据就会重复。
"""

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Numbers(IterableDataset):
    def __iter__(self):
        return iter(range(4))


class SplitNumbers(IterableDataset):
    def __iter__(self):
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        return iter(range(first, 4, step))


if __name__ == "__main__":
    for dataset in (Numbers(), SplitNumbers()):
        for num_workers in (0, 2):
            loader = DataLoader(
                dataset, batch_size=None, num_workers=num_workers
            )
            print(num_workers, "workers:", sorted(loader))
            #> 0 workers: [0, 1, 2, 3]
            #> 2 workers: [0, 0, 1, 1, 2, 2, 3, 3]
            #> 0 workers: [0, 1, 2, 3]
            #> 2 workers: [0, 1, 2, 3]
