"""Without set_epoch, DistributedSampler repeats one order in every epoch.

不调 set_epoch，DistributedSampler 每一轮的顺序都一样。
"""

from torch.utils.data import DistributedSampler

# zh: 写明 num_replicas 和 rank，就不需要进程组。
# en: With num_replicas and rank it needs no process group.
samplers = [DistributedSampler(range(8), 2, rank) for rank in range(2)]

for epoch in range(2):
    print("without, epoch", epoch, [list(s) for s in samplers])
    #> without, epoch 0 [[4, 7, 2, 1], [0, 3, 5, 6]]
    #> without, epoch 1 [[4, 7, 2, 1], [0, 3, 5, 6]]

for epoch in range(2):
    for sampler in samplers:
        sampler.set_epoch(epoch)
    print("with, epoch", epoch, [list(s) for s in samplers])
    #> with, epoch 0 [[4, 7, 2, 1], [0, 3, 5, 6]]
    #> with, epoch 1 [[5, 2, 7, 1], [4, 6, 3, 0]]
