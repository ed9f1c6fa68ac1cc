"""A file of the package or of the tests is short enough to be about one thing."""

from __future__ import annotations

from gpu_guide import ROOT
from gpu_guide.project import HERE

MOST_LINES = 400
LONGER = {"gpu_guide/stand_in/cpu_compute.py"}
"""Those that nobody has split yet: this list only shrinks."""


def test_no_file_is_longer_than_400_lines() -> None:
    """But for what tests read, which is data."""
    own = [path for folder in (HERE.package, HERE.tests) for path in folder.rglob("*.*")]
    code = [path for path in own if path.is_file() and path.suffix != ".pyc"]
    counts = {
        path.relative_to(ROOT).as_posix(): path.read_bytes().count(b"\n")
        for path in code
        if not path.is_relative_to(HERE.tests / "data")
    }
    assert counts["gpu_guide/project.py"] > 100
    assert {name for name, count in counts.items() if count > MOST_LINES} == LONGER
