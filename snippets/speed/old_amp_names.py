"""`torch.cuda.amp` is deprecated: what to write instead.

`torch.cuda.amp` 已弃用，应当怎么写。
"""

import warnings

import torch


def warned(make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    return any(issubclass(w.category, FutureWarning) for w in caught)


print(warned(lambda: torch.cuda.amp.autocast()))
#> True
print(warned(lambda: torch.autocast("cuda")))
#> False

print(warned(lambda: torch.cuda.amp.GradScaler()))
#> True
print(warned(lambda: torch.amp.GradScaler("cuda")))
#> False

# zh: 现在的写法必须写出设备类型。
# en: The new form needs the type of the device.
try:
    torch.autocast()
except TypeError as error:
    print(str(error).split(": ")[1])
    #> 'device_type'
