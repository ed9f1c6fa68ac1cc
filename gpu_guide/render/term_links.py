"""The first use of each glossary term on a page becomes a link to its entry.

Where a word has several senses, the page itself says which is meant: `[stream](term:stream)`.

A link needs no script, and is reached by keyboard. theme/assets/guide.js shows next to it what the
entry says, on hover, on focus and on the first tap: the explanations lie in a file of their own,
`explanations`, that is loaded when the first of them is asked for.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from gpu_guide.data.entries import Term, load_glossary
from gpu_guide.pages.links import TERM
from gpu_guide.project import Project, about
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.words import Words

PAGE = "reference/glossary"
_LEFT_ALONE = frozenset(
    {"a", "button", "code", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "kbd", "label"}
    | {"pre", "script", "style", "summary", "sub", "sup", "th"}
)
_TITLE = "admonition-title"
_BRACKETS = re.compile(r"\s*[(（][^)）]*[)）]\s*")
_SHORT = re.compile(r"[(（]([A-Z]{2,5})[)）]")

_BY_HAND = re.compile(rf"\[(?P<said>[^\[\]]*)\]\({TERM}(?P<id>[^)\s]+)\)")


def _address(id: str) -> str:
    return f"%PAGES%/{PAGE}/#{id}"


class TermLinks(Treeprocessor):
    """Links in what a page says, and not in headings, code, or text that is a link already."""

    def __init__(self, md: Markdown, project: Project, say: Words) -> None:
        super().__init__(md)
        self.project, self.say = project, say

    def run(self, root: Element) -> None:
        """Put the links into the page."""
        if terms := terms_of_page(self.project, self.say):
            terms.link(root)


class PageTerms:
    """One page, and the terms that it has used."""

    def __init__(self, words: Mapping[str, str], han: bool | None) -> None:
        self._ids = words
        self._word = _pattern(tuple(words), han)
        self._used: set[str] = set()

    def link(self, element: Element) -> None:
        """Link the text in the element and below, in the order in which it is read."""
        if element.tag == "a":
            self._linked_by_hand(element)
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

    def _linked_by_hand(self, link: Element) -> None:
        """The page has decided which of several senses its word has: it is not linked again."""
        scheme, _, id = link.get("href", "").partition(":")
        if f"{scheme}:" == TERM:
            link.set("href", _address(id))
            self._decided("".join(link.itertext()).lower(), id)

    def _decided(self, said: str, id: str) -> None:
        same = {self._ids.get(said), self._ids.get(said.removesuffix("s"))}
        self._used |= {id, *(one for one in same if one)}

    def by_hand(self, text: str, pages: str) -> str:
        """The text of Markdown with addresses for the links in which the page names a term."""

        def linked(found: re.Match[str]) -> str:
            self._decided(found["said"].lower(), found["id"])
            return f"[{found['said']}]({pages}{PAGE}/#{found['id']})"

        return _BY_HAND.sub(linked, text)

    def linked(self, text: str, readable: str, pages: str) -> str:
        """The text of Markdown with links to the glossary below the address `pages`.

        `readable` is as long, and in the place of what gets no links it has other characters.
        """
        parts, begin = [], 0
        for found, id in self._first_uses(readable):
            said = text[found.start() : found.end()]
            parts += [text[begin : found.start()], f"[{said}]({pages}{PAGE}/#{id})"]
            begin = found.end()
        return "".join([*parts, text[begin:]])

    def _first_uses(self, text: str) -> Iterator[tuple[re.Match[str], str]]:
        lowered = text.lower()
        # A few letters are two in lower case: then nothing stands where it did.
        for found in self._word.finditer(lowered if len(lowered) == len(text) else text):
            said = found[0]
            id = self._ids.get(said) or self._ids.get(said.removesuffix("s"))
            if id and id not in self._used:
                self._used.add(id)
                yield found, id

    def _cut(self, text: str | None) -> tuple[str | None, list[Element]]:
        """The text before the first link, and the links, each with the text after it."""
        if not text or isinstance(text, AtomicString):
            return text, []
        links: list[Element] = []
        begin, before = 0, text
        for found, id in self._first_uses(text):
            passed = text[begin : found.start()]
            if links:
                links[-1].tail = passed
            else:
                before = passed
            link = Element("a", href=_address(id))
            link.text = AtomicString(text[found.start() : found.end()])
            links.append(link)
            begin = found.end()
        if links:
            links[-1].tail = text[begin:]
        return before, links


@lru_cache(maxsize=4)
def _pattern(words: tuple[str, ...], han: bool | None) -> re.Pattern[str]:
    # By their first letters: where none begins, a search need not try some hundred words.
    by_letter: dict[str, list[str]] = defaultdict(list)
    for word in sorted(words, key=len, reverse=True):
        by_letter[word[0]].append(re.escape(word[1:]))
    any_word = "|".join(f"{re.escape(one)}(?:{'|'.join(by_letter[one])})" for one in by_letter)
    # In a script without blanks a word may begin anywhere, but an English word in it may not.
    whole = rf"(?<![A-Za-z0-9_.-])(?:{any_word})"
    # For text in lower case: to ignore case takes several times as long.
    return re.compile(whole + (r"(?![A-Za-z0-9_])" if han else r"s?(?![\w-])"))


def terms_of_page(project: Project, say: Words) -> PageTerms | None:
    """The terms that a new page may link; None where there are none."""
    if not project.glossary.is_file():
        return None
    words = loaded(term_words, project, project.glossary)[say.language]
    return PageTerms(words, about(say.language).han) if words else None


def term_words(project: Project) -> dict[str, Mapping[str, str]]:
    """By language, the anchor of each word that is linked, in lower case: none for a longer one
    around it that means something else."""
    terms = load_glossary(project)
    return {language: _words_in(language, terms) for language in project.languages}


def _words_in(language: str, terms: Iterable[Term]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for term in terms:
        if term.explain:
            words = () if language in term.not_linked_in else _forms(term, language)
            for word in (*words, *term.linked_as):
                found.setdefault(word.lower(), term.id)
        for word in term.not_within:
            found.setdefault(word.lower(), "")
    return found


def _forms(term: Term, language: str) -> Iterator[str]:
    """The words for a term: text in brackets only says which is meant, except where it is
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
