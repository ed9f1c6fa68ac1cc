import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def move(batch, device):
    if isinstance(batch, dict):
        return {name: move(value, device) for name, value in batch.items()}
    if isinstance(batch, (list, tuple)):
        return type(batch)(move(value, device) for value in batch)
    return batch.to(device) if isinstance(batch, torch.Tensor) else batch


batch = {
    "image": torch.ones(2, 3),
    "views": (torch.ones(2, 3), torch.zeros(2, 3)),
    "target": {"boxes": [torch.zeros(4), torch.ones(4)], "name": ["cat", "dog"]},
}
batch = move(batch, device)
print(batch["image"].device, batch["target"]["boxes"][0].device)
