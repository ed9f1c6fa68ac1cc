"""The launcher's half of a distributed run: torchrun's agent, and what each rank does.

The agent is the one that `torchrun --standalone` starts; it is called in this process instead of
in a new interpreter, and takes its ranks from the fork server that has torch imported. That makes
a run of two processes a second, not four.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import uuid
from dataclasses import replace
from datetime import timedelta
from multiprocessing import connection, get_start_method, parent_process

import torch
from torch.distributed import distributed_c10d
from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from gpu_guide.run import child as execute


def run(job: execute.Job, processes: int, stdout: str, stderr: str) -> None:
    """Entry point of the agent: run `job` on `processes` ranks of this machine.

    Every rank writes a report of its own. The exit status is 1 if one of them failed.
    """
    method = get_start_method()
    execute.enter(job, stdout, stderr)
    end_with_parent()
    if method == "forkserver":
        from multiprocessing import forkserver, resource_tracker  # not to be had on Windows

        # The server that this process comes from is there; it would start another one.
        forkserver._forkserver.ensure_running = resource_tracker.ensure_running
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes,
        run_id=str(uuid.uuid4()),
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        max_restarts=0,
        start_method=method,
        logs_specs=DefaultLogsSpecs(log_dir=tempfile.mkdtemp(prefix="ranks-")),
    )
    job = placed(job, processes)
    try:
        elastic_launch(config, rank)(job, os.getpid(), stdout, stderr)
    except ChildFailedError:
        raise SystemExit(1) from None


def placed(job: execute.Job, processes: int) -> execute.Job:
    """`job`, with the GPUs hidden from its ranks where there are too few for one each.

    The code itself takes a GPU wherever it sees one, and fails where another rank has it: training
    must not fall back to the CPU unasked. So where it runs is decided here.
    """
    return replace(job, hide_gpus=0 < torch.cuda.device_count() < processes)


def limit_waits(seconds: float) -> None:
    """Make this the timeout of every process group that code creates without one.

    PyTorch's own, half an hour, is right for training, and what code to be copied should have. Here
    a rank that waits in vain has to say so before the runner ends it.
    """
    limit = timedelta(seconds=seconds)
    distributed_c10d.default_pg_timeout = limit
    distributed_c10d.default_pg_nccl_timeout = limit


def rank(job: execute.Job, group: int, stdout: str, stderr: str) -> None:
    """Entry point of one rank: in the process group of its agent, and not longer there than it."""
    end_with_parent()
    execute.enter(job, stdout, stderr, group)
    limit_waits(job.time_limit / 2)
    torch.set_num_threads(1)  # what torchrun sets by OMP_NUM_THREADS, which is read at import
    execute.execute(job)


def end_with_parent() -> None:
    """Have this process killed when the one that asked for it ends, however that ends.

    To the operating system its parent is the fork server, so the system cannot do that.
    """
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
