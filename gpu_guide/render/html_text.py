"""The HTML of a fence as Markdown: tables, paragraphs, code, lists and links, without anything that
only a browser makes sense of. Of a drawing, its title and its description are left.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

_PARAGRAPHS = frozenset({"p", "div", "figure", "figcaption", "details", "table", "ol", "ul", "svg"})
_UNSEEN = frozenset({"form", "script", "style"})
_MARKS = {"strong": "**", "b": "**", "summary": "**", "em": "*", "i": "*"}
_OF_DRAWINGS = frozenset({"title", "desc"})


def markdown_of(html: str) -> str:
    """The Markdown that says the same as `html`, without blank lines around it."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    text = re.sub(r"[ \t]+\n", "\n", reader.take())
    return re.sub(r"\n{3,}", "\n\n", text).strip()


class _Reader(HTMLParser):
    """Writes Markdown while it reads."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._written: list[str] = []
        self._outside: list[list[str]] = []
        """What was written before the cells that are being read."""
        self._open: list[str] = []
        self._targets: list[str] = []
        self._numbers: list[int | None] = []
        self._rows: list[list[str]] = []
        self._tall: dict[int, list[str]] = {}
        """By column, the text of a cell that spans so many rows below."""
        self._rowspan = 1

    def take(self) -> str:
        """What is written so far."""
        return "".join(self._written)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "br":
            self._write(" " if self._outside else "\n")
            return
        if tag in ("input", "img", "hr", "rect", "path", "circle", "line"):
            return
        self._open.append(tag)
        if tag in _PARAGRAPHS or (tag in _OF_DRAWINGS and "svg" in self._open):
            self._write("\n\n")
        if tag in _MARKS:
            self._write(_MARKS[tag])
        elif tag == "pre":
            self._write("\n\n```text\n")
        elif tag == "code" and "pre" not in self._open:
            self._write("`")
        elif tag == "a":
            self._targets.append(found.get("href", ""))
            self._write("[")
        elif tag in ("ol", "ul"):
            self._numbers.append(1 if tag == "ol" else None)
        elif tag == "li":
            self._write(f"\n{self._mark()} ")
        elif tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("th", "td"):
            self._rowspan = int(found.get("rowspan") or 1)
            self._outside.append(self._written)
            self._written = []

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._open:
            return
        while self._open.pop() != tag:
            pass
        if tag in _MARKS:
            self._write(_MARKS[tag] + ("\n\n" if tag == "summary" else ""))
        elif tag == "pre":
            self._write("" if self.take().endswith("\n") else "\n")
            self._write("```\n\n")
        elif tag == "code" and "pre" not in self._open:
            self._write("`")
        elif tag == "a":
            self._write(f"]({self._targets.pop()})")
        elif tag in ("ol", "ul"):
            self._numbers.pop()
        elif tag in ("th", "td"):
            self._end_cell()
        elif tag == "tr":
            self._take_tall()
        elif tag == "table":
            self._end_table()
        if tag in _PARAGRAPHS or tag in _OF_DRAWINGS:
            self._write("\n\n")

    def handle_data(self, data: str) -> None:
        if _UNSEEN.intersection(self._open):
            return
        if "svg" in self._open and not _OF_DRAWINGS.intersection(self._open):
            return
        self._write(data if "pre" in self._open else re.sub(r"\s+", " ", data))

    def _write(self, text: str) -> None:
        self._written.append(text)

    def _mark(self) -> str:
        number = self._numbers[-1] if self._numbers else None
        if number is None:
            return "-"
        self._numbers[-1] = number + 1
        return f"{number}."

    def _take_tall(self) -> None:
        """Write again what a cell of a row above says of this row, too."""
        row = self._rows[-1]
        while texts := self._tall.get(len(row)):
            row.append(texts.pop())

    def _end_cell(self) -> None:
        self._take_tall()
        text = re.sub(r"\s+", " ", self.take()).strip().replace("|", r"\|")
        self._written = self._outside.pop()
        row = self._rows[-1]
        if self._rowspan > 1:
            self._tall[len(row)] = [text] * (self._rowspan - 1)
        row.append(text)

    def _end_table(self) -> None:
        head, *rows = self._rows or [[]]
        for row in (head, ["---"] * len(head), *rows):
            self._write(f"| {' | '.join(row)} |\n")
        self._tall = {}
