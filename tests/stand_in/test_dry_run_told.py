"""What a dry run tells of scripts as readers write them, and of those that break off."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from gpu_guide.dry_run.cards import chosen
from gpu_guide.dry_run.command import FAILED, FITS, found_by, status_of
from gpu_guide.dry_run.report import Findings, as_json, lines
from gpu_guide.dry_run.run import Settings
from gpu_guide.dry_run.words import Words
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.stand_in.environments import CudaEnvironment

Run = Callable[..., tuple[Findings, str]]
RANKS = """
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def main(rank, ranks):
    os.environ |= {"MASTER_ADDR": "localhost", "MASTER_PORT": "29641"}
    dist.init_process_group("nccl", rank=rank, world_size=ranks)
    torch.cuda.set_device(rank)
    model = torch.nn.Linear(2048, 2048, bias=False).cuda()
    model = DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        model(torch.randn(64, 2048, device=rank)).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()

if __name__ == "__main__":
    torch.multiprocessing.spawn(main, args=(2,), nprocs=2)
"""


@pytest.fixture
def dry(environment: CudaEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`dry(code, card="t4")`: what was found, and the report in English."""
    monkeypatch.chdir(tmp_path)

    def run(code: str, settings: Settings | None = None, **more: int) -> tuple[Findings, str]:
        (tmp_path / "train.py").write_text(dedent(code), encoding="utf-8")
        command, say = ["python", "train.py"], Words("en")
        card = chosen("rtx-4060", HERE)
        where = (HERE, environment, card, command, settings or Settings())
        found, cards = found_by(*where, say=say, **more)
        return found, "\n".join(lines(found, cards, say))

    return run


def test_sizes_that_known_values_decide_are_no_assumption(
    dry: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    code = """
    import torch
    for _ in range(3):
        mask = torch.arange(100, device="cuda") < 40
        unknown = [torch.rand(2**20, device="cuda").sum() for _ in range(20)]
        del unknown  # its addresses are taken again
        print(torch.ones(100, device="cuda")[mask].numel())
    """
    found, _ = dry(code)
    assert capfd.readouterr().out.split() == ["40"] * 3
    assert found.outcome.ledgers[0]["assumed"] == []


def test_what_nobody_computed_is_finite(dry: Run, capfd: pytest.CaptureFixture[str]) -> None:
    code = """
    import torch
    loss = torch.rand(2**20, device="cuda").mean()
    print(bool(torch.isfinite(loss)), bool(loss.isfinite()), bool(loss.isnan()), bool(loss.isinf()))
    """
    dry(code)
    assert capfd.readouterr().out.split() == ["True", "True", "False", "False"]


def test_files_that_torch_save_writes_are_named_once(dry: Run, tmp_path: Path) -> None:
    code = """
    import torch
    model = torch.nn.Linear(8, 8, device="cuda")
    for _ in range(2):
        torch.save(model.state_dict(), "best.pt")
    """
    found, report = dry(code)
    assert (tmp_path / "best.pt").is_file()
    assert report.count("train.py:5 wrote best.pt with torch.save") == 1
    assert as_json(found, {})["saved"] == ["best.pt"]


def test_a_training_on_the_cpu_is_stopped(dry: Run) -> None:
    code = """
    import torch
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    while True:
        model(torch.ones(1, 8)).sum().backward()
        optimizer.step()
    """
    with pytest.raises(GuideError, match="never used a GPU"):
        dry(code)


def test_what_broke_off_does_not_say_that_it_fits(dry: Run) -> None:
    code = """
    import torch
    x = torch.ones(2**20, device="cuda")
    {}["no such key"]
    """
    found, report = dry(code)
    first, second, *_ = report.splitlines()
    assert first.startswith("The script ended with an error") and "KeyError" in first
    assert second.startswith("Up to there it fits") and "Fits:" not in report
    assert (status_of(found), as_json(found, {})["ended"]) == (FAILED, "failed")


def test_what_is_interrupted_tells_what_it_saw(
    environment: CudaEnvironment, tmp_path: Path
) -> None:
    code = """
    import os, signal, torch
    x = torch.ones(2**20, device="cuda")
    for process in (os.getppid(), os.getpid()):  # as Ctrl-C reaches both
        os.kill(process, signal.SIGINT)
    signal.pause()
    """
    (tmp_path / "train.py").write_text(dedent(code), encoding="utf-8")
    command = [sys.executable, "-m", "gpu_guide", "dry-run", "--language", "zh"]
    command += ["--python", str(environment.python), "--", "python", str(tmp_path / "train.py")]
    # A job that a shell runs in the background ignores it, and so does what it starts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        done = subprocess.run(command, cwd=HERE.root, capture_output=True, text=True, check=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.stdout.strip().startswith("被中断") and "到那时为止放得下" in done.stdout
    assert "4 MiB" in done.stdout and done.returncode == FAILED


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import unheard_of\nimport torch", "train.py:1: the script imports unheard_of"),
        ("open('tokens.bin')", "train.py:1: the script reads tokens.bin"),
        (RANKS, "asks for more GPUs than the 1 there are"),
        ("raise OSError(\"couldn't connect to 'https://huggingface.co'\")", "download the model"),
    ],
)
def test_the_error_that_counts_is_told(dry: Run, code: str, said: str) -> None:
    with pytest.raises(GuideError) as caught:
        dry(code)
    assert said in str(caught.value)


