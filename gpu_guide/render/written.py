"""Fences that are written out as Markdown before Markdown reads the page.

So what they write is like the page's own text: headings stand in the table of contents and in the
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
        kinds = "|".join(map(re.escape, writers))
        self._fence = re.compile(rf"^```(?P<kind>{kinds})\n(?P<body>[^\n]*)\n```$", re.MULTILINE)

    def run(self, lines: list[str]) -> list[str]:
        """The lines with what the fences write in their place. Raises GuideError."""
        text = "\n".join(lines)
        return self._fence.sub(lambda at: self._writers[at["kind"]](at["body"]), text).split("\n")
