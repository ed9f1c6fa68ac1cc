"""`USE_LIBUV=0` reaches init_process_group and not torchrun.

`USE_LIBUV=0` 管得到 init_process_group，管不到 torchrun。
"""
# needs: linux
# leaves: environment

import os

from torch.distributed.elastic.rendezvous import RendezvousParameters
from torch.distributed.elastic.rendezvous import c10d_rendezvous_backend as c10d
from torch.distributed.rendezvous import rendezvous

os.environ["USE_LIBUV"] = "0"

of_the_script = next(rendezvous("tcp://127.0.0.1:0", rank=0, world_size=1))[0]
print("init_process_group takes libuv:", of_the_script.libuvBackend)
#> init_process_group takes libuv: False

here = RendezvousParameters("c10d", "127.0.0.1:0", "1", 1, 1, is_host="true")
_, of_torchrun = c10d.create_backend(here)
print("torchrun takes libuv:", of_torchrun.libuvBackend)
#> torchrun takes libuv: True
