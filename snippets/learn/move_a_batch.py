"""A batch that is a dictionary: move what is inside.

batch 是字典时，移动里面的张量。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

image, label = torch.ones(2, 3), torch.tensor([0, 1])
batch = {"image": image.to(device), "label": label.to(device)}
moved = {name: tensor.to(device) for name, tensor in batch.items()}

print({tensor.device.type == device.type for tensor in moved.values()})
#> {True}
