"""In code that chooses its device everything is made there, or moved there, as the code tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_guide.exemptions import let_off
from gpu_guide.project import HERE
from gpu_guide.snippets.model import well_formed_snippets
from gpu_guide.snippets.placement import applies, faults, left

LET_OFF = let_off(HERE, "placement")

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
        ("fully_shard(unit)", "unit.weight.copy_(a)", 7),
        ('with torch.device("meta"):', "with torch.no_grad():", 11),
    ],
)
def test_what_is_left_behind_is_found(old: str, new: str, line: int) -> None:
    assert faults(GOOD, Path("x.py")) == [] and old in GOOD
    found = faults(GOOD.replace(old, new), Path("x.py"))
    assert [fault.split(":")[1] for fault in found] == [str(line)]


IN_A_METHOD = """
class Trainer:
    def step(self, x):
        return self.model(x.to(device))
x = torch.ones(1)
Trainer().step(x)
"""


def test_a_method_moves_its_argument() -> None:
    assert left(IN_A_METHOD) == []
    assert left(IN_A_METHOD.replace(".to(device)", "")) == [(5, "x = torch.ones")]


MORE_ARGUMENTS = """
def total(first, *rest):
    return sum(one.sum() for one in rest)
x = torch.ones(1)
total(x.to(device), x)
"""


def test_where_an_argument_goes_that_has_no_name_of_its_own_is_not_known() -> None:
    assert left(MORE_ARGUMENTS) == [(4, "x = torch.ones")]


IN_FUNCTIONS = """
def dataset():
    x = torch.rand(4)
    return TensorDataset(x, x.sum())
def sharded(model):
    return fully_shard(model)
model = nn.Linear(1, 1)
wrapped = wrap(model.to(device))
for x, y in DataLoader(dataset()):
    loss(wrapped(x.to(device)), y.to(device))
"""


def test_a_parameter_of_the_same_name_is_another_variable() -> None:
    """`model` is moved outside `sharded`, or not at all."""
    assert [line for line, _ in left(IN_FUNCTIONS)] == []
    assert [line for line, _ in left(IN_FUNCTIONS.replace("model.to(device)", "model"))] == [7]


TRAINING = """
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Resumable(RandomSampler): ...
class Net(nn.Module): ...
def dataset(samples):
    x = torch.rand(samples)
    return TensorDataset(x, x[:3].argmax(1))
def network():
    return Net().to(device)
def evaluate(model, data):
    left = len(data)
    for x, y in DataLoader(data):
        x, y = x.to(device), y.to(device)
        loss(model(x), y)
def main():
    data, test = dataset(4), dataset(2)
    model = DistributedDataParallel(network())
    alone, together = (nn.Linear(1, 1) for _ in range(2))
    check(alone.to(device), together.to(device))
    for x, y in DataLoader(data, sampler=Resumable(data)):
        parts = list(zip(x.split(2), y.split(2)))
        for i, (x, y) in enumerate(parts):
            x, y = x.to(device), y.to(device)
            print(i, loss(model(x), y).shape)
    evaluate(model, test)
    ready = [torch.ones(2)] * 3
    for name, batches in (("ready", ready), ("none", [])):
        for batch in batches:
            with timed("move"):
                batch = batch.to(device)
            print(name, model(batch))
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("x, y = x.to(device), y.to(device)\n        loss", "x = x.to(device)\n        loss", 6),
        ("x, y = x.to(device), y.to(device)\n        loss", "y = y.to(device)\n        loss", 6),
        ("y.to(device)\n            print", "y\n            print", 6),
        ("x.to(device), y.to(device)\n            print", "x, y.to(device)\n            print", 6),
        ("Net().to(device)", "Net()", 9),
        ("alone.to(device)", "alone", 18),
        ("together.to(device)", "together", 18),
        ("batch = batch.to(device)", "pass", 26),
    ],
)
def test_data_is_followed_through_functions_loops_and_loaders(
    old: str, new: str, line: int
) -> None:
    assert left(TRAINING) == [] and TRAINING.count(old) == 1
    assert [at for at, _ in left(TRAINING.replace(old, new))] == [line]


def test_code_that_takes_the_device_it_finds_is_read() -> None:
    assert applies(TRAINING) and applies("# needs: torchrun:2\n")
    assert not applies("x = torch.ones(2)") and not applies(f"# needs: cuda\n{TRAINING}")


def test_what_is_let_off_is_one_variable_and_not_the_snippet() -> None:
    source = GOOD.replace("x.to(device))", "x)").replace("model.to(device)", "model.eval()")
    found = faults(source, Path("x.py"), {"x = torch.rand"})
    assert [fault.split(":")[1] for fault in found] == ["5"]


def test_everything_is_placed() -> None:
    found = []
    for snippet in well_formed_snippets(HERE):
        if applies(snippet.source) and not snippet.needs.libraries:
            found += faults(snippet.source, snippet.path, LET_OFF.get(snippet.name, ()))
    assert not found, "\n".join(found)
