"""`memory_format` reorders the values in memory; shape and values stay.

`memory_format` 改变数据在内存里的顺序，形状和值不变。
"""

import torch

images = torch.rand(8, 3, 4, 5)
print(images.stride())
#> (60, 20, 5, 1)

last = images.to(memory_format=torch.channels_last)
print(last.stride())
#> (60, 1, 15, 3)
print(tuple(last.shape), torch.equal(last, images))
#> (8, 3, 4, 5) True
print(last.to(memory_format=torch.channels_last) is last)
#> True

# zh: 只有四维张量才有 channels_last。
# en: Only a tensor of four dimensions has channels_last.
try:
    images[0].to(memory_format=torch.channels_last)
except RuntimeError as error:
    print(error)
    #> required rank 4 tensor to use channels_last format
