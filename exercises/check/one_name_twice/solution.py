import torch


def report():
    """A line for each GPU, with its number and its name."""
    lines = []
    for number in range(torch.cuda.device_count()):
        name = torch.cuda.get_device_name(number)
        lines.append(f"GPU {number}: {name}")
    return lines or ["no GPU"]


print("\n".join(report()))

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(2, device=device)
print(f"computing on {x.device}")
