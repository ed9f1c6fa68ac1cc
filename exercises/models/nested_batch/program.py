import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def move(batch, device):
    return {name: value.to(device) for name, value in batch.items()}


batch = {
    "image": torch.ones(2, 3),
    "views": (torch.ones(2, 3), torch.zeros(2, 3)),
    "target": {"boxes": [torch.zeros(4), torch.ones(4)], "name": ["cat", "dog"]},
}
batch = move(batch, device)
print(batch["image"].device, batch["target"]["boxes"][0].device)
