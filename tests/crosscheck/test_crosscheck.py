"""The simulation against PyTorch's own rules, and the comparison itself."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
import torch

from gpu_guide.crosscheck import compare as crosscheck
from gpu_guide.crosscheck.compare import Comparison
from gpu_guide.crosscheck.table import KNOWN, OPERATIONS, PAIRS
from gpu_guide.project import HERE
from gpu_guide.records.evidence import pinned_torch

pytestmark = pytest.mark.slow

HAS_GPU = torch.cuda.is_available()

known_is_of_this_torch = pytest.mark.skipif(
    torch.__version__.split("+")[0] != pinned_torch(HERE.constraints),
    reason="FakeTensor's rules differ from version to version, and KNOWN is of the pinned torch",
)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Both asked once, for all tests."""
    return crosscheck.compare_with_fake_tensor()


@pytest.mark.slow
def test_every_case_was_put_to_both(comparison: Comparison) -> None:
    assert len(OPERATIONS) >= 60
    assert len(PAIRS) == 7
    assert len(comparison.ours) == len(comparison.theirs) == len(OPERATIONS) * len(PAIRS)
    answers = Counter(comparison.theirs.values())
    assert answers["no answer: the process died"] == 0
    assert len(crosscheck.answered(comparison.theirs)) > 0.75 * len(comparison.theirs)


@pytest.mark.slow
@known_is_of_this_torch
def test_every_disagreement_is_explained(comparison: Comparison) -> None:
    assert comparison.unexplained == []


@pytest.mark.slow
@known_is_of_this_torch
def test_every_explanation_is_needed(comparison: Comparison) -> None:
    assert comparison.outdated == []


@pytest.mark.slow
def test_on_one_device_nothing_is_refused_for_devices(comparison: Comparison) -> None:
    refused = [op for (op, pair), answer in comparison.ours.items() if answer == "mismatch"]
    assert len(set(refused)) > 60
    same = [op for op in OPERATIONS if comparison.ours[op, "cuda:0/cuda:0"] == "mismatch"]
    assert same == []


def test_known_names_real_cases() -> None:
    assert {op for op, _ in KNOWN} <= OPERATIONS.keys()
    assert {pair for _, pair in KNOWN} <= PAIRS.keys()
    assert all(KNOWN.values())


@pytest.mark.slow
@known_is_of_this_torch
def test_a_new_disagreement_and_a_settled_one_are_noticed(comparison: Comparison) -> None:
    case, settled = ("add", "cuda:0/cuda:1"), ("where", "cuda:0/cuda:1 0-dim")
    broken = Comparison(
        {**comparison.ours, case: "cuda:0", settled: comparison.theirs[settled]}, comparison.theirs
    )
    assert (broken.unexplained, broken.outdated) == ([case], [settled])
    report = "\n".join(broken.report())
    assert "add cuda:0/cuda:1: simulated cuda:0, FakeTensor mismatch\n    NOT EXPLAINED" in report
    assert "where cuda:0/cuda:1 0-dim: listed in KNOWN but no longer" in report


@known_is_of_this_torch
def test_the_report_gives_every_reason(comparison: Comparison) -> None:
    first, *rest = comparison.report()
    assert first.startswith(f"{len(OPERATIONS)} operations x 7 pairs of devices = ")
    assert first.count(f" {len(KNOWN)} disagree") == 1
    for (op, pair), reason in KNOWN.items():
        assert any(r.startswith(f"{op} {pair}: ") and reason in r for r in rest), (op, pair)


def test_a_dying_process_is_one_case_without_an_answer(tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text(
        "import os, sys\n"
        f"for case in range(int(sys.argv[1]), {len(OPERATIONS) * len(PAIRS)}):\n"
        "    if case in (2, 5):\n"
        "        os._exit(1)\n"
        "    print('\"cpu\"', flush=True)\n",
        encoding="utf-8",
    )
    found = crosscheck.by_fake_tensor([sys.executable, str(child)])
    died = [i for i, answer in enumerate(found.values()) if answer != "cpu"]
    assert (len(found), died) == (len(OPERATIONS) * len(PAIRS), [2, 5])
    child.write_text("raise SystemExit(3)\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="exit status 3"):
        crosscheck.by_fake_tensor([sys.executable, str(child)])


@pytest.mark.skipif(HAS_GPU, reason="there is a GPU to ask")
def test_without_a_gpu_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert crosscheck.main(["--gpu"]) == 2
    assert "no CUDA GPU" in capsys.readouterr().out


def test_gpu_mode_lists_every_difference(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda index: "a card")
    answers = {("add", "cuda:0/cpu"): "mismatch", ("mul", "cuda:0/cpu"): "cuda:0"}
    ours = dict.fromkeys(answers, "mismatch")
    monkeypatch.setattr(crosscheck, "simulated", lambda: ours)
    monkeypatch.setattr(crosscheck, "by_gpus", lambda gpus: answers)
    assert crosscheck.main(["--gpu"]) == 1
    out = capsys.readouterr().out
    assert "2 of 2 cases tried, 1 differ" in out
    assert "mul cuda:0/cpu: simulated mismatch, GPU cuda:0" in out
    assert "add" not in out


def test_with_one_gpu_only_its_pairs_are_tried(tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text("print('\"cpu\"\\n' * 1000, flush=True)\n", encoding="utf-8")
    tried = {pair for _, pair in crosscheck.by_gpus(1, [sys.executable, str(child), "0"])}
    assert tried == {
        "cuda:0/cuda:0",
        "cuda:0/cpu",
        "cpu/cuda:0",
        "cuda:0/cpu 0-dim",
        "cpu/cuda:0 0-dim",
    }


@pytest.mark.skipif(not HAS_GPU, reason="needs a GPU")
def test_a_real_gpu_agrees() -> None:
    assert (
        crosscheck.disagreements(
            crosscheck.simulated(), crosscheck.by_gpus(torch.cuda.device_count())
        )
        == {}
    )
