"""Fences that are written out as Markdown before Markdown reads the page.

So what they write is like the page's own text: headings are in the table of contents and in the
search index, and links are checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from markdown import Markdown
from markdown.preprocessors import Preprocessor

Write = Callable[[str], str]
"""From the text of a fence to Markdown. Raises GuideError."""


def write_fences(md: Markdown, writers: Mapping[str, Write]) -> None:
    """Have each fence of these kinds written out on the pages that `md` converts."""
    # Between locating the other fences, at 27, and superfences, at 25.
    md.preprocessors.register(_Written(writers), "guide-fences-written", 26)


class _Written(Preprocessor):
    def __init__(self, writers: Mapping[str, Write]) -> None:
        super().__init__()
        self._writers = writers

    def run(self, lines: list[str]) -> list[str]:
        """The lines with what the fences write in their place. Raises GuideError."""
        return written("\n".join(lines), self._writers).split("\n")


def written(text: str, writers: Mapping[str, Write]) -> str:
    """The text with what the fences of these kinds write in their place. Raises GuideError."""
    kinds = "|".join(map(re.escape, writers))
    fence = re.compile(rf"^```(?P<kind>{kinds})\n(?P<body>[^\n]*)\n```$", re.MULTILINE)
    return fence.sub(lambda at: writers[at["kind"]](at["body"]), text)
