"""The error that torch.cuda.is_available() keeps to itself.

torch.cuda.is_available() 没有报出来的错误。
"""

import torch

# zh: is_available() 从不报错；init() 遇到同样的问题会报错，并写明原因。
# en: is_available() never raises; init() meets the same problem and raises.
try:
    torch.cuda.init()
except Exception as error:
    print(type(error).__name__)
    #> AssertionError
    # zh: 整句打印：错误编号在最后。
    # en: The whole text: the number of the error comes last.
    print(error)
    #> Torch not compiled with CUDA enabled
else:
    print("CUDA started")
