"""A page's Markdown line by line: what is prose, and what is code, comment or mathematics.

It sees fences wherever MkDocs Material does (in admonitions, tabs, lists, quotes), which is what
the page checks and the Chinese check have in common.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["front", "fence", "code", "comment", "math", "prose", "blank"]

_FENCE = re.compile(
    r"^(?P<prefix>(?:[ \t>]|[-*+][ ]|\d+[.)][ ])*)(?P<marks>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$"
)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
FULL = "，。：；？！、（）“”《》"
_PREFIX = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d+[.)])[ ]+(?:\[[ xX]\][ ]+)?|#{1,6}[ ]*|\*?\[[^\]]+\]:[ ]*|:[ ]+)*"
)
_TITLE = re.compile(r'^[ \t>]*(?:!!!|\?\?\?\+?|===[!+]?)[ ]*[\w -]*(?:"(.*)")?\s*$')

INDENTED = (
    "code by indentation",
    "write a fence; in a list, indent by the list's four columns only",
)
"""What keeps lines, or a fence, from being what they look like, and what to do."""


@dataclass(frozen=True)
class Line:
    """One source line and what it belongs to; comments are taken out of `text`, not of `source`."""

    number: int
    kind: Kind
    text: str
    source: str


@dataclass(frozen=True)
class Fence:
    """A fenced block; its content is without the indentation of its place."""

    prefix: str
    """Text before the marks: blanks, `>`, and perhaps a list item's mark."""
    info: str
    line: int
    end: int
    """The line that closes it; where none does, the last of the page."""
    content: tuple[str, ...]
    closed: bool

    @property
    def language(self) -> str:
        """The language, in whichever way it is written: ```py, ``` { .py }, ```{.py title="x"}."""
        match = re.match(r"\s*\{?:?[ ]*(?:#\S+[ ]+)?\.?([^\s{}]*)", self.info)
        return match[1].lower() if match else ""

    def misread(self, kinds: Container[str]) -> tuple[str, str] | None:
        """What keeps the page from showing the fence, and what to do; None where nothing does.

        `kinds` are the languages that the guide renders itself. The checks and the renderer both
        ask this, so that no fence passes the one and is left as text by the other.
        """
        if self.prefix.strip(" \t>"):
            remedy = "give the fence lines of its own, four columns further right than the mark"
            return "a fence on the line of a list mark, where Markdown does not see it", remedy
        if self.language in kinds and self.info != self.language:
            remedy = f"write ```{self.language} and nothing behind it"
            return f"a {self.language} fence that says {self.info!r}", remedy
        return None


@lru_cache(maxsize=4)  # what replaces several things in a text asks for it before each
def mask_code(text: str) -> str:
    """`text` with the content of inline code made unreadable; no character moves."""
    return _CODE_SPAN.sub(lambda m: m[1] + _unreadable(m[2]) + m[1], text) if "`" in text else text


def _unreadable(code: str) -> str:
    if "\n" not in code:
        return "\0" * len(code)
    return "\n".join("\0" * len(row) for row in code.split("\n"))


def scan(text: str, *, front: bool = True) -> tuple[tuple[Line, ...], tuple[Fence, ...]]:
    """Tell for each line what it belongs to, and collect the fences.

    Without `front` the text has no front matter: `---` at its beginning is a rule.
    """
    rows = text.split("\n")
    lines: list[Line] = []
    fences: list[Fence] = []
    state: Kind | None = None
    opened: re.Match[str] | None = None
    opening = 0
    for number, row in enumerate(rows, 1):
        if front and number == 1 and row.rstrip() == "---":
            state = "front"
            lines.append(Line(number, "front", row, row))
        elif state == "front":
            lines.append(Line(number, "front", row, row))
            state = None if row.rstrip() in ("---", "...") else state
        elif opened is not None:
            if _closes(row, opened["marks"]):
                fences.append(_fence(opened, opening, lines[opening:], closed=True))
                lines.append(Line(number, "fence", row, row))
                opened = None
            else:
                lines.append(Line(number, "code", row, row))
        elif state == "comment":
            _, end, after = row.partition("-->")
            visible, state = _without_comments(after) if end else ("", state)
            lines.append(Line(number, "prose" if visible.strip() else "comment", visible, row))
        elif state == "math" or row.strip(" >") == "$$":
            ends = state == "math" and row.rstrip().endswith("$$")
            state = None if ends else "math"
            lines.append(Line(number, "math", row, row))
        elif match := _FENCE.match(row):
            opened, opening = match, number
            lines.append(Line(number, "fence", row, row))
        else:
            visible, state = _without_comments(row)
            kind: Kind = "prose" if visible.strip(" \t>") else "comment"
            lines.append(Line(number, kind if row.strip(" \t>") else "blank", visible, row))
    if opened is not None:
        fences.append(_fence(opened, opening, lines[opening:], closed=False))
    return tuple(lines), tuple(fences)


def _closes(row: str, marks: str) -> bool:
    body = row.strip(" \t>")
    return body.startswith(marks) and not body.strip(marks[0])


def _fence(opened: re.Match[str], opening: int, rows: list[Line], *, closed: bool) -> Fence:
    indent = opened.start("marks")
    texts = [line.text for line in rows]
    content = tuple(row[indent:] if not row[:indent].strip(" \t>") else row for row in texts)
    end = opening + len(rows) + closed
    return Fence(opened["prefix"], opened["info"].strip(), opening, end, content, closed)


def _without_comments(row: str) -> tuple[str, Kind | None]:
    """The row without comments, and "comment" if one continues in the next row."""
    while "<!--" in row and (start := mask_code(row).find("<!--")) >= 0:
        end = row.find("-->", start)
        if end < 0:
            return row[:start], "comment"
        row = row[:start] + row[end + 3 :]
    return row, None


def units(line: Line) -> Iterable[str]:
    """The parts of a line that are read apart: a value, a title, the cells of a table row."""
    if line.kind == "front":
        value = re.sub(r"^\s*(?:- |[\w-]+:)\s*", "", line.text).strip()
        return [re.sub(r"^(['\"])(.*)\1$", r"\2", value)]
    title = _TITLE.match(line.text)
    if title:
        return [title[1] or ""]
    text = mask_code(_PREFIX.sub("", line.text))
    return re.split(r"(?<!\\)\|", text) if text.startswith("|") else [text]


def visible(text: str) -> str:
    """What a reader sees of one line of Markdown, code and the like as unreadable `…`."""
    text = re.sub(r"<code\b[^>]*>.*?</code>|<kbd\b[^>]*>.*?</kbd>", "`\0`", mask_code(text))
    text = re.sub(rf"<?https?://[^\s<>){FULL}]+>?", "URL", text)
    text = re.sub(r"</?[A-Za-z][^>]*>|&#?\w+;", "", text)
    text = re.sub(r"\$[^$\s](?:[^$]*[^$\s])?\$|\+\+[\w+-]+\+\+", "`\0`", text)
    text = re.sub(r"(?<=[)\]}])[ ]+(?=!?\[)", "\n", text)  # links side by side
    text = re.sub(r"!?\[(?!\^)([^\[\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"!?\[(?!\^)([^\[\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"\[\^[^\]]+\]|\{:?[ ]*[#.][^{}]*\}", "", text)
    text = re.sub(r":(?:material|octicons|fontawesome|simple)-[a-z0-9-]+:[ ]?", "", text)
    text = re.sub(r"\*+(?=\S)|(?<=\S)\*+|\\(?=[!-/:-@\[-`{-~])", "", text)
    return re.sub(r"\([\d.]+(?:,\s*[\d.]*)*\)", "`\0`", text).strip()
