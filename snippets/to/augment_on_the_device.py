"""Augment a batch on its device, with random numbers for each picture.

在 batch 所在的设备上做数据增强，每张图片用各自的随机数。
"""

import torch


def augment(images, padding=2):
    n, _, height, width = images.shape
    device = images.device

    # zh: 每张图片各掷一次硬币，决定要不要左右翻转。
    # en: For each picture a coin decides whether it is mirrored.
    mirror = torch.rand(n, device=device) < 0.5
    images = torch.where(mirror[:, None, None, None], images.flip(-1), images)

    # zh: 四周补零，再从各自随机的位置裁出原来的大小。
    # en: Pad, and cut the old size out at a random place for each picture.
    images = torch.nn.functional.pad(images, [padding] * 4)
    top, left = torch.randint(2 * padding + 1, (2, n, 1), device=device)
    rows = top + torch.arange(height, device=device)
    columns = left + torch.arange(width, device=device)
    picture = torch.arange(n, device=device)[:, None, None]
    cut = images.permute(0, 2, 3, 1)[
        picture, rows[:, :, None], columns[:, None, :]
    ]
    return cut.permute(0, 3, 1, 2)


device = "cuda" if torch.cuda.is_available() else "cpu"
images = torch.arange(1.0, 65.0, device=device).reshape(1, 1, 4, 16)
images = images.repeat(16, 1, 1, 1)
changed = augment(images)

print(changed.shape == images.shape, changed.device == images.device)
#> True True
print(len({tuple(picture.flatten().tolist()) for picture in changed}) > 4)
#> True
