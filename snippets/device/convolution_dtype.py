"""A convolution's "should be the same" may also mean two dtypes.

卷积报 "should be the same"，也可能是两种数据类型不同。
"""

import torch

conv = torch.nn.Conv2d(1, 1, kernel_size=1)
image = torch.ones(1, 1, 2, 2, dtype=torch.float16)
print(image.device == conv.weight.device)
#> True

try:
    conv(image)
except RuntimeError as error:
    print(error)
    #> Input type (c10::Half) and bias type (float) should be the same

# zh: 设备相同，不同的是类型：转换类型，不用移动。
# en: The devices are the same, the dtypes are not: convert, do not move.
print(conv(image.to(conv.weight.dtype)).dtype)
#> torch.float32
