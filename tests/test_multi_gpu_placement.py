"""In torchrun snippets everything is made on the rank's device, or moved there, as code tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_guide.exemptions import let_off
from gpu_guide.project import HERE
from gpu_guide.snippets.model import Snippet, well_formed_snippets
from gpu_guide.snippets.placement import faults, left

LET_OFF = let_off(HERE, "placement")
SNIPPETS = [snippet for snippet in well_formed_snippets(HERE) if snippet.needs.kind == "torchrun"]

GOOD = """
x = torch.rand(4)
loader = DataLoader(TensorDataset(x, x.sum()))
a, b = torch.rand(2).to(device), torch.ones(3, device=device)
model = nn.Sequential(nn.Linear(1, 1), nn.Tanh())
model.to(device)
other = nn.Linear(2, 2)
for unit in [*other, other]:
    fully_shard(unit)
with torch.device("meta"):
    nowhere = nn.Linear(1, 1)
for x, y in loader:
    loss(model(x.to(device)), y.to(device))
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("x.to(device))", "x)", 2),
        ("y.to(device)", "y", 2),
        ("torch.rand(2).to(device)", "torch.rand(2)", 4),
        ("ones(3, device=device)", "ones(3)", 4),
        ("model.to(device)", "model.eval()", 5),
        ("fully_shard(unit)", "print(unit)", 7),
        ('with torch.device("meta"):', "with torch.no_grad():", 11),
    ],
)
def test_what_is_left_behind_is_found(old: str, new: str, line: int) -> None:
    assert faults(GOOD, Path("x.py")) == [] and old in GOOD
    found = faults(GOOD.replace(old, new), Path("x.py"))
    assert [fault.split(":")[1] for fault in found] == [str(line)]


IN_FUNCTIONS = """
def dataset():
    x = torch.rand(4)
    return TensorDataset(x, x.sum())
def sharded(model):
    return fully_shard(model)
model = nn.Linear(1, 1)
wrapped = wrap(model.to(device))
for x, y in DataLoader(dataset()):
    loss(wrapped(x.to(device)), y)
"""


def test_a_parameter_of_the_same_name_is_another_variable() -> None:
    """`model` is moved outside `sharded`, or not at all."""
    assert [line for line, _ in left(IN_FUNCTIONS)] == []
    assert [line for line, _ in left(IN_FUNCTIONS.replace("model.to(device)", "model"))] == [7]


def test_what_is_let_off_is_one_function_and_not_the_snippet() -> None:
    source = GOOD.replace("x.to(device))", "x)").replace("model.to(device)", "model.eval()")
    assert [fault.split(":")[1] for fault in faults(source, Path("x.py"), {"torch.rand"})] == ["5"]


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.name)
def test_everything_is_placed(snippet: Snippet) -> None:
    if found := faults(snippet.source, snippet.path, LET_OFF.get(snippet.name, ())):
        pytest.fail("\n".join(found), pytrace=False)
