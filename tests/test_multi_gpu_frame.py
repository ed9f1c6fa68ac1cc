"""Every torchrun snippet has the same frame: one backend line, a time limit, a group that ends.

Without a time limit a missing rank hangs the others for half an hour; without the one backend line
the same file would not run over NCCL on GPUs and over gloo elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import well_formed_snippets

from gpu_guide.runner import TIME_LIMIT
from gpu_guide.snippets import Snippet, shown

ON_GPUS = "on_gpus = torch.cuda.device_count() >= int(os.environ['LOCAL_WORLD_SIZE'])"
BACKEND = "backend = 'nccl' if on_gpus else 'gloo'"
LONGEST = TIME_LIMIT / 2
"""Seconds that a snippet may wait for a rank: the runner must not end it first."""

SNIPPETS = [snippet for snippet in well_formed_snippets() if snippet.needs.kind == "torchrun"]


def faults(source: str, path: Path) -> list[str]:
    """What is wrong with the frame of a torchrun snippet: file, line, what to do."""
    tree = ast.parse(source)
    return [f"{shown(path)}:{line}: {what} — {remedy}" for line, what, remedy in _faults(tree)]


def _faults(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    starts = _calls(tree, "init_process_group")
    if not starts:
        yield 1, "no init_process_group", "begin with the frame of the other torchrun snippets"
        return
    for call in starts:
        yield from _start(call)
    yield from _backend(tree, starts[0].lineno)
    ends = [call.lineno for call in _unconditional(tree) if _name(call) == "destroy_process_group"]
    if not any(line > starts[-1].lineno for line in ends):
        yield (
            starts[-1].lineno,
            "the group is not destroyed on every way to the end",
            "end the file with dist.destroy_process_group(), in no branch, or in a finally",
        )


def _start(call: ast.Call) -> Iterator[tuple[int, str, str]]:
    remedy = "write dist.init_process_group(backend, timeout=timedelta(seconds=30))"
    backend = [*call.args, *(k.value for k in call.keywords if k.arg == "backend")][:1]
    if [ast.unparse(argument) for argument in backend] != ["backend"]:
        yield call.lineno, "init_process_group does not take `backend`", remedy
    limit = next((k.value for k in call.keywords if k.arg == "timeout"), None)
    seconds = _seconds(limit)
    if limit is None:
        yield call.lineno, "init_process_group without a time limit", remedy
    elif seconds is None:
        yield limit.lineno, f"a time limit nobody can read: {ast.unparse(limit)}", remedy
    elif not 0 < seconds <= LONGEST:
        problem = f"a time limit of {seconds:g} s, not of {LONGEST:g} s at most"
        yield limit.lineno, problem, remedy


def _seconds(limit: ast.expr | None) -> float | None:
    """The seconds of `timedelta(seconds=<number>)`, None for anything else."""
    if not isinstance(limit, ast.Call) or _name(limit) != "timedelta" or limit.args:
        return None
    if [keyword.arg for keyword in limit.keywords] != ["seconds"]:
        return None
    value = limit.keywords[0].value
    number = isinstance(value, ast.Constant) and type(value.value) in (int, float)
    return float(value.value) if number else None


def _backend(tree: ast.Module, start: int) -> Iterator[tuple[int, str, str]]:
    before = {ast.unparse(statement) for statement in tree.body if statement.lineno < start}
    for wanted in (ON_GPUS, BACKEND):
        if wanted not in before:
            name = wanted.split(" ")[0]
            other = (s.lineno for s in tree.body if ast.unparse(s).startswith(f"{name} = "))
            line = next(other, start)
            yield line, f"`{name}` is not set by the common line", f"write {wanted}"


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _name(n) == name]
    return sorted(found, key=lambda call: call.lineno)


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _unconditional(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls that are statements of their own and run whatever else the file does."""
    statements = list(tree.body)
    for statement in statements:
        if isinstance(statement, ast.Try):
            statements += statement.finalbody
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield statement.value


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.name)
def test_has_the_common_frame(snippet: Snippet) -> None:
    found = faults(snippet.source, snippet.path)
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_there_are_torchrun_snippets() -> None:
    assert SNIPPETS


GOOD = f"""{ON_GPUS}
{BACKEND}
dist.init_process_group(backend, timeout=timedelta(seconds=30))
work()
dist.destroy_process_group()
"""


@pytest.mark.parametrize(
    "source",
    [
        GOOD,
        GOOD.replace("(backend,", "(backend=backend,"),
        GOOD.replace("work()\ndist.", "try:\n    work()\nfinally:\n    dist."),
    ],
    ids=["as it is", "backend by name", "finally"],
)
def test_a_correct_frame_is_left_alone(source: str) -> None:
    assert faults(source, Path("x.py")) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (", timeout=timedelta(seconds=30)", "", 3, "without a time limit"),
        ("seconds=30", "minutes=30", 3, "nobody can read"),
        ("seconds=30", "seconds=1800", 3, "1800 s"),
        ("seconds=30", "seconds=0", 3, "0 s"),
        ("(backend,", "('gloo',", 3, "does not take `backend`"),
        ("(backend,", "(", 3, "does not take `backend`"),
        (BACKEND, "backend = 'gloo'", 2, "`backend` is not set by the common line"),
        (f"{BACKEND}\n", "", 2, "`backend` is not set by the common line"),
        (ON_GPUS, "on_gpus = torch.cuda.is_available()", 1, "`on_gpus` is not set"),
        ("dist.destroy_process_group()", "pass", 3, "not destroyed"),
        ("dist.destroy", "if rank == 0:\n    dist.destroy", 3, "not destroyed"),
        ("dist.init_process_group(backend, timeout=timedelta(seconds=30))", "", 1, "no init"),
    ],
)
def test_a_fault_is_named_with_its_line(old: str, new: str, line: int, words: str) -> None:
    assert old in GOOD
    found = faults(GOOD.replace(old, new), Path("x.py"))
    assert len(found) == 1, found
    assert found[0].startswith(f"x.py:{line}: ")
    assert words in found[0] and " — " in found[0]
