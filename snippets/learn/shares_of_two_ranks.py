"""Which samples each of two ranks gets.

两个 rank 各分到哪些样本。
"""

from torch.utils.data import DistributedSampler

for rank in (0, 1):
    share = DistributedSampler(range(7), 2, rank, shuffle=False)
    print(f"rank {rank}: {list(share)}")
    #> rank 0: [0, 2, 4, 6]
    #> rank 1: [1, 3, 5, 0]
