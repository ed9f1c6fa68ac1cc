import torch


def double_on_second(x):
    torch.cuda.set_device(1)
    return x.to("cuda") * 2


first = torch.ones(3, device="cuda")
second = double_on_second(first)
third = torch.ones(3, device="cuda")

total = first + third
print(first.device, second.device, third.device)
