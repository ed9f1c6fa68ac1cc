"""With fewer than two GPUs, `device_ids[1]` fails before any tensor exists.

不到两块 GPU 时，`device_ids[1]` 先报错，张量还没建。
"""

import torch

device_ids = list(range(torch.cuda.device_count()))

try:
    print("second GPU:", device_ids[1])
except IndexError as error:
    print("IndexError:", error)
    #> IndexError: list index out of range
