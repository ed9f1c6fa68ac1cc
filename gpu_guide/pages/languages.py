"""Checks of the language of a page's words, and of what one half says and the other leaves out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from gpu_guide.pages.page import Page, Pages
from gpu_guide.problems import Problem, shown
from gpu_guide.project import about
from gpu_guide.snippets.model import HAN

ENGLISH_WORDS = 8
"""So many English words on end in a Chinese page are a sentence that nobody translated."""

_LINK = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\([^)]*\)|\[[^\]]*\]\[[^\]]*\]|<[^>]*>|https?://\S+"
)
_CODE = re.compile(r"(`+).*?\1|<code\b.*?</code>|\$[^$]+\$")
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|（[^）]*）|\([^()]*\)|_[^_]+_")
_OTHER_LANGUAGE = re.compile(r"<(\w+)[^>]*\blang=[^>]*>.*?</\1>|\[[^\]]*\]\([^)]*\)")
_FULL_WIDTH = re.compile("[，。：；？！（）、]")
_WORDS = re.compile(r"[A-Za-z][A-Za-z'’-]*(?:[ ,;:]+[A-Za-z][A-Za-z'’-]*)+")


def check(pages: Pages) -> Iterator[Problem]:
    """Words of the wrong language, and titles and descriptions that are used twice."""
    for code, found in pages.items():
        language = about(code)
        for page in found.values():
            if language.han is False:
                yield from _chinese_elsewhere(page, language.name)
            elif language.han:
                yield from _english_in_chinese(page)
        yield from _twice(found.values())


def _chinese_elsewhere(page: Page, language: str) -> Iterator[Problem]:
    """Chinese belongs into quotation marks, code and links to Chinese pages."""
    for line in page.lines:
        if line.kind not in ("front", "prose"):
            continue
        text = _QUOTED.sub("", _CODE.sub("", _OTHER_LANGUAGE.sub("", line.text)))
        if match := HAN.search(text):
            excerpt = text[max(0, match.start() - 12) : match.end() + 12].strip()
            what = f"Chinese on a page in {language}: {excerpt!r}"
            yield Problem(page.path, line.number, what, "translate it, or mark it as code or quote")
        elif match := _FULL_WIDTH.search(text):
            what = f"Chinese punctuation on a page in {language}: {match[0]!r}"
            yield Problem(page.path, line.number, what, "write , . : ; ? ! ( )")


def _english_in_chinese(page: Page) -> Iterator[Problem]:
    for line in page.lines:
        if line.kind != "prose":
            continue
        text = _QUOTED.sub("，", _LINK.sub("，", _CODE.sub("，", line.text)))
        for match in _WORDS.finditer(text):
            words = match[0].split()
            if len(words) >= ENGLISH_WORDS:
                what = f"an English sentence on a Chinese page: {' '.join(words[:6])!r} …"
                yield Problem(page.path, line.number, what, "translate it, or mark it as code")
                break


def _twice(pages: Iterable[Page]) -> Iterator[Problem]:
    """Each page has a title and a description of its own: a search engine shows nothing else."""
    seen: dict[tuple[str, str], Page] = {}
    for page in pages:
        for key in ("title", "description"):
            text = " ".join(str(page.front.get(key) or "").split())
            first = seen.setdefault((key, text), page) if text else page
            if first is not page:
                line = page.front_lines.get(key, 1)
                what = f"the {key} of {shown(first.path)} again"
                yield Problem(page.path, line, what, "say what this page answers")


def silent_sections(first: Page, second: Page) -> Iterator[Problem]:
    """Paragraphs are each language's own, but no section says something to one reader only."""
    halves = (first, _sections(first)), (second, _sections(second))
    for name in halves[0][1].keys() & halves[1][1].keys():
        for (page, mine), (other, theirs) in (halves, halves[::-1]):
            (line, has_words), (there, other_has) = mine[name], theirs[name]
            if other_has and not has_words:
                what = f"a section without a sentence, where {shown(other.path)}:{there} has some"
                yield Problem(page.path, line, what, "say it in this language, too")


def _sections(page: Page) -> dict[str | None, tuple[int, bool]]:
    """By the id of each heading: its line, and whether a paragraph follows it."""
    starts = {heading.line: heading.id for heading in page.headings}
    found: dict[str | None, tuple[int, bool]] = {}
    words: dict[str | None, bool] = defaultdict(bool)
    name: str | None = ""
    for line in page.lines:
        if line.number in starts:
            name = starts[line.number]
            found[name] = (line.number, False)
        elif line.kind == "prose" and not re.match(r"[ >]*(?:\||\{|<|!!!|\?\?\?|===)", line.text):
            words[name] = True
    return {name: (line, words[name]) for name, (line, _) in found.items()}
