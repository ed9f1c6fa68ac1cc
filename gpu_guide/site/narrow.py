"""What a page needs on a narrow screen: long lines of code that are wrapped and say so, names that
break at their signs, tables as cards, and sections that are folded.

All are layouts of the style sheets, for phones alone: code is copied, searched and read as it was
written. Here is only what a sheet can't know: where a line begins, where a name may break, what a
column is called, and what a row shares with the one above.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache, partial
from html import escape, unescape

_CODE = re.compile(r"(<pre[^>]*>(?:<span></span>)?<code[^>]*>)(.*?)(</code></pre>)", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_DRAWN = re.compile(r"^\s*(?:[+|│├╞└]|#> [+|])", re.MULTILINE)
"""How the lines of a drawn table begin, such as that of nvidia-smi, which wrapped is no table."""

COLUMNS = 38
"""What fits on the narrowest phone, of 320 px. Longer lines may be wrapped, and are marked."""
STEP, STEPS = 4, 4
"""A wrapped line goes on two columns behind where it began. The sheet knows these beginnings."""


_NAMES = re.compile(r"<pre.*?</pre>|<code>([^<]*)</code>", re.DOTALL)
_SIGN = re.compile(r"""[_.(,=/](?=["&']?[A-Za-z_])""")
LONG, LONG_IN_CELL = 30, 16
"""A name of as many letters may be wider than a line, or than a cell of two."""

_TABLE = re.compile(
    r"<table((?: class=\"plot__figures\"| data-[^>]*)?)>(?=\s*<thead>)(.*?)</table>", re.DOTALL
)
_HEAD = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_ROW = re.compile(r"<tr[^>]*>(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<(?:td|th)\b([^>]*)>(.*?)</(?:td|th)>", re.DOTALL)
_SHARED = re.compile(r' rowspan="(\d+)"')
FEW, FEW_FIGURES = 2, 4
"""So many columns a phone has room for, and so many of a plot's figures."""


_SECTIONS = re.compile(
    r'(<h2 id="([^"]+)".*?</h2>)(.*?)(?=<h2 id=|<hr|<div class="footnote|<details class="covered'
    r'|<p class="report-link|</article>)',
    re.DOTALL,
)
ALL = "all"
"""In `extra.folded` of mkdocs.yml: each section."""


def folded(html: str, sections: Collection[str], said: str) -> str:
    """The page with these sections folded on a phone, each behind its heading and the words `said`.

    The sheet opens them on wider screens, the browser for whoever follows a link into one.
    """

    def fold(found: re.Match[str]) -> str:
        heading, id, body = found.groups()
        if not body.strip() or (ALL not in sections and id not in sections):
            return found[0]
        return f'{heading}<details class="fold"><summary>{said}</summary>{body}</details>'

    return _SECTIONS.sub(fold, html)


@lru_cache(maxsize=256)  # most pages of a build are those of the one before
def narrow(html: str) -> str:
    """The page with a class for each line of code that may be wrapped, such as `w2` for one that
    begins two steps from the left, places where names may break, and a style for each table that
    becomes cards: the names of its columns, which the sheet writes before the cells."""
    return _TABLE.sub(_cards, _NAMES.sub(_breakable, _CODE.sub(_wrapped, html)))


def heading(html: str) -> str:
    """A page's title, whose letters are large, with places where its names may break."""
    return _NAMES.sub(partial(_breakable, long=LONG_IN_CELL), html)


def _breakable(found: re.Match[str], long: int = LONG) -> str:
    code = found[1]
    if not code or not any(len(word) >= long for word in unescape(code).split()):
        return found[0]
    return "<code>" + _SIGN.sub(r"\g<0><wbr>", code) + "</code>"


def _cards(found: re.Match[str]) -> str:
    attributes, table = found.groups()
    heads = [_TAG.sub("", one) for one in _HEAD.findall(table.partition("</thead>")[0])]
    if len(heads) <= (FEW_FIGURES if "plot__figures" in attributes else FEW):
        return _NAMES.sub(partial(_breakable, long=LONG_IN_CELL), found[0])
    names = "".join(
        f"--{column}:{_css_text(head)};" for column, head in enumerate(heads[1:], 2) if head
    )
    return f'<table{attributes} style="{names[:-1]}">{_whole(table)}</table>'


def _whole(table: str) -> str:
    """The table with what a row shares with one above in that row, too, hidden but in its card."""
    shared: dict[int, tuple[int, str]] = {}

    def filled(found: re.Match[str]) -> str:
        row, column, at = found[0], 0, 0
        while (cell := _CELL.search(row, at)) or column in shared:
            if column in shared:
                rows, text = shared.pop(column)
                again, at = f"<td hidden>{text}</td>", cell.start() if cell else row.rindex("</tr>")
                row, at = row[:at] + again + row[at:], at + len(again)
                if rows > 1:
                    shared[column] = rows - 1, text
            elif cell:
                at = cell.end()
                if tall := _SHARED.search(cell[1]):
                    new[column] = int(tall[1]) - 1, cell[2]
            column += 1
        shared.update(new)
        new.clear()
        return row

    new: dict[int, tuple[int, str]] = {}
    return _ROW.sub(filled, table)


def _css_text(html: str) -> str:
    text = re.sub(r"([\\'])", r"\\\1", unescape(html).strip())
    return f"'{escape(text, quote=False)}'".replace('"', "&quot;")


def _wrapped(found: re.Match[str]) -> str:
    before, code, after = found.groups()
    if len(_DRAWN.findall(code)) > 2:
        return before.replace("<pre", '<pre class="drawn"', 1) + code + after
    return before + "\n".join(_marked(line) for line in code.split("\n")) + after


def _marked(line: str) -> str:
    # An output is an element already, and what is open at a line's end is more than the line.
    if "snippet__output" in line or line.count("<span") != line.count("</span"):
        return line
    text = unescape(_TAG.sub("", line))
    if _columns(text) <= COLUMNS:
        return line
    step = min((len(text) - len(text.lstrip(" "))) // STEP, STEPS)
    return f'<span class="w{step}">{line}</span>'


def _columns(text: str) -> int:
    """How wide the text is, of which a Chinese character takes two columns."""
    return sum(1 + (letter > "\u2e80") for letter in text)
