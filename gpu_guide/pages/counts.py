"""Counts in prose: "two reasons:" before a list has as many items, and no count is far from it.

A list right below a count is counted. A count of something elsewhere ("the six causes below", or in
the description) would be wrong as soon as somebody adds one, so it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_guide.pages.lines import Line, mask_code
from gpu_guide.pages.page import Page
from gpu_guide.problems import Problem

_LATIN = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_NUMBERS = {word: number for number, word in enumerate(_LATIN, 2)}
_NUMBERS |= dict(zip("两三四五六七八九十", range(2, 11), strict=True)) | {"二": 2}
_LATIN_THINGS = (
    "cases|causes|choices|conditions|differences|errors|messages|mistakes|options|points|"
    "questions|reasons|remedies|rules|signs|things|ways"
)
_HAN_THINGS = "办法|错误|方法|方式|规则|原因|情况|条件|问题|误区|写法|选择|做法|意思|事"
_COUNT = re.compile(
    rf"\b(?P<latin>{'|'.join(_LATIN)}) (?:[\w-]+ ){{0,2}}?(?:{_LATIN_THINGS})\b"
    rf"|(?P<han>[两二三四五六七八九十])[个种条件类项点](?:[^，。：；]{{0,6}}?(?:{_HAN_THINGS}))",
    re.IGNORECASE,
)
_FAR_BEFORE = re.compile(
    r"(?:\bfollowing|[下上后前]面|以[下上]|[下上]表)(?:里|中|列出)?的?[这那]?$"
)
_FAR_BEHIND = re.compile(r"^ (?:below|above|in the (?:list|table))\b")
_ITEM = re.compile(r"^(?P<indent>[ >]*)(?:[-*+]|\d+[.)])[ ]")
_RULE = re.compile(r"^[ >]*\|?[ ]*:?-+:?[ ]*\|[-:| ]*$")


def check(page: Page) -> Iterator[Problem]:
    """Counts that a list or table contradicts, and counts that nothing holds to what they count."""
    line = page.front_lines.get("description", 1)
    for found in _COUNT.finditer(page.description):
        yield _far(page, line, found)
    for index, line in enumerate(page.lines):
        if line.kind != "prose":
            continue
        text = mask_code(line.text)
        sentence = max(text.rfind(mark, 0, len(text) - 1) for mark in (". ", "。", "；"))
        for found in _COUNT.finditer(text):
            listed = _listed(page.lines[index + 1 :]) if text.rstrip().endswith((":", "：")) else 0
            if listed and found.start() > sentence:
                number = _NUMBERS[(found["latin"] or found["han"]).lower()]
                if number != listed:
                    problem = f"{found[0]!r}, and {listed} of them below"
                    yield Problem(page.path, line.number, problem, "count again")
            elif _FAR_BEFORE.search(text[: found.start()].rstrip()) or _FAR_BEHIND.match(
                text[found.end() :]
            ):
                yield _far(page, line.number, found)


def _far(page: Page, line: int, found: re.Match[str]) -> Problem:
    remedy = "leave the number out: nobody counts again when one more is added"
    return Problem(page.path, line, f"{found[0]!r} of something that stands elsewhere", remedy)


def _listed(lines: tuple[Line, ...]) -> int:
    """How many items the list has, or rows the table, that begins here; 0 where neither does."""
    rest = [line for line in lines if line.kind != "blank"][:2]
    if len(rest) == 2 and _RULE.match(rest[1].text):
        return _rows(lines)
    first = _ITEM.match(rest[0].text) if rest else None
    count = 0
    for line in lines if first else ():
        item = _ITEM.match(line.text)
        if item and item["indent"] == first["indent"]:
            count += 1
        elif line.kind == "prose" and not line.text.startswith(first["indent"] + "  "):
            break
    return count


def _rows(lines: tuple[Line, ...]) -> int:
    rows = 0
    for line in lines:
        if line.kind == "prose":
            rows += 1
        elif rows:
            break
    return rows - 2
