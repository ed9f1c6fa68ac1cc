"""A misspelt device is refused at once, on any machine.

写错的设备名当场报错，任何机器都一样。
"""

import torch

for text in ("gpu", "CUDA", "cuda 0", "cuda:-1", ""):
    try:
        device = torch.device(text)
    except RuntimeError as error:
        print(f"{text!r}:", str(error).split(",")[0])
        #> 'gpu': Expected one of cpu
        #> 'CUDA': Expected one of cpu
        #> 'cuda 0': Invalid device string: 'cuda 0'
        #> 'cuda:-1': Invalid device string: 'cuda:-1'
        #> '': Device string must not be empty
    else:
        print(f"{text!r}: accepted as", device)
