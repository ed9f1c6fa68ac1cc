"""One process of two dies, and torchrun starts both again.

两个进程死了一个，torchrun 把两个都重新启动。
"""
# needs: linux

import os

from torch.distributed.launcher.api import LaunchConfig, elastic_launch


def work():
    attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    if os.environ["RANK"] == "1" and attempt == 0:
        os._exit(1)
    return attempt


# zh: torchrun --nproc-per-node=2 --max-restarts=1 做的就是这些。
# en: What torchrun --nproc-per-node=2 --max-restarts=1 does inside.
config = LaunchConfig(
    1,
    1,
    nproc_per_node=2,
    rdzv_backend="c10d",
    rdzv_endpoint="localhost:0",
    max_restarts=1,
    monitor_interval=0.01,
)
if __name__ == "__main__":
    results = elastic_launch(config, work)()
    for rank, attempt in sorted(results.items()):
        print(f"rank {rank}: done in attempt {attempt}")
        #> rank 0: done in attempt 1
        #> rank 1: done in attempt 1
