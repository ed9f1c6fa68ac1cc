"""The same line, on a laptop and on a machine with a GPU.

同样的一行，在笔记本上，在有 GPU 的机器上。
"""
# needs: cuda

import torch


def brightest(image, device):
    work = image.to(device)
    work /= work.max()
    return work.mean().item()


for device in ("cpu", "cuda"):
    image = torch.tensor([0.0, 100.0, 200.0])
    brightest(image, device)
    print(device, image.tolist())
    #> cpu [0.0, 0.5, 1.0]
    #> cuda [0.0, 100.0, 200.0]
