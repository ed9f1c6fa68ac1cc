"""A collective that one rank leaves out: PyTorch's watchdog, and its flight recorder."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from gpu_guide.stand_in.environments import CudaEnvironment
from gpu_guide.stand_in.machine import StandIn
from gpu_guide.stand_in.process import messages, variables

CARD = {"name": "test card", "memory_mib": 4096, "capability": "8.9", "multiprocessors": 24}
CODE = """
import os
from datetime import timedelta
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
device = torch.device("cuda", rank)
torch.cuda.set_device(device)
dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
group = dist.new_group(timeout=timedelta(seconds=1))
x = torch.ones(3, device=device)
dist.all_reduce(x, group=group)
# One write each, because both processes share a pipe.
os.write(1, f"first {x.tolist()}\\n".encode())
if rank == 0:
    work = dist.all_reduce(x, group=group, async_op=True)
    event = torch.cuda.Event()
    work.wait()
    event.record()
    os.write(1, f"asked {work.is_completed()} {event.query()}\\n".encode())
    x.tolist()
dist.barrier()
"""


@pytest.fixture(scope="module")
def hung(environment: CudaEnvironment, tmp_path_factory: pytest.TempPathFactory):
    """What two ranks say of which one does not join, and the folder of their recordings."""
    folder = tmp_path_factory.mktemp("hung")
    (folder / "ranks.py").write_text(CODE, encoding="utf-8")
    made = variables(environment, StandIn(card="test", count=2, **CARD), values=True)
    made |= {
        "TORCH_FR_DUMP_TEMP_FILE": f"{folder}/rank_",
        "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "10000",
    }
    command = ["torchrun", "--standalone", "--nproc-per-node=2", "ranks.py"]
    command = ["timeout", "240", *command]  # else two ranks that hang would never end
    with messages() as more:
        done = subprocess.run(
            command, env=made | more, cwd=folder, capture_output=True, text=True, check=False
        )
    return done, folder


def test_the_host_goes_on_and_the_work_is_not_done(hung) -> None:
    done, _ = hung
    assert done.stdout.count("first [2.0, 2.0, 2.0]") == 2, done.stderr
    assert "asked False False" in done.stdout


def test_the_watchdog_names_the_collective_and_ends_the_process(hung) -> None:
    done, _ = hung
    work = "WorkNCCL(SeqNum=2, OpType=ALLREDUCE, NumelIn=3, NumelOut=3, Timeout(ms)=1000)"
    assert f"[Rank 0] Watchdog caught collective operation timeout: {work}" in done.stderr
    assert "last enqueued work: 2, last started work: -1 (), last completed work: 1" in done.stderr
    assert "we are taking the entire process down" in done.stderr
    assert "exitcode  : -6" in done.stderr
    assert "[Rank 1] Watchdog caught" not in done.stderr


def test_the_flight_recorders_of_both_name_the_missing_rank(hung) -> None:
    done, folder = hung
    for rank in range(2):
        entries = pickle.loads((folder / f"rank_{rank}").read_bytes())["entries"]
        reduced = [one["state"] for one in entries if one["profiling_name"] == "nccl:all_reduce"]
        assert reduced == (["completed", "scheduled"] if rank == 0 else ["completed"]), done.stderr
    analyzer = Path(sys.executable).with_name("torchfrtrace")
    command = [analyzer, folder, "-p", "rank_"]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    words = told.stdout + told.stderr
    said = words[words.index("collective: nccl:all_reduce\n") :].splitlines()
    assert said[1] == "missing ranks: {1}"
