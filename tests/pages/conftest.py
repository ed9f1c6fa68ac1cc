"""A small guide in which nothing is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_faults import DATA
from small_guides import begin

from gpu_guide.project import HERE


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A tree in which nothing is wrong, although no half is in line with the other."""
    files = {f"docs/{name}": text for name, text in DATA["pages"].items()}
    files |= {f"docs/{lang}/picture.svg": "<svg/>" for lang in HERE.languages}
    return begin(tmp_path, files=files).docs
