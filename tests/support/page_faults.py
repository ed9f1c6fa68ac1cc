"""What is made wrong in the small guide of tests/data/page_faults.yml, and what is told of it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from gpu_guide import fast_yaml
from gpu_guide.pages import structure
from gpu_guide.problems import Problem
from gpu_guide.project import HERE, Project

NAMES = ("topic/first", "topic/other")
DATA = fast_yaml.load((HERE.tests / "data/page_faults.yml").read_text(encoding="utf-8"))
FAULTS, DIFFERENCES = (
    [pytest.param(*one.values(), id=name) for name, one in DATA[kind].items()]
    for kind in ("faults", "differences")
)


def check(docs: Path, snippets: Collection[str]) -> list[Problem]:
    return structure.check(Project(docs.parent), snippets)
