"""Faults of which nothing could be seen: what the rules explain, and what they do not."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

from gpu_guide.faults.equivalent import explained
from gpu_guide.faults.snippets import Fault, planted
from gpu_guide.project import HERE, Project
from gpu_guide.snippets.model import Snippet, parse

TEXT = '''"""Rows of 64 numbers.

每行 64 个数。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
x = torch.rand(8, 64, device=device)
y = torch.zeros(8, 3)
y.copy_(x[:, :3], non_blocking=True)
for a, b in zip(x, y, strict=True):
    a.add_(b[0], alpha=2)
if device.type == "cuda":
    print(x.to("meta", torch.float16))
    torch.cuda.synchronize()
model = torch.empty(2, device="meta")
print(len(x))
#> 8
'''


@pytest.fixture
def snippet(tmp_path: Path) -> Snippet:
    project = Project(tmp_path)
    for config in HERE.configs.values():
        shutil.copyfile(config, tmp_path / config.name)
    path = project.snippets / "check" / "x.py"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT, encoding="utf-8")
    return parse(path, project)


def fault(kind: str, old: str, number: int = 0) -> Fault:
    return [one for one in planted(TEXT) if (one.kind, one.old) == (kind, old)][number]


def ends(other: Fault) -> bool:
    """Nothing is noticed but an end, as if all of the code ran and no value were looked at."""
    return "_exit" in other.new


def why(snippet: Snippet, one: Fault, noticed=ends, told: str = "", gpu: bool = False) -> str:
    found = explained(snippet, one, noticed, told, gpu)
    return f"{found.reason}: {found.why}" if found else ""


@pytest.mark.parametrize(
    ("kind", "old", "number", "says"),
    [
        ("argument", "True", 0, "gpu: Only copies between"),
        ("argument", "True", 1, "equivalent: It only raises"),
        ("synchronize", "torch.cuda.synchronize()", 0, "gpu: Without a GPU there is nothing"),
        ("device", '"meta"', 0, "equivalent: The CPU has the same shapes"),
        ("line", "torch.manual_seed(0)", 0, "equivalent: Other seeds print the same"),
        ("size", "3", 0, "equivalent: Other values go unnoticed"),
        ("argument", "2", 0, "equivalent: Other values go unnoticed"),
        ("size", "64", 0, ""),
        ("line", "y.copy_(x[:, :3], non_blocking=True)", 0, ""),
    ],
)
def test_what_a_rule_explains(
    snippet: Snippet, kind: str, old: str, number: int, says: str
) -> None:
    """The title names 64, and a line that is gone is gone."""
    found = why(snippet, fault(kind, old, number))
    assert found.startswith(says) and bool(found) == bool(says)


def test_a_number_that_a_page_names_is_not_free(snippet: Snippet) -> None:
    one = fault("size", "3")
    assert why(snippet, one, told="A row of 3, then.") == ""
    assert why(snippet, one, told="33 rows, 1.3 in all, float32x3") != ""


def test_a_number_is_free_where_other_values_go_unnoticed_too(snippet: Snippet) -> None:
    tried: list[str] = []

    def noticed(other: Fault) -> bool:
        tried.append(other.source.split("\n")[10])
        return "torch.zeros(8, 11)" in other.source or ends(other)

    assert why(snippet, fault("size", "3"), noticed) == ""
    assert tried[1:] == ["y = torch.zeros(8, 2)", "y = torch.zeros(8, 11)"]


def test_what_no_tier_gets_to_is_for_a_gpu(snippet: Snippet) -> None:
    """The process that would end there goes on."""
    tried: list[str] = []

    def noticed(other: Fault) -> bool:
        tried.append(other.source)
        return False

    one = fault("line", "y.copy_(x[:, :3], non_blocking=True)")
    assert why(snippet, one, noticed).startswith("gpu: No tier")
    assert tried == [TEXT.replace(one.old, '__import__("os")._exit(97)')]
    assert why(snippet, one, noticed, gpu=True) == ""


def test_every_survivor_can_be_looked_at(snippet: Snippet) -> None:
    """Where a fault stands in no part that could end the process, that is not tried."""
    source = TEXT.replace("print(len(x))", 'def f(d="cuda"):\n    return d\n\n\nprint(len(x))')
    whole = dataclasses.replace(snippet, source=source)
    for one in planted(source):
        explained(whole, one, ends, "", gpu=False)
    (default,) = (one for one in planted(source) if "def f(d=" in source.split("\n")[one.line - 1])
    assert why(whole, default, lambda _: False) == ""


def test_only_a_module_that_fully_shard_moves_needs_no_to(tmp_path: Path) -> None:
    folder = HERE.snippets / "multi_gpu"
    shard = parse(folder / "fsdp_units.py", HERE)
    (one,) = (f for f in planted(shard.source) if f.kind == "to" and f.old == "model.to(device)")
    assert "fully_shard" in why(shard, one)
    ddp = parse(folder / "ddp_training.py", HERE)
    moved = [f for f in planted(ddp.source) if f.kind == "to"]
    assert moved and not any("fully_shard" in why(ddp, f) for f in moved)
