"""Every torchrun snippet begins with the same frame, and that is right on every machine.

With GPUs each process takes the one with its LOCAL_RANK, and where there is none for it the code
fails; without any it runs on the CPU. Readers copy this, so it must not fall back to the CPU
unasked, and must not end a job that is only slow. Nobody here has as many machines: they are
pretended, and each snippet runs as far as `init_process_group` on all of them.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist

from gpu_guide.project import HERE
from gpu_guide.run.runner import Tier, run_source
from gpu_guide.simulate import SimulatedCuda
from gpu_guide.snippets.distributed_setup import ALONE, BOTH, FRAME, faults, has_group
from gpu_guide.snippets.model import Snippet, well_formed_snippets

SNIPPETS = [
    snippet
    for snippet in well_formed_snippets(HERE)
    if snippet.needs.kind == "torchrun"
    and not snippet.needs.libraries
    and has_group(snippet.source)
]


PLANTED = {
    "no device_id": ("device_id=device", "device_id=None"),
    "no set_device": ("    torch.cuda.set_device(device)\n", ""),
    "no device": ('torch.device("cuda", int(os.environ["LOCAL_RANK"]))', "None"),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_fault_in_the_gpu_branch_is_told_of_every_snippet(fault: str) -> None:
    """That branch runs on no machine without GPUs: reading has to notice."""
    old, new = PLANTED[fault]
    changed = 0
    for snippet in SNIPPETS:
        if old in snippet.source:
            changed += 1
            told = faults(snippet.source.replace(old, new), snippet.path)
            assert any("not the common frame" in one for one in told), snippet.name
    assert changed > 20


def test_there_are_torchrun_snippets() -> None:
    assert SNIPPETS


GOOD = f"""# needs: torchrun:2
{FRAME}work(fully_shard(model, mesh=mesh))
dist.destroy_process_group()
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("work()", "work()"),
        ("dist.destroy", "try:\n    work()\nfinally:\n    dist.destroy"),
        ("dist.destroy", 'if __name__ == "__main__":\n    work()\n    dist.destroy'),
        ("else:", "else:  # no GPU"),
        ("dist.d", 'if rank == 1:\n    print("rank", rank)\ndist.d'),
        ("dist.d", 'x = torch.load(f, map_location="cpu")\ndist.d'),
    ],
    ids=["as it is", "finally", "below main", "a comment", "rank 1 says so", "loaded to the CPU"],
)
def test_a_correct_frame_is_left_alone(old: str, new: str) -> None:
    assert faults(GOOD.replace(old, new), Path("x.py")) == []


def test_processes_that_exchange_nothing_need_no_group_but_each_its_own_gpu() -> None:
    alone = f"# needs: torchrun:2\n{ALONE}work(device)\n"
    assert faults(alone, Path("x.py")) == []
    for old, new in (("LOCAL_RANK", "RANK"), ("    torch.cuda.set_device(device)\n", "")):
        (fault,) = faults(alone.replace(old, new), Path("x.py"))
        assert fault.startswith("x.py:1: not the common frame — begin with these lines:")
        assert "init_process_group" not in fault


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('("gloo")', '("gloo", timeout=timedelta(seconds=30))', 8, "a timeout"),
        (BOTH, "nccl", 5, "NCCL alone"),
        ("torch.cuda.is_available()", "torch.cuda.device_count() > 1", 5, "not the common frame"),
        ("    torch.cuda.set_device(device)\n", "", 4, "not the common frame"),
        ("LOCAL_RANK", "RANK", 5, "not the common frame"),
        (", device_id=device", "", 5, "not the common frame"),
        (FRAME, "work()\n", 1, "not the common frame"),
        ("work(", "dist.init_process_group()\nwork(", 9, "outside the common frame"),
        (", mesh=mesh", "", 9, "without a mesh"),
        ("dist.destroy_process_group()", "pass", 2, "not destroyed"),
        ("dist.destroy", "if rank == 0:\n    dist.destroy", 2, "not destroyed"),
        ("dist.d", "x = torch.load(f, map_location=None)\ndist.d", 10, "GPU that saved"),
        ("dist.d", "if dist.get_rank() == 1:\n    torch.save(x, f)\ndist.d", 10, "rank 1 prints"),
        ("dist.d", "if rank == 1:\n    print(loss)\ndist.d", 10, "rank 1 prints"),
        ("dist.d", "if rank == 1:\n    print('rank 0')\ndist.d", 10, "rank 1 prints"),
    ],
)
def test_a_fault_is_named_with_its_line(old: str, new: str, line: int, words: str) -> None:
    assert old in GOOD
    found = [f for f in faults(GOOD.replace(old, new), Path("x.py")) if words in f]
    assert len(found) == 1, found
    assert found[0].startswith(f"x.py:{line}: ") and " — " in found[0]


