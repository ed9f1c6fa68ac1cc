import torch

weights = torch.load("weights.pt")
print(weights["weight"].mean())
