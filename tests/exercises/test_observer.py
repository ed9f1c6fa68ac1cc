"""What a check is told of a run: copies, waits, bytes, errors, and two processes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gpu_guide.exercises import run
from gpu_guide.exercises.run import Checker, Outcome
from gpu_guide.exercises.source import Exercise, Sentence, Start
from gpu_guide.problems import GuideError

BEGIN = "import torch\nx = torch.ones(1000, device='cuda')\n"


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker() as ready:
        yield ready


Seen = Callable[..., Outcome]


@pytest.fixture
def seen(checker: Checker, tmp_path: Path) -> Seen:
    """Run a program, and say what its check returns as the sentence "says"."""

    def outcome(program: str, expression: str, **start: Any) -> Outcome:
        check = f"def check(ran):\n    return 'says', {{'seen': {expression}}}\n"
        (tmp_path / "check.py").write_text(check, encoding="utf-8")
        file = tmp_path / "program.py"
        file.write_text(textwrap.dedent(program), encoding="utf-8")
        words: Mapping[str, Mapping[str, str]] = {"en": {}}
        says = {"says": Sentence("says", {"en": "{seen}"})}
        exercise = Exercise("a/b", tmp_path, "", Start("", "", words, **start), says, (), ())
        return checker.check(exercise, file)

    return outcome


@pytest.mark.parametrize(
    ("line", "expression", "value"),
    [
        (
            "x.cpu()",
            "[(e.line, e.source, e.target, e.size) for e in ran.of('copy')]",
            "[(3, 'cuda:0', 'cpu', 4000)]",
        ),
        (
            "torch.ones(3).pin_memory().to('cuda:1', non_blocking=True)",
            "[(e.target, e.pinned, e.non_blocking) for e in ran.of('copy')]",
            "[('cuda:1', True, True)]",
        ),
        ("torch.nn.Linear(2, 2).cuda()", "len(ran.of('copy'))", "2"),
        ("x.to('cuda:0')", "ran.of('copy')", "[]"),
        ("x.argwhere()", "[e.source for e in ran.of('wait')]", "['argwhere']"),
        ("x.sum().item()", "[(e.line, e.source) for e in ran.of('wait')]", "[(3, 'item')]"),
        ("bool(x[0] > 0)", "[e.source for e in ran.of('wait')]", "['bool']"),
        ("x[x > 0]", "[e.source for e in ran.of('wait')]", "['getitem']"),
        ("x.nonzero()", "[e.source for e in ran.of('wait')]", "['nonzero']"),
        ("print(x)", "len(ran.of('wait'))", "1"),
        ("x.cpu().sum().item()", "[e.source for e in ran.of('wait')]", "['to']"),
        ("x + 1", "ran.of('wait')", "[]"),
        ("torch.ones(1000).sum().item()", "ran.of('wait')", "[]"),
        (
            "import time; time.perf_counter(); torch.cuda.synchronize()",
            "[e.what for e in ran.events]",
            "['clock', 'synchronize']",
        ),
    ],
)
def test_what_happens_is_noted_with_its_line(
    seen: Seen, line: str, expression: str, value: str
) -> None:
    assert seen(f"{BEGIN}{line}\n", expression).values == {"seen": value}


def test_bytes_are_counted_in_blocks_and_given_back(seen: Seen) -> None:
    program = f"{BEGIN}y = x + 1\ndel x\nz = torch.ones(1, device='cuda')\n"
    held = seen(program, "(ran.held, ran.peak)")
    assert held.values == {"seen": str((4096 + 512, 2 * 4096))}


def test_views_share_their_bytes(seen: Seen) -> None:
    assert seen(f"{BEGIN}y = x[10:]\n", "ran.held").values == {"seen": "4096"}


def test_an_error_is_told_with_its_line_unless_the_check_explains_it(seen: Seen) -> None:
    outcome = seen(f"{BEGIN}y = x + torch.ones(1000)\n", "ran['y']")
    assert (outcome.key, outcome.values["line"]) == ("stopped", "3")
    assert "same device" in outcome.values["text"]
    explained = seen(f"{BEGIN}y = x + torch.ones(1000)\n", "ran.error.kind")
    assert explained.values == {"seen": "RuntimeError"}


@pytest.mark.parametrize(
    ("program", "key"),
    [
        ("y = 1\n", "missing"),
        ("def f(:\n", "no_python"),
        ("raise SystemExit('no')\n", "stopped"),
        ("import os\nos._exit(3)\n", "ended"),
        ("import torch\ntorch.cuda.Stream()\n", "not_simulated"),
    ],
)
def test_whatever_a_program_does_is_a_sentence(seen: Seen, program: str, key: str) -> None:
    outcome = seen(program, "ran['x']")
    assert outcome.key == key
    assert outcome.sentence(_no_exercise(), "zh")


def _no_exercise() -> Exercise:
    return Exercise("a/b", Path(), "", Start("", "", {}), {}, (), ())


def test_each_machine_has_its_gpus(seen: Seen) -> None:
    program = "import torch\nn = torch.cuda.device_count()\nassert n != 1\n"
    outcome = seen(program, "1 / 0 if ran.error is None else ran['n']", gpus=("1", "2"))
    assert outcome.values == {"seen": "1"}


TWO = "import torch.distributed as dist\ndist.init_process_group('gloo')\nrank = dist.get_rank()\n"


def test_two_processes_know_what_both_have(seen: Seen) -> None:
    outcome = seen(f"{TWO}x = [rank] * 2\n", "ran.from_ranks(ran['x'])", processes=2)
    assert outcome.values == {"seen": "[[0, 0], [1, 1]]"}


def test_a_process_that_waits_in_vain_is_told_with_its_line(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "GRACE", 0.2)
    program = f"{TWO}if rank == 1:\n    dist.barrier()\n"
    outcome = seen(program, "ran.from_ranks(1)", processes=2)
    assert (outcome.key, outcome.values) == ("hangs", {"rank": "1", "line": "5"})


def test_the_cause_goes_before_what_follows_from_it(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "GRACE", 0.2)
    program = f"{TWO}if rank == 1:\n    raise ValueError('mine')\ndist.barrier()\n"
    outcome = seen(program, "ran.from_ranks(1)", processes=2)
    assert (outcome.key, outcome.values["text"]) == ("stopped", "mine")


def test_a_program_without_an_end_is_ended(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "SECONDS", 0.2)
    assert seen("while True:\n    pass\n", "1").key == "hangs"


@pytest.mark.parametrize("expression", ["1 / 0", "ran.no_such"])
def test_a_check_that_fails_names_its_file(seen: Seen, tmp_path: Path, expression: str) -> None:
    with pytest.raises(GuideError, match=r"check.py:1: the check fails: \w+Error"):
        seen("x = 1\n", expression)


def test_nothing_of_a_run_is_left_for_the_next(seen: Seen) -> None:
    seen("import torch\ntorch.set_default_device('cuda:1')\ntorch.manual_seed(3)\n", "1")
    after = seen("import torch\nx = torch.ones(1)\n", "ran['x'].device")
    assert after.values == {"seen": "cpu"}


def test_an_error_is_told_without_the_colours_of_a_terminal(seen: Seen) -> None:
    program = r"raise RuntimeError('\x1b[1mdo\x1b[0m it\nmore')"
    assert seen(program, "ran.error.text").values["seen"] == "do it"
