"""A weight used by two layers is one tensor: it moves for both of them.

两层共用的权重只有一个张量：移了一层，另一层也跟着走。
"""
# needs: cuda:2

import torch

embedding = torch.nn.Embedding(10, 4)
head = torch.nn.Linear(4, 10, bias=False)
head.weight = embedding.weight

embedding.to("cuda:0")
print(head.weight.device)
#> cuda:0
head.to("cuda:1")
print(embedding.weight.device)
#> cuda:1

tokens = torch.tensor([1, 2], device="cuda:0")
try:
    embedding(tokens)
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device

# zh: 共用的层放在同一块卡上，中间的层放到另一块。
# en: Keep layers that share on one GPU, and put those between on the other.
between = torch.nn.Linear(4, 4).to("cuda:0")
hidden = between(embedding(tokens.to("cuda:1")).to("cuda:0"))
print(head(hidden.to("cuda:1")).device)
#> cuda:1
