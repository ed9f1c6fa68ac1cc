"""The first use of each glossary term on a page becomes a link to its entry.

A link needs no script, and is reached by keyboard. theme/assets/guide.js shows beside it what the
entry says, on hover, on focus and on the first tap: the explanations lie in a file of their own,
`explanations`, that is loaded when the first of them is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from gpu_guide.data.entries import Term, load_glossary
from gpu_guide.project import Project, about
from gpu_guide.render.loaded import loaded
from gpu_guide.render.words import Words

PAGE = "reference/glossary"
_LEFT_ALONE = frozenset(
    {"a", "button", "code", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "kbd", "label"}
    | {"pre", "script", "style", "summary", "sub", "sup", "th"}
)
_TITLE = "admonition-title"
_BRACKETS = re.compile(r"\s*[(（][^)）]*[)）]\s*")
_SHORT = re.compile(r"[(（]([A-Z]{2,5})[)）]")


class TermLinks(Treeprocessor):
    """Links in what a page says, and not in headings, code, or text that is a link already."""

    def __init__(self, md: Markdown, project: Project, say: Words) -> None:
        super().__init__(md)
        self.project, self.say = project, say

    def run(self, root: Element) -> None:
        """Put the links into the page."""
        if not self.project.glossary.is_file():
            return
        words = _words(self.project, self.say.language)
        if words:
            _Page(words, about(self.say.language).han).link(root)


class _Page:
    """One page, and the terms that it has used."""

    def __init__(self, words: dict[str, str], han: bool) -> None:
        self._ids = words
        self._used: set[str] = set()
        longest_first = sorted(map(re.escape, words), key=len, reverse=True)
        # In a script without blanks a word may begin anywhere, but an English word in it may not.
        whole = rf"(?<![A-Za-z0-9_.-])(?:{'|'.join(longest_first)})"
        self._word = re.compile(whole + (r"(?![A-Za-z0-9_])" if han else r"s?(?![\w-])"), re.I)

    def link(self, element: Element) -> None:
        """Link what stands in the element and below, in the order in which it is read."""
        if element.tag in _LEFT_ALONE or element.get("class") == _TITLE:
            return
        at = 0
        text, links = self._cut(element.text)
        element.text = text
        for link in links:
            element.insert(at, link)
            at += 1
        while at < len(element):
            child = element[at]
            self.link(child)
            text, links = self._cut(child.tail)
            child.tail = text
            at += 1
            for link in links:
                element.insert(at, link)
                at += 1

    def _cut(self, text: str | None) -> tuple[str | None, list[Element]]:
        """What stands before the first link, and the links, each with what follows it."""
        if not text or isinstance(text, AtomicString):
            return text, []
        links: list[Element] = []
        begin, before = 0, text
        for found in self._word.finditer(text):
            said = found[0]
            id = self._ids.get(said.lower()) or self._ids.get(said.lower().removesuffix("s"))
            if id is None or id in self._used:
                continue
            self._used.add(id)
            passed = text[begin : found.start()]
            if links:
                links[-1].tail = passed
            else:
                before = passed
            link = Element("a", href=f"%PAGES%/{PAGE}/#{id}")
            link.text = AtomicString(said)
            links.append(link)
            begin = found.end()
        if links:
            links[-1].tail = text[begin:]
        return before, links


def _words(project: Project, language: str) -> dict[str, str]:
    """The anchor of each word that is linked, in lower case."""
    found: dict[str, str] = {}
    for term in loaded(load_glossary, project, project.glossary):
        if term.explain and language not in term.not_linked_in:
            for word in _forms(term, language):
                found.setdefault(word.lower(), term.id)
    return found


def _forms(term: Term, language: str) -> Iterator[str]:
    """The words for a term: what stands in brackets only says which is meant, except where it is
    short for the words before it."""
    name = str(getattr(term, language))
    for part in re.split(r" / |、", name):
        if word := _BRACKETS.sub(" ", part).strip():
            yield word
    full = _BRACKETS.sub("", term.en)
    for short in dict.fromkeys([*_SHORT.findall(term.en), *_SHORT.findall(name)]):
        initials = re.findall(r"[A-Z]", full) if re.search(r"[A-Z]", full) else full.split()
        if "".join(one[0] for one in initials).upper() == short:
            yield short


def explanations(project: Project, language: str) -> str:
    """The script that hands guide.js each term with what it means, by its anchor."""
    terms: Iterable[Term] = load_glossary(project) if project.glossary.is_file() else ()
    said = {one.id: [getattr(one, language), one.explain[language]] for one in terms if one.explain}
    written = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    return f"guideTerms={written};\n"
