"""The communication library that torch.distributed takes for each device type.

每种设备用哪个通信库。
"""

import torch.distributed as dist

for kind in ("cuda", "xpu", "cpu"):
    print(kind, dist.get_default_backend_for_device(kind))
    #> cuda nccl
    #> xpu xccl
    #> cpu gloo
