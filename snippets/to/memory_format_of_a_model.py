"""A model in channels_last hands the order on, whichever order the images have.

模型是 channels_last 时，不管图片是哪种顺序，输出都是 channels_last。
"""

import torch

images = torch.rand(8, 3, 32, 32)


def orders(model_format, images):
    """The order of the weight, and of the output."""
    # zh: 权重的顺序，和输出的顺序。
    model = torch.nn.Conv2d(3, 16, 3).to(memory_format=model_format)
    tensors = model.weight, model(images)
    return [t.is_contiguous(memory_format=torch.channels_last) for t in tensors]


last = images.to(memory_format=torch.channels_last)
print(orders(torch.contiguous_format, images))
#> [False, False]
print(orders(torch.contiguous_format, last))
#> [False, True]
print(orders(torch.channels_last, images))
#> [True, True]
print(orders(torch.channels_last, last))
#> [True, True]