# --- On machines that are pretended ---------------------------------------------------------------


class Started(Exception):
    """A snippet has called `init_process_group`, and no line below it ran."""


def start_of(snippet: Snippet, gpus: int, local_rank: int, patch: pytest.MonkeyPatch) -> Any:
    """What `snippet` does on a machine with so many GPUs, as the process with this number.

    Returns the device that it has set, and what it gave to `init_process_group`.
    """
    ranks = snippet.needs.count
    told = {"RANK": local_rank, "LOCAL_RANK": local_rank}
    for name, value in {**told, "WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks}.items():
        patch.setenv(name, str(value))

    def init_process_group(backend: str, **options: Any) -> None:
        current = f"cuda:{torch.cuda.current_device()}" if gpus else "cpu"
        raise Started(current, backend, options)

    space: dict[str, Any] = {"__name__": "__main__"}
    code = compile(snippet.source, str(snippet.path), "exec")
    # In this order: what is put back inside was already that of the simulated devices.
    with SimulatedCuda(gpus) if gpus else nullcontext(), patch.context() as inside:
        inside.setattr(dist, "init_process_group", init_process_group)
        with pytest.raises(Started) as started:
            exec(code, space)
    assert space["device"] == torch.device(started.value.args[0])
    return started.value.args


PROCESSES = [(snippet, rank) for snippet in SNIPPETS for rank in range(snippet.needs.count)]


def test_without_a_gpu_it_runs_on_the_cpu(monkeypatch) -> None:
    for snippet, rank in PROCESSES:
        assert start_of(snippet, 0, rank, monkeypatch) == ("cpu", "gloo", {}), snippet.name


def test_with_a_gpu_for_each_process_it_takes_its_own(monkeypatch) -> None:
    for snippet, rank in PROCESSES:
        device = torch.device("cuda", rank)
        seen = start_of(snippet, snippet.needs.count, rank, monkeypatch)
        assert seen == (str(device), BOTH, {"device_id": device}), snippet.name


def test_with_one_gpu_that_it_sees_alone_it_takes_that(monkeypatch) -> None:
    """So is every process under `torchrun --virtual-local-rank`, however many there are."""
    expected = ("cuda:0", BOTH, {"device_id": torch.device("cuda", 0)})
    for snippet in SNIPPETS:
        assert start_of(snippet, 1, 0, monkeypatch) == expected, snippet.name


def test_with_fewer_gpus_than_processes_it_fails(monkeypatch) -> None:
    for snippet, gpus in PROCESSES:
        if gpus:
            with pytest.raises(torch.AcceleratorError, match="invalid device ordinal"):
                start_of(snippet, gpus, gpus, monkeypatch)


# --- What the tests add ---------------------------------------------------------------------------

TIMEOUT = """import torch
import torch.distributed as dist

dist.init_process_group("gloo")
for group in (dist.group.WORLD, dist.new_group()):
    print(group._get_backend(torch.device("cpu")).options._timeout.total_seconds())
dist.destroy_process_group()
"""


def test_a_rank_that_waits_in_vain_says_so_before_the_runner_ends_it() -> None:
    result = run_source(TIMEOUT, Path("x.py"), Tier.TORCHRUN, processes=2, time_limit=40)
    assert result.problem == "" and {text for _, text in result.calls} == {"20.0"}


@pytest.mark.parametrize(("gpus", "hidden"), [(0, False), (1, True), (2, False), (3, False)])
def test_gpus_are_hidden_where_the_ranks_have_not_one_each(gpus, hidden, monkeypatch) -> None:
    from gpu_guide.run import child as execute
    from gpu_guide.run import torchrun as launch

    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    job = execute.Job("x.py", "", "report")
    assert launch.placed(job, 2).hide_gpus is hidden
