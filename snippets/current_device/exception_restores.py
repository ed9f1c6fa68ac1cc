"""An error inside the `with` block restores the current device, too.

`with` 里面出了错，当前设备照样恢复。
"""
# needs: cuda:2

import torch

try:
    with torch.cuda.device(1):
        print(torch.cuda.current_device())
        #> 1
        raise ValueError("stop")
except ValueError as error:
    print(error)
    #> stop

print(torch.cuda.current_device())
#> 0
