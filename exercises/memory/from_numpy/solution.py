import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

table = np.random.default_rng(0).normal(size=(16384, 256))

torch.manual_seed(0)
layers = nn.Linear(256, 32), nn.ReLU(), nn.Linear(32, 1)
model = nn.Sequential(*layers).to(device)

x = torch.from_numpy(table).float().to(device)
with torch.inference_mode():
    y = model(x)

print(f"{x.nbytes // 2**20} MiB for the input, results in {y.dtype}")
