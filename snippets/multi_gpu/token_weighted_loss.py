"""Parts of different lengths: divide by all tokens, not part by part.

各份的长度不同时：要除以全部的 token 数，不能各除各的。
"""

import torch

torch.manual_seed(0)
losses = torch.rand(12)
weight = torch.nn.Parameter(torch.ones(()))
# zh: 两份：一份 10 个 token，一份 2 个。
# en: Two parts, one with 10 tokens and one with 2.
parts = losses.split([10, 2])


def gradient(*terms):
    weight.grad = None
    for term in terms:
        term.backward()
    return round(weight.grad.item(), 4)


print("all at once:       ", gradient((weight * losses).mean()))
#> all at once:        0.471
means = [(weight * part).mean() / len(parts) for part in parts]
print("mean of the means: ", gradient(*means))
#> mean of the means:  0.4327
sums = [(weight * part).sum() / len(losses) for part in parts]
print("by number of tokens", gradient(*sums))
#> by number of tokens 0.471
