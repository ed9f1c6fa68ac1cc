"""Weights that two layers share are still shared after the move.

两层共用的权重，移动之后还是共用的。
"""
# needs: cuda

import torch

embed = torch.nn.Embedding(10, 4)
score = torch.nn.Linear(4, 10, bias=False)
score.weight = embed.weight

model = torch.nn.Sequential(embed, score).to("cuda")

print(model[1].weight is model[0].weight, model[1].weight.device)
#> True cuda:0
print(len(list(model.parameters())))
#> 1
