"""Code takes the device that is there, and waits for it before it reads a clock, as it tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_guide.exemptions import let_off
from gpu_guide.project import HERE
from gpu_guide.snippets.device_choice import faults, found
from gpu_guide.snippets.model import well_formed_snippets

LET_OFF = let_off(HERE, "choice")

GOOD = """
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
other = torch.accelerator.current_accelerator(check_available=True)
state = torch.load("x.pt", map_location="cpu"); dist.broadcast(x, src=0)
def step():
    model(x)
    if device.type == "cuda":
        torch.cuda.synchronize()
def seconds(work):
    work()
    step()
    start = time.perf_counter()
    work()
    step()
    return time.perf_counter() - start
torch.cuda.synchronize()
begin.record()
work()
end.record()
end.synchronize()
print(begin.elapsed_time(end))
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ('"cuda" if', '"cpu" if', 2, "does not take the GPU"),
        ('else "cpu"', 'else "cuda"', 2, "does not take the GPU"),
        ("check_available=True", "", 3, "may name a device that is not there"),
        ("check_available=True", "check_available=False", 3, "may name a device"),
        ('map_location="cpu"', "map_location=None", 4, "the device that saved them"),
        ("src=0", "src=1", 4, "rank 1 gives its values to all"),
        ('type == "cuda"', 'type == "cpu"', 8, "torch.cuda.synchronize is called for the CPU"),
        ("        torch.cuda.synchronize()\n", "        pass\n", 15, "time since start is read"),
        ("work()\n    step()\n    return", "work()\n    return", 14, "time since start is read"),
        ("end.synchronize()\n", "", 20, "elapsed_time of an event"),
    ],
)
def test_what_a_machine_without_a_gpu_does_not_show_is_read(
    old: str, new: str, line: int, says: str
) -> None:
    assert found(GOOD) == [] and GOOD.count(old) == 1
    (told,) = faults(GOOD.replace(old, new), Path("x.py"))
    assert told.startswith(f"x.py:{line}: ") and says in told and " — " in told


def test_only_what_is_named_is_let_off() -> None:
    source = GOOD.replace("check_available=True", "").replace('"cuda" if', '"cpu" if')
    what = "other = current_accelerator() may name a device that is not there"
    assert ["GPU where" in told for told in faults(source, Path("x.py"), {what})] == [True]


def test_every_snippet_takes_the_device_that_is_there() -> None:
    told = []
    for snippet in well_formed_snippets(HERE):
        told += faults(snippet.source, snippet.path, LET_OFF.get(snippet.name, ()))
    assert not told, "\n".join(told)
