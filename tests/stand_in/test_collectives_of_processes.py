"""NCCL among processes: what each rank holds after a call."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from gpu_guide.stand_in.environments import CudaEnvironment
from gpu_guide.stand_in.machine import StandIn
from gpu_guide.stand_in.process import messages, variables

RANKS = 4
START = """
import json, os
import torch
import torch.distributed as dist

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
device = torch.device("cuda", rank)
torch.cuda.set_device(device)
dist.init_process_group("nccl", device_id=device)

def on(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype, device=device)

def room(size):
    return torch.empty(size, device=device)
"""
CALLS = """
said = {}
for name in ("SUM", "AVG", "MAX", "MIN", "PRODUCT"):
    x = on(rank + 1.0, 10.0)
    dist.all_reduce(x, getattr(dist.ReduceOp, name))
    said[name] = x.tolist()
x = on(rank + 1.0)
dist.all_reduce(x, dist._make_nccl_premul_sum(0.5))
said["halves"] = x.tolist()
x = on(rank, dtype=torch.bfloat16)
dist.reduce(x, 2)
said["reduce"] = x.tolist()
x = on(rank)
dist.broadcast(x, 1)
said["broadcast"] = x.tolist()
parts = [room(1) for _ in range(world)]
dist.all_gather(parts, on(rank))
said["gather"] = [part.item() for part in parts]
x = room(2)
dist.reduce_scatter_tensor(x, torch.arange(2.0 * world, device=device) + rank)
said["scatter"] = x.tolist()
x = room(world)
dist.all_to_all_single(x, torch.arange(float(world), device=device) + 10 * rank)
said["to all"] = x.tolist()
sizes = [rank + 1] * world
x = room(sum(range(1, world + 1)))
dist.all_to_all_single(x, torch.full((sum(sizes),), float(rank), device=device),
                       list(range(1, world + 1)), sizes)
said["uneven"] = x.tolist()
objects = [None] * world
dist.all_gather_object(objects, "x" * rank)
said["objects"] = objects
x = room(1)
ring = [dist.P2POp(dist.irecv, x, (rank - 1) % world),
        dist.P2POp(dist.isend, on(rank), (rank + 1) % world)]
for work in dist.batch_isend_irecv(ring):
    work.wait()
said["ring"] = x.item()
x = on(rank)
dist.all_reduce(x, group=dist.split_group(split_ranks=[[0, 2], [1, 3]]))
said["split"] = x.item()
# One write each, because four processes share a pipe.
os.write(1, (json.dumps({"rank": rank, **said}) + "\\n").encode())
dist.destroy_process_group()
"""


@pytest.fixture
def ranks(environment: CudaEnvironment, tmp_path: Path):
    """`ranks(code, count)`: what torchrun's processes print as JSON, by rank; and the rest."""

    def run(code: str, count: int = RANKS) -> tuple[dict[int, dict[str, object]], str]:
        (tmp_path / "ranks.py").write_text(START + code, encoding="utf-8")
        card = {"name": "test card", "memory_mib": 4096, "capability": "8.9", "multiprocessors": 24}
        made = variables(environment, StandIn(card="test", count=count, **card), values=True)
        command = ["torchrun", "--standalone", f"--nproc-per-node={count}", "ranks.py"]
        with messages() as more:
            done = subprocess.run(
                command, env=made | more, cwd=tmp_path, capture_output=True, text=True, check=False
            )
            left = sorted(Path(more["STAND_IN_MESSAGES"]).iterdir())
        assert not [file for file in left if "-rank" not in file.name], left
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        found = {said.pop("rank"): said for said in map(json.loads, lines)}
        return found, done.stderr

    return run


def test_each_rank_gets_what_the_others_hold(ranks) -> None:
    found, errors = ranks(CALLS)
    assert sorted(found) == list(range(RANKS)), errors
    for rank, said in found.items():
        assert said == {
            "SUM": [10.0, 40.0],
            "AVG": [2.5, 10.0],
            "MAX": [4.0, 10.0],
            "MIN": [1.0, 10.0],
            "PRODUCT": [24.0, 10000.0],
            "halves": [5.0],
            "reduce": [6 if rank == 2 else rank],
            "broadcast": [1.0],
            "gather": [0.0, 1.0, 2.0, 3.0],
            "scatter": [8.0 * rank + 6, 8.0 * rank + 10],
            "to all": [float(rank + 10 * other) for other in range(RANKS)],
            "uneven": [float(other) for other in range(RANKS) for _ in range(other + 1)],
            "objects": ["", "x", "xx", "xxx"],
            "ring": float((rank - 1) % RANKS),
            "split": 2.0 if rank % 2 == 0 else 4.0,
        }


LATE = """
x = on(2.0)
store = dist.distributed_c10d._get_default_store()
if rank:
    store.wait(["has called"])
dist.all_reduce(x)
store.set("has called", "")
x.mul_(10)
os.write(1, (json.dumps({"rank": rank, "x": x.item()}) + "\\n").encode())
dist.destroy_process_group()
"""


def test_what_changes_a_tensor_in_place_waits_for_the_rank_that_comes_late(ranks) -> None:
    found, errors = ranks(LATE, count=2)
    assert found == {0: {"x": 40.0}, 1: {"x": 40.0}}, errors
