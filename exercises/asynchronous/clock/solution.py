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
torch.accelerator.synchronize()

start = time.perf_counter()
result = chain(50)
torch.accelerator.synchronize()
seconds = time.perf_counter() - start

print(f"50 steps: {1000 * seconds:.2f} ms")
