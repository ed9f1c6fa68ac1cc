"""What the page on torchrun says about restarts: workers and machines that are killed or join."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from exit_early import AT_ONCE
from free_port import free_port
from torchrun_agents import Agent, of_launching, two_machines

from gpu_guide.project import HERE
from gpu_guide.run.runner import Tier, run_source

pytestmark = of_launching

NODE = {"WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}
"""What one process on each of two machines is told, besides its own numbers."""


def told(pid: int) -> dict[str, str]:
    """What torchrun has told a worker."""
    pairs = Path(f"/proc/{pid}/environ").read_text().split("\0")
    found = dict(pair.partition("=")[::2] for pair in pairs)
    return {name: found[name] for name in (*NODE, "RANK", "GROUP_RANK")}


STEPS = "400"
"""Enough to be in the middle when the first checkpoint has been seen."""


@pytest.fixture(scope="module")
def resuming(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script that goes on from its last checkpoint."""
    source = (HERE.snippets / "multi_gpu/resume_after_restart.py").read_text(encoding="utf-8")
    script = tmp_path_factory.mktemp("resuming") / "train.py"
    script.write_text(source + AT_ONCE, encoding="utf-8")
    return str(script)


@pytest.fixture(scope="module")
def undisturbed(resuming: str) -> set[str]:
    """What the training ends with when nobody is killed."""
    source = f"import sys\nsys.argv.append({STEPS!r})\n{Path(resuming).read_text('utf-8')}"
    run = run_source(source.removesuffix(AT_ONCE), Path(resuming), Tier.TORCHRUN, processes=2)
    assert run.outcome == "passed", run.problem
    lines = [line for _, printed in run.calls for line in printed.split("\n")]
    assert lines.count("begins at step 0") == 2
    return {line for line in lines if line.startswith("weights ")}


def begun(*agents: Agent) -> list[int]:
    return sorted(int(n) for agent in agents for n in agent.printed(r"^begins at step (\d+)$"))


def last_lines(*agents: Agent) -> set[str]:
    return {line for agent in agents for line in agent.printed(r"^weights .*$")}


def test_killing_the_rank_that_saves_costs_nothing(launch, tmp_path, resuming, undisturbed):
    options = ("--standalone", "--nproc-per-node=2", "--max-restarts=1")
    agent = launch("job", *options, resuming, STEPS)
    agent.until(lambda: (tmp_path / "checkpoint.pt").exists())
    os.kill(agent.workers()[0], signal.SIGKILL)
    assert agent.ends() == 0, agent.said
    steps = begun(agent)
    assert steps[:2] == [0, 0] and len(steps) == 4 and steps[2] == steps[3], agent.said
    assert 0 < steps[2] < int(STEPS) and steps[2] % 10 == 0
    assert last_lines(agent) == undisturbed
    assert not list(tmp_path.glob("*.pt"))


def test_killing_a_worker_of_one_machine_costs_nothing(launch, tmp_path, resuming, undisturbed):
    """Both agents start their workers again; the folder of the checkpoint is shared."""
    agents = two_machines(launch, "--max-restarts=3", resuming, STEPS)
    agents[0].until(lambda: (tmp_path / "checkpoint.pt").exists())
    workers = agents[0].workers() | agents[1].workers()
    # Which agent is the first node is decided at the rendezvous.
    assert [told(workers[rank]) for rank in (0, 1)] == [
        {**NODE, "RANK": "0", "GROUP_RANK": "0"},
        {**NODE, "RANK": "1", "GROUP_RANK": "1"},
    ]
    os.kill(workers[1], signal.SIGKILL)
    statuses = [agent.ends() for agent in agents]
    said = "\n".join(agent.said for agent in agents)
    assert statuses == [0, 0], said
    # An agent whose own worker did not fail counts no attempt, and writes over its log.
    steps = begun(*agents)
    assert steps[0] == 0 and steps[-1] == steps[-2] > 0 and steps[-1] % 10 == 0, said
    assert last_lines(*agents) == undisturbed


WAITS_ALONE = """import os, signal
import torch.distributed as dist

dist.init_process_group("gloo")
size = dist.get_world_size()
print("size", size, "restarts", os.environ["TORCHELASTIC_RESTART_COUNT"], flush=True)
if size == 1:
    signal.pause()
dist.destroy_process_group()
"""


def test_a_machine_that_joins_uses_up_no_restart(launch, tmp_path):
    """With no restart left, all processes start again when a second machine comes."""
    script = tmp_path / "waits.py"
    script.write_text(WAITS_ALONE + AT_ONCE)
    common = ["--nnodes=1:2", "--nproc-per-node=1", "--max-restarts=0", "--rdzv-id=job"]
    common += ["--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{free_port()}"]
    common += ["--local-addr=127.0.0.1", "--rdzv-conf=last_call_timeout=1", str(script)]
    first = launch("first", *common)
    first.until(lambda: "size 1 restarts 0" in first.printed("^size .*$"))
    second = launch("second", *common)
    said = "\n".join((first.said, second.said))
    assert [first.ends(), second.ends()] == [0, 0], said
    printed = first.printed("^size .*$") + second.printed("^size .*$")
    assert printed.count("size 2 restarts 0") == 2, said


TRAINS_WITH_OTHERS = """import os, signal, time, torch
import torch.distributed as dist

dist.init_process_group("gloo")
size, restarts = dist.get_world_size(), os.environ["TORCHELASTIC_RESTART_COUNT"]
print("size", size, "restarts", restarts, flush=True)
if size == 1 and restarts == "0":
    signal.pause()  # until the second machine comes
while size == 2:
    dist.all_reduce(torch.ones(1))
    time.sleep(0.1)
dist.destroy_process_group()
"""


@pytest.mark.parametrize("restarts", [0, 1])
def test_a_machine_that_fails_uses_up_a_restart(launch, tmp_path, restarts):
    """Its processes are gone, so those of the other machine fail as well and count as a failure."""
    script = tmp_path / "trains.py"
    script.write_text(TRAINS_WITH_OTHERS + AT_ONCE)
    common = ["--nnodes=1:2", "--nproc-per-node=1", f"--max-restarts={restarts}", "--rdzv-id=job"]
    common += ["--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{free_port()}"]
    waits = "--rdzv-conf=last_call_timeout=1,keep_alive_interval=1"
    common += ["--local-addr=127.0.0.1", waits, str(script)]
    # The store is in the first agent, which is not the one to be killed.
    first = launch("first", *common)
    first.until(lambda: "size 1 restarts 0" in first.printed("^size .*$"))
    second = launch("second", *common)
    second.until(lambda: "size 2 restarts 0" in second.printed("^size .*$"))
    for pid in (second.process.pid, *second.workers().values()):
        os.kill(pid, signal.SIGKILL)
    assert first.ends() == (0 if restarts else 1), first.said
    assert ("size 1 restarts 1" in first.printed("^size .*$")) == bool(restarts), first.said
