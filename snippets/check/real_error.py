"""The error that torch.cuda.is_available() keeps to itself.

torch.cuda.is_available() 没有说出来的报错。
"""

import torch

# zh: is_available() 从不报错；init() 遇到同样的问题会说出原因。
# en: is_available() never raises; init() meets the same trouble and says why.
try:
    torch.cuda.init()
except Exception as error:
    print(type(error).__name__)
    #> AssertionError
    print(str(error).split(". ")[0])
    #> Torch not compiled with CUDA enabled
else:
    print("CUDA started")