def test_too_few_gpus_of_torchrun_are_told_as_such(
    environment: CudaEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "import os, torch\ntorch.ones(1, device=int(os.environ['LOCAL_RANK']) + 1)\n"
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    command = ["torchrun", "--standalone", "--nproc-per-node", "2", "train.py"]
    where = (HERE, environment, chosen("t4", HERE), command, Settings())
    with pytest.raises(GuideError, match=r"train\.py:2: the script asks for more GPUs"):
        found_by(*where, say=Words("en"))


def test_ranks_of_spawn_are_told_apart_and_ddp_keeps_one_set_of_buckets(dry: Run) -> None:
    found, _ = dry(RANKS, count=2)
    report = as_json(found, {})
    assert status_of(found) == FITS and [one["rank"] for one in report["ranks"]] == [0, 1]
    # The buckets of the first step are gone when the second begins.
    weights = 2048 * 2048 * 4
    assert report["kinds"]["communication"] == weights
    assert len({step["allocated"] for step in report["steps"][1:]}) == 1


@pytest.mark.parametrize("folder", ["dist-packages", "target"])
def test_lines_of_a_package_count_for_the_readers_line_wherever_it_is_installed(
    dry: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    packages = tmp_path / folder
    (packages / "layers").mkdir(parents=True)
    (packages / "layers-1.0.dist-info").mkdir()
    code = "import torch\ndef block():\n    return torch.ones(2**20, device='cuda')\n"
    (packages / "layers" / "__init__.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(packages))
    found, _ = dry("import layers\nx = layers.block()\n")
    (line, *_) = json.loads(json.dumps(as_json(found, {})))["lines"]
    assert line["own"]["text"] == "x = layers.block()"
    assert line["package"]["file"] == str(packages / "layers" / "__init__.py")


def test_a_sum_of_gradients_of_views_has_a_line(dry: Run) -> None:
    code = """
    import torch
    x = torch.ones(2**20, device="cuda", requires_grad=True)
    y = x * 2
    part = y[: 2**19]
    (part * 3 + part * 4).sum().backward()
    """
    found, _ = dry(code)
    ledger = found.outcome.ledgers[0]
    assert all(site for _, site, phase in ledger["ops"] if ledger["phases"][phase] == "backward")


def test_the_state_of_dropout_is_said_to_be_assumed(dry: Run) -> None:
    code = """
    import torch
    layer = torch.nn.LSTM(16, 16, num_layers=2, dropout={}).cuda()
    layer(torch.ones(4, 4, 16, device="cuda"))
    """
    said = [dry(code.format(share))[1].count("48 KiB per multiprocessor") for share in (0.5, 0.0)]
    assert said == [1, 0]


def test_bad_settings_are_told_before_anything_runs(dry: Run, tmp_path: Path) -> None:
    with pytest.raises(GuideError, match="folder that exists"):
        Settings(snapshot=tmp_path / "no" / "x.pickle")
    with pytest.raises(GuideError, match="give 1 or more"):
        dry("print('ran')", count=0)
