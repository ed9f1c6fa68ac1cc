"""Whole dry runs: scripts that nobody changed, on cards that nobody has."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from stand_in_calls import DryRun

from gpu_guide.dry_run.cards import chosen
from gpu_guide.dry_run.command import DOES_NOT_FIT, FAILED, FITS, dry_run
from gpu_guide.dry_run.run import Settings
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.stand_in.environments import CudaEnvironment

MIB = 2**20
TRAIN = """
import sys
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4096, 4096, bias=False), nn.Linear(4096, 4096, bias=False)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
for step in range(20):
    x = torch.randn(int(sys.argv[2]), 4096, device="cuda")
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
print(torch.cuda.max_memory_allocated())
"""


def test_the_peak_is_pytorchs_own_and_each_byte_has_its_kind(
    dry: DryRun, capfd: pytest.CaptureFixture[str]
) -> None:
    status, report = dry(TRAIN, "--batch", "8", settings=Settings(steps=0))
    printed = capfd.readouterr().out.splitlines()
    assert status == FITS and report["fits"] and report["steps_made"] == 20
    assert report["peak"]["allocated"] == int(printed[-1])
    kinds = report["kinds"]
    assert kinds["weights"] == kinds["gradients"] == 2 * 4096 * 4096 * 4
    # Two states a weight, and two counters of steps on the CPU.
    assert kinds["optimizer"] == 2 * kinds["weights"]
    assert sum(kinds.values()) == report["peak"]["allocated"]


def test_a_script_is_stopped_after_the_steps_that_are_wanted(
    dry: DryRun, capfd: pytest.CaptureFixture[str]
) -> None:
    status, report = dry(TRAIN, "--batch", "8", settings=Settings(steps=3))
    assert (status, report["steps_made"], len(report["steps"])) == (FITS, 3, 3)
    assert [line.split()[0] for line in capfd.readouterr().out.splitlines()] == ["0", "1"]


def test_what_does_not_fit_is_pytorchs_own_error_and_the_need_is_told(
    dry: DryRun, capfd: pytest.CaptureFixture[str]
) -> None:
    status, report = dry(TRAIN, "--batch", "400000")
    assert status == DOES_NOT_FIT and not report["fits"]
    assert "torch.OutOfMemoryError: CUDA out of memory" in capfd.readouterr().err
    need = report["peak"]["allocated"]
    assert need > 3 * 400_000 * 4096 * 4
    assert report["cards"]["rtx-4060"] == "no" and report["cards"]["h100"] == "fits"


def test_the_line_that_holds_most_is_the_readers_own(dry: DryRun) -> None:
    _, report = dry(TRAIN, "--batch", "40000")
    first = report["lines"][0]
    assert first["own"]["text"] == "loss = model(x).square().mean()"
    assert first["own"]["file"].endswith("train.py")
    # Memory of the backward pass counts for the line of the forward pass that made the node.
    backward = [line["own"]["text"] for line in report["lines"] if line["kind"] == "backward"]
    assert "loss = model(x).square().mean()" in backward


def test_numbers_that_no_kernel_computed_are_assumed_and_counted(
    dry: DryRun, capfd: pytest.CaptureFixture[str]
) -> None:
    _, report = dry(TRAIN, "--batch", "512", settings=Settings(steps=0, assumed=2.5))
    assert capfd.readouterr().out.splitlines()[0] == "0 2.5"
    (assumed,) = report["assumed"]
    assert (assumed["kind"], assumed["count"]) == ("value", 20)
    assert assumed["own"]["text"] == "print(step, loss.item())"


def test_small_values_are_computed(dry: DryRun, capfd: pytest.CaptureFixture[str]) -> None:
    code = """
    import torch
    print((torch.arange(10, device="cuda") * 2).sum().item())
    """
    _, report = dry(code)
    assert capfd.readouterr().out == "90\n" and report["assumed"] == []


def test_what_cannot_be_compared_is_as_equal_as_is_assumed(
    dry: DryRun, capfd: pytest.CaptureFixture[str]
) -> None:
    code = """
    import torch
    one = torch.ones((), dtype=torch.bool, device="cuda")
    lowest = torch.rand(100_000, device="cuda").min().lt(1e-9)
    del one  # equal takes this block for its answer, and finds what was there
    print(lowest.new_ones(()).equal(lowest))
    """
    for assumed, printed in ((0.0, "False"), (1.0, "True")):
        _, report = dry(code, settings=Settings(assumed=assumed))
        assert capfd.readouterr().out.split() == [printed]
        (counted,) = report["assumed"]
        assert (counted["kind"], counted["count"]) == ("value", 1)


def test_a_mask_is_as_true_as_is_said(dry: DryRun, capfd: pytest.CaptureFixture[str]) -> None:
    code = """
    import torch
    x = torch.randn(1000, 1000, device="cuda")
    print(x[x > 0].numel())
    """
    _, report = dry(code, settings=Settings(share=0.25))
    assert capfd.readouterr().out == "250000\n"
    assert [one["kind"] for one in report["assumed"]] == ["size"]


def test_layers_run_as_pytorchs_own_code_and_one_without_workspace_is_named(dry: DryRun) -> None:
    code = """
    import torch
    from torch import nn

    images = torch.randn(4, 3, 64, 64, device="cuda")
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ConvTranspose2d(8, 3, 3)).cuda()
    assert net(images).shape == images.shape
    net(images).sum().backward()
    assert net[0].weight.grad.shape == net[0].weight.shape
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        layer = kind(16, 32, num_layers=2, bidirectional=True, batch_first=True).cuda()
        output, state = layer(torch.randn(4, 50, 16, device="cuda"))
        assert output.shape == (4, 50, 64)
        output.sum().backward()
        assert layer.weight_ih_l0.grad.shape == layer.weight_ih_l0.shape
    torch.fft.rfft2(images)
    """
    status, report = dry(code)
    assert status == FITS and report["shapes_only"] == {"_fft_r2c": 1}


def test_the_workspace_of_a_convolution_counts_and_no_algorithm_is_searched(dry: DryRun) -> None:
    code = """
    import torch

    torch.backends.cudnn.benchmark = True
    assert torch.backends.cudnn.benchmark
    conv = torch.nn.Conv2d(64, 128, 3, padding=1).cuda().half()
    conv(torch.zeros(32, 64, 56, 56, device="cuda", dtype=torch.float16))
    """
    status, report = dry(code)
    assert status == FITS and report["kinds"]["workspaces"] >= 32 * 64 * 56 * 56 * 2
    assert report["searched"]


def test_what_may_help_is_run_again(dry: DryRun) -> None:
    # With few weights, the temporaries of the largest one are as large as those of all at once.
    layers = "nn.Linear(4096, 4096, bias=False), nn.Linear(4096, 4096, bias=False)"
    many = "*[nn.Linear(4096, 4096, bias=False) for _ in range(8)]"
    assert layers in TRAIN
    code = TRAIN.replace(", foreach=False", "").replace(layers, many)
    status, report = dry(code, "--batch", "1024", tries=True)
    tried = report["tried"]
    assert status == FITS and set(tried) == {
        "--batch 512",
        'torch.autocast("cuda", torch.bfloat16)',
        "PYTORCH_ALLOC_CONF=expandable_segments:True",
        "PYTORCH_ALLOC_CONF=max_split_size_mb:128",
        "foreach=False",
    }
    assert tried["foreach=False"]["allocated"] < report["peak"]["allocated"]


def test_the_snapshot_opens_in_a_viewer(dry: DryRun, tmp_path: Path) -> None:
    import pickle

    file = tmp_path / "snapshot.pickle"
    dry(TRAIN, "--batch", "8", settings=Settings(snapshot=file))
    snapshot = pickle.loads(file.read_bytes())
    files = {
        Path(frame["filename"]).name
        for event in snapshot["device_traces"][0]
        for frame in event.get("frames", ())
    }
    assert "train.py" in files and not files & {"kernels.py", "cpu_compute.py"}


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('nothing')", "never used a GPU"),
        ("raise SystemExit(3)", "status 3 before it used a GPU"),
        ("import torch\nimport unheard_of", "train.py:2: the script imports unheard_of"),
        ("import torch\ntorch.load('weights.pt')", "train.py:2: the script reads weights.pt"),
        ("import torch\ntorch.ones(1, device='cuda:3')", "--count N"),
        ("import torch\ntorch.not_there", "does not have"),
    ],
)
def test_a_script_that_shows_nothing_is_told_why(dry: DryRun, code: str, said: str) -> None:
    with pytest.raises(GuideError) as caught:
        dry(code)
    assert said in str(caught.value)


def test_a_program_can_read_what_json_prints(environment: CudaEnvironment, tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("import torch\ntorch.ones(1, device='cuda')\nprint('hello')\n", "utf-8")
    command = [sys.executable, "-m", "gpu_guide", "dry-run", "--json"]
    command += ["--python", str(environment.python), "--", "python", str(file)]
    done = subprocess.run(command, cwd=HERE.root, capture_output=True, text=True, check=False)
    assert done.returncode == FITS and json.loads(done.stdout)["fits"] is True
    assert "hello" in done.stderr


@pytest.mark.parametrize(("wrong", "said"), [({"share": 2.0}, "0 to 1"), ({"steps": -1}, "steps")])
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(GuideError, match=said):
        Settings(**wrong)


def test_a_command_that_is_not_there_is_told(environment: CudaEnvironment) -> None:
    card = chosen("t4", HERE)
    with pytest.raises(GuideError, match="no_such_program"):
        dry_run(HERE, environment, card, ["no_such_program"], Settings(), language="en")
    with pytest.raises(GuideError, match="no command"):
        dry_run(HERE, environment, card, [], Settings(), language="en")


def test_an_error_later_on_leaves_what_was_seen_until_then(
    dry: DryRun, capfd: pytest.CaptureFixture[str]
) -> None:
    code = """
    import torch
    x = torch.ones(2**20, device="cuda")
    y = torch.ones(3, device="cuda") + torch.ones(4, device="cuda")
    """
    status, report = dry(code, as_json=False)
    assert status == FAILED
    error = capfd.readouterr().err
    assert "train.py:4: RuntimeError: The size of tensor a (3)" in error
    assert "kernels.py" not in error and "cpu_compute.py" not in error
    assert "The script ended with an error" in report["text"]


def test_the_report_is_in_the_readers_language(dry: DryRun) -> None:
    _, report = dry(TRAIN, "--batch", "8", as_json=False, language="zh")
    text = report["text"]
    assert "放得下" in text and "优化器状态" in text and "train.py:" in text
    assert "Fits" not in text


def test_a_compiled_model_is_planned_by_inductor(dry: DryRun) -> None:
    code = """
    import torch
    from torch import nn

    class Wave(nn.Module):
        def forward(self, x):
            return torch.sin(x) * torch.sigmoid(x)

    layers = [layer for _ in range(2) for layer in (nn.Linear(1024, 1024), Wave())]
    model = torch.compile(nn.Sequential(*layers).cuda())
    optimizer = torch.optim.SGD(model.parameters())
    for step in range(2):
        x = torch.randn(4096, 1024, device="cuda")
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    """
    status, eager = dry(code)
    compiling, compiled = dry(code, settings=Settings(compile=True))
    assert (status, compiling) == (FITS, FITS) and eager["compiled"] and compiled["compiled"]
    assert compiled["kinds"]["weights"] == eager["kinds"]["weights"]
    # Eagerly the sine and the sigmoid are kept; Inductor computes both again.
    assert 0 < compiled["peak"]["allocated"] < eager["peak"]["allocated"]
    assert any(line["operator"] == "compiled" for line in compiled["lines"])
    assert not any(line["operator"] == "compiled" for line in eager["lines"])


def test_the_largest_batch_is_found_and_a_script_that_fails_is_named(dry: DryRun) -> None:
    code = """
    import sys
    import torch

    size = int(sys.argv[2])
    assert size != 3, "three is no batch"
    x = torch.empty(size, 2**28, device="cuda")  # 1 GiB each
    """
    _, report = dry(code, "--batch", "2", largest_batch=True)
    # An RTX 4060 in a laptop has 7.6 GiB, of which the context takes half a GiB.
    assert report["largest_batch"] == 7
    with pytest.raises(GuideError, match=r"--batch 3.*three is no batch"):
        dry(code, "--batch", "6", card="gtx-1650", largest_batch=True)
    with pytest.raises(GuideError, match="names no batch"):
        dry(code, "8", largest_batch=True)
