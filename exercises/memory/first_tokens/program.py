import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
encoder = nn.Sequential(nn.Embedding(1000, 128), nn.LayerNorm(128)).to(device)

features = []
with torch.inference_mode():
    for _ in range(8):
        tokens = torch.randint(1000, (16, 128), device=device)
        hidden = encoder(tokens)
        features.append(hidden[:, 0])

print(f"{len(features)} batches of {tuple(features[0].shape)}")
