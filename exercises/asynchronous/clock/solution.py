import time

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
weight = torch.randn(64, 64, device=device)
x = torch.randn(32, 64, device=device)


def chain(steps):
    y = x
    for _ in range(steps):
        y = torch.tanh(y @ weight)
    return y


chain(10)
if device.type == "cuda":
    torch.cuda.synchronize()

start = time.perf_counter()
result = chain(50)
if device.type == "cuda":
    torch.cuda.synchronize()
seconds = time.perf_counter() - start

print(f"50 steps: {1000 * seconds:.2f} ms")
