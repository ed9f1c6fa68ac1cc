"""The fences that the guide renders itself: found in a page, replaced by HTML, and located.

Each Markdown extension of the guide names a kind of fence and what makes HTML of it. One
preprocessor serves them all, so that every one of them sees the page as its author wrote it, and
an error can name page and line. What a fence is, page_lines.py says: to the checks of a page, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from markdown import Markdown
from markdown.preprocessors import Preprocessor

from gpu_guide.pages.lines import Fence, scan
from gpu_guide.problems import shown

Render = Callable[[list[str], int], str]
"""From the lines of a fence that say something, and its number among its kind on the page, to HTML.
Raises Fault."""

_NAME = "guide-fences"


class FenceError(ValueError):
    """A fence that cannot be rendered: says page, line and remedy."""


class Fault(Exception):
    """What is wrong in a fence, and what to do; where it is, the preprocessor knows."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem} — {remedy}")


def render_fences(md: Markdown, kind: str, render: Render, pages: Path) -> None:
    """Have `render` make HTML of each fence with the info string `kind`.

    `pages` is the folder of the pages: only to name one in an error.
    """
    if _NAME not in md.preprocessors:
        # Before superfences (25) takes the fences, after line ends are made equal (30).
        md.preprocessors.register(_Fences(md, pages), _NAME, 27)
    md.preprocessors[_NAME].renderers[kind] = render


class _Fences(Preprocessor):
    def __init__(self, md: Markdown, pages: Path) -> None:
        super().__init__(md)
        self.pages = pages
        self.renderers: dict[str, Render] = {}

    def run(self, lines: list[str]) -> list[str]:
        """Replace each fence of a known kind by its HTML. Raises FenceError."""
        out: list[str] = []
        done = 0
        counts: Counter[str] = Counter()
        for fence in scan("\n".join(lines), front=False)[1]:
            try:
                if misread := fence.misread(self.renderers):
                    raise Fault(*misread)
                if fence.language not in self.renderers:
                    continue
                counts[fence.language] += 1
                html = self._html(fence, counts[fence.language])
            except Fault as fault:
                raise FenceError(f"{_place(self.pages, lines, fence.line - 1)}: {fault}") from None
            out += lines[done : fence.line - 1]
            out.append(fence.prefix + self.md.htmlStash.store(html))
            done = fence.end
        return out + lines[done:]

    def _html(self, fence: Fence, count: int) -> str:
        if not fence.closed:
            raise Fault("the fence is not closed", "end it with ```")
        body = [line.strip() for line in fence.content]
        return self.renderers[fence.language]([line for line in body if line], count)


def _place(pages: Path, lines: list[str], number: int) -> str:
    """Page and line. An extension is given the text alone, without front matter: look it up."""
    text = "\n".join(lines).strip("\n")
    for page in sorted(pages.rglob("*.md")):
        whole = page.read_text(encoding="utf-8").replace("\r\n", "\n")
        if text and (start := whole.find(text)) >= 0:
            skipped = len(lines) - len("\n".join(lines).lstrip("\n").split("\n"))
            return f"{shown(page)}:{whole[:start].count(chr(10)) + number - skipped + 1}"
    return f"line {number + 1} of the page's text"
