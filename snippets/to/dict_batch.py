"""A dict or a list has no `.to()`: move what is in it.

字典和列表没有 `.to()`：移里面的张量。
"""
# needs: cuda

import torch

batch = {"image": torch.ones(2), "label": torch.tensor([3, 4])}
print(hasattr(batch, "to"), hasattr([], "to"))
#> False False

batch = {name: value.to("cuda") for name, value in batch.items()}
print(batch)
#> {'image': tensor([1., 1.], device='cuda:0'), 'label': tensor([3, 4], device='cuda:0')}

pair = [torch.ones(1), torch.zeros(1)]
image, label = (value.to("cuda") for value in pair)
print(image, label)
#> tensor([1.], device='cuda:0') tensor([0.], device='cuda:0')
