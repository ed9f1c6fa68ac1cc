import torch


def pick(number):
    """GPU `number` where there is one; else the first GPU; else the CPU."""
    count = torch.cuda.device_count()
    if number < count:
        return torch.device("cuda", number)
    if count > 0:
        return torch.device("cuda:0")
    return torch.device("cpu")


for number in (3, 1):
    x = torch.ones(2, device=pick(number))
    print(f"asked for GPU {number}, got {x.device}")
