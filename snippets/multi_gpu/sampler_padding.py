"""DistributedSampler makes the shares equal: it repeats samples, or drops some.

DistributedSampler 让各份一样大：要么重复样本，要么丢掉几个。
"""

from torch.utils.data import DistributedSampler

data, ranks = range(7), 2


for drop in (False, True):
    options = {"shuffle": False, "drop_last": drop}
    samplers = [DistributedSampler(data, ranks, r, **options) for r in (0, 1)]
    print("drop_last", drop, [list(sampler) for sampler in samplers])
    #> drop_last False [[0, 2, 4, 6], [1, 3, 5, 0]]
    #> drop_last True [[0, 2, 4], [1, 3, 5]]

# zh: 验证时每个样本恰好一次：自己切，不用采样器。
# en: For evaluation, each sample exactly once: cut it without a sampler.
print("exact:", [list(data[rank::ranks]) for rank in (0, 1)])
#> exact: [[0, 2, 4, 6], [1, 3, 5]]
