"""Commands that readers type: pip is called with the Python that it is to install for.

A bare `pip` may belong to another Python. The name of a practice, such as `pip install torch`, is
not a command to copy and stays as people write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gpu_guide.pages.page import Page
from gpu_guide.problems import Problem

_SHELLS = frozenset({"bash", "bat", "console", "dockerfile", "powershell", "sh"})
_TYPED = re.compile(r"(?:^|&&|\||;|\bRUN |\bsudo (?:-H )?|^[!$] ?)\s*(pip3? [a-z]\S*)")
_INLINE = re.compile(r"(?<!`)`(pip3? [a-z][^`\n]*)`")
_NAMES = frozenset(
    {"pip install", "pip uninstall", "pip install torch", "pip install -r requirements.txt"}
)
_REMEDY = "write 'python -m pip': a bare pip may belong to another Python"


def check(page: Page) -> Iterator[Problem]:
    """A bare pip in a shell fence or in the inline code of a page."""
    for fence in page.fences:
        for number, line in enumerate(fence.content if fence.language in _SHELLS else (), 1):
            for found in _TYPED.finditer(line):
                yield Problem(page.path, fence.line + number, found[1], _REMEDY)
    for line in page.lines:
        if line.kind == "prose":
            yield from _inline(page.path, line.number, line.text)


def check_data(path: Path) -> Iterator[Problem]:
    """A bare pip in the inline code of a data file's texts."""
    for number, row in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        yield from _inline(path, number, row)


def _inline(path: Path, number: int, text: str) -> Iterator[Problem]:
    for found in _INLINE.finditer(text):
        if found[1] not in _NAMES:
            yield Problem(path, number, found[1], _REMEDY)
