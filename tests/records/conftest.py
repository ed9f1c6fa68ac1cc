"""Snippets that records are of."""

from __future__ import annotations

import pytest
from small_guides import begin

from gpu_guide.snippets.model import load_snippets


@pytest.fixture
def snippets(tmp_path):
    """Three snippets that ran, of which one needs two GPUs."""
    files = {
        "a": 'print("one")\n',
        "b": 'print("two")\nprint("deux")\n',
        "two": '# needs: cuda:2\n\nprint("three")\n',
    }
    for name, code in files.items():
        path = tmp_path / "snippets" / "t" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        blank = "" if code.startswith("#") else "\n"
        path.write_text(f'"""Title.\n\n标题。\n"""\n{blank}{code}', encoding="utf-8")
    guide = begin(tmp_path)
    return lambda: load_snippets(guide)
