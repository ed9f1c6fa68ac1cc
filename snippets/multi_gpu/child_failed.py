"""ChildFailedError says how the first process ended, not why.

ChildFailedError 只说第一个失败的进程怎么结束的，不说为什么。
"""
# needs: linux

import sys

from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

ENDINGS = {
    "an exception": "1 / 0",
    "wrong options": "import argparse; argparse.ArgumentParser().error('x')",
    "killed": "import os; os.kill(os.getpid(), 9)",
    "aborted": "import os; os.abort()",
}

# zh: torchrun 里面做的就是这些：启动进程，看着它们。
# en: This is what torchrun does inside: start processes and watch them.
config = LaunchConfig(
    1,
    1,
    nproc_per_node=1,
    rdzv_backend="c10d",
    rdzv_endpoint="localhost:0",
    max_restarts=0,
    monitor_interval=0.01,
)
for name, code in ENDINGS.items():
    try:
        elastic_launch(config, sys.executable)("-c", code)
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        print(name, "-> exitcode", failure.exitcode, failure.signal_name())
        #> an exception -> exitcode 1 <N/A>
        #> wrong options -> exitcode 2 <N/A>
        #> killed -> exitcode -9 SIGKILL
        #> aborted -> exitcode -6 SIGABRT
