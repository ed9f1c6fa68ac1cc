"""A page as Markdown for machines, and for readers who copy it: without the marks that only this
site's builder knows.

Fences of the guide are written out, admonitions are quotes, tabs are paragraphs below a bold line,
ids of headings are gone, links are whole addresses, and glossary terms are linked as on the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import urljoin

from gpu_guide.pages.lines import Fence, Line, mask_code, scan
from gpu_guide.pages.page import ATTRIBUTES, BLOCK
from gpu_guide.project import Project
from gpu_guide.render.expanded_fences import written
from gpu_guide.render.extension import writers
from gpu_guide.render.fence_text import FenceText
from gpu_guide.render.html_text import markdown_of
from gpu_guide.render.term_links import PAGE as GLOSSARY
from gpu_guide.render.term_links import PageTerms, terms_of_page
from gpu_guide.render.words import Words

_TARGET = re.compile(r"(?<=\]\()(?!\w+:|//|%)(?P<target>[^)\s]+)")
_DEFINED = re.compile(r"^(?P<label>\[(?!\^)[^\]\n]+\]: *)(?!\w+:|//)(?P<target>\S+)", re.MULTILINE)
_HTML_BLOCK = re.compile(r"^<(figure|ol|ul|svg|table|p)\b.*?^</\1>$", re.MULTILINE | re.DOTALL)
_HTML_HREF = re.compile(r'(?<=href=")(?!\w+:|//|%)(?P<target>[^"]+)')
_HTML_TAG = re.compile(r"</?(?:div|small|span|p)\b[^>\n]*>")
_NOT_LINKED = re.compile(
    r"!?\[[^\[\]]*\](?:\([^()\s]*\)|\[[^\[\]]*\])?|<[^>\n]+>|https?://\S+"
    r"|^[ >]*(?:#{1,6} |!!!|\?\?\?|===|\[\^).*$|^.*\n(?=[ >]*\|?[ ]*:?-{3,}|:[ ])",
    re.MULTILINE,
)


@dataclass(frozen=True)
class _Row:
    """A line of the result; of code, nothing is read."""

    text: str
    code: bool = False


class PageText:
    """`PageText(project, language, root)(markdown, source)`: the page `source`, such as
    `check/index.md`, whose text without front matter is `markdown`.

    `root` is the address of the folder that holds the languages. For one build, as `FenceText`.
    """

    def __init__(self, project: Project, language: str, root: str) -> None:
        self.project, self.say = project, Words(language)
        self._pages, self._snippets = f"{root}{language}", f"{root}snippets"
        self._exercises = f"{root}exercises"
        self._fence = FenceText(project, self.say)
        self._writers = writers(project, self.say)

    def __call__(self, markdown: str, source: str) -> str:
        whole = partial(address_of, f"{self._pages}/{source}")
        text = written(markdown.replace("\r\n", "\n"), self._writers)
        text = text.replace("%EXERCISES%", self._exercises)
        lines, fences = scan(text, front=False)
        glossary = source == f"{GLOSSARY}.md"
        terms = None if glossary else terms_of_page(self.project, self.say)
        rows = self._rows(lines, {fence.line: fence for fence in fences}, whole, terms)
        shown = "\n".join(row.text for row in _blocks(list(rows)))
        return re.sub(r"\n{3,}", "\n\n", shown).strip("\n") + "\n"

    def _rows(
        self,
        lines: tuple[Line, ...],
        fences: Mapping[int, Fence],
        whole: partial[str],
        terms: PageTerms | None,
    ) -> Iterator[_Row]:
        prose: list[str] = []
        end = 0
        for line in lines:
            if line.number <= end:
                continue
            fence = fences.get(line.number)
            if line.kind not in ("fence", "code", "math"):
                prose.append("" if line.kind == "comment" else line.text)
                continue
            if prose:
                yield from _plain(self._prose("\n".join(prose), whole, terms))
                prose = []
            if fence is None or fence.language not in self._fence:
                yield _Row(line.source, code=True)
                continue
            end = fence.end
            body = [text for row in fence.content if (text := row.strip(" \t>"))]
            said = self._fence(fence.language, body)
            said = said.replace("%PAGES%", self._pages).replace("%SNIPPETS%", self._snippets)
            yield from (_Row(f"{fence.prefix}{row}", code=True) for row in said.split("\n"))
        yield from _plain(self._prose("\n".join(prose), whole, terms))

    def _prose(self, text: str, whole: partial[str], terms: PageTerms | None) -> str:
        """Text between fences, with whole addresses and without what only the site can show."""
        text = _HTML_BLOCK.sub(
            lambda at: markdown_of(_HTML_HREF.sub(lambda a: whole(a["target"]), at[0])), text
        )
        text = _replaced(text, "{", ATTRIBUTES, lambda at: "")
        text = re.sub(r"(?m)^(#{1,6} .*\S) +$", r"\1", text)
        text = _replaced(text, "<", _HTML_TAG, lambda at: "")
        if terms:
            text = terms.by_hand(text, f"{self._pages}/")
            masked = mask_code(text)
            readable = _NOT_LINKED.sub(lambda at: "\0" * len(at[0]), masked)
            text = terms.linked(text, re.sub(r"`", "\0", readable), f"{self._pages}/")
        text = _replaced(text, "](", _TARGET, lambda at: whole(at["target"]))
        return _replaced(text, "]:", _DEFINED, lambda at: at["label"] + whole(at["target"]))


def address_of(source: str, target: str) -> str:
    """The address to which `target` leads, where the page whose address is `source`, but for its
    ending, names it: `…/to/copies.md#x` is `…/to/copies/#x`."""
    page, mark, anchor = urljoin(source, target).partition("#")
    page = re.sub(r"(?<=/)index\.md$", "", page)
    return re.sub(r"\.(?:md|ipynb)$", "/", page) + mark + anchor


def _replaced(text: str, sign: str, pattern: re.Pattern[str], by: object) -> str:
    """The text with `by(match)` in place of what the pattern finds outside of code: nothing where
    the sign is not, which is in all that it can find."""
    if sign not in text:
        return text
    masked, parts, begin = mask_code(text), [], 0
    for found in pattern.finditer(masked):
        parts += [text[begin : found.start()], by(found)]
        begin = found.end()
    return "".join([*parts, text[begin:]]) if parts else text


def _plain(text: str) -> Iterator[_Row]:
    return (_Row(row) for row in text.split("\n"))


def _blocks(rows: list[_Row]) -> Iterator[_Row]:
    """Admonitions as quotes, and tabs below a bold line; their content is no longer indented."""
    at = 0
    while at < len(rows):
        row = rows[at]
        at += 1
        found = None if row.code else BLOCK.match(row.text)
        if found is None:
            yield row
            continue
        indent = found["indent"]
        inside: list[_Row] = []
        while at < len(rows) and (
            not rows[at].text.strip() or rows[at].text.startswith(f"{indent}    ")
        ):
            inside.append(_Row(indent + rows[at].text[len(indent) + 4 :], rows[at].code))
            at += 1
        while inside and not inside[-1].text.strip():
            inside.pop()
        while inside and not inside[0].text.strip():
            inside.pop(0)
        tab = found["marks"].startswith("===")
        title = (found["title"] or (found["kind"] or "").strip().capitalize()).strip('"')
        body = list(_blocks(inside))
        yield from _tab(indent, title, body) if tab else _quote(indent, title, body)
        yield _Row("")


def _tab(indent: str, title: str, body: Iterable[_Row]) -> Iterator[_Row]:
    yield from (_Row(f"{indent}**{title}**"), _Row(""), *body)


def _quote(indent: str, title: str, body: Iterable[_Row]) -> Iterator[_Row]:
    yield from (_Row(f"{indent}> **{title}**"), _Row(f"{indent}>"))
    for row in body:
        yield _Row(f"{indent}> {row.text[len(indent) :]}".rstrip(), code=True)
