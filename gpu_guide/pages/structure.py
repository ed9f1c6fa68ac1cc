"""Checks of pages: each for itself, and the two languages of a page against each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from gpu_guide.pages import (
    answers,
    chapters,
    commands,
    counts,
    differences,
    fences,
    headings,
    links,
    long_messages,
    long_pages,
    style,
)
from gpu_guide.pages.fences import SNIPPET_OPTIONS
from gpu_guide.pages.page import Page, load_pages
from gpu_guide.problems import Problem, did_you_mean, shown
from gpu_guide.project import Project, about

_TWIN = re.compile(r"[0-9a-f]{12}")
_UNFINISHED = re.compile(
    r"\b(?:TODO|FIXME|TBD|XXX)\b|(?i:\bcoming soon\b)|待补充|待续|敬请期待|未完待续"
)


def check(project: Project, snippets: Collection[str]) -> list[Problem]:
    """Every broken rule on the pages of the project, in the order of files and lines.

    `snippets` are the names of all snippets there are; each must be on some page.
    """
    docs = project.docs
    pages, problems = load_pages(project)
    used: set[str] = set()
    for lang in pages:
        other = project.other_than(lang)
        if not pages[lang]:
            folder = docs / lang
            problems.append(Problem(folder, 1, "no pages", "are you in the right folder?"))
        for page in pages[lang].values():
            used |= {use.name for use in page.snippets}
            for rule in _RULES:
                problems += rule(page)
            problems += _front_matter(page, lang)
            problems += style.check(page, lang)
            problems += chapters.check(page, bool(about(lang).han))
            problems += answers.check(page, bool(about(lang).han))
            problems += _twin(page, docs / other / page.address)
            problems += _snippet_names(page, snippets)
            # Where a page is not written yet, the site shows a notice with the same ids.
            problems += links.check(page, project, lang, pages[other] | pages[lang])
    problems += differences.check(pages)
    problems += long_pages.check(project, pages)
    problems += long_messages.check(project)
    for name in sorted(set(snippets) - used):
        problems.append(
            Problem(
                project.snippets / f"{name}.py",
                1,
                "no page shows this snippet",
                "name it in a snippet fence on a page ('show: download' leaves the code out)",
            )
        )
    return sorted(problems, key=lambda problem: (problem.file.as_posix(), problem.line))


def _front_matter(page: Page, lang: str) -> Iterator[Problem]:
    for key in ("title", "description"):
        if not str(page.front.get(key) or "").strip():
            yield Problem(page.path, 1, f"no {key}", f"add '{key}: …' to the front matter")
    least, most = about(lang).description
    length = len(page.description)
    if length and not least <= length <= most:
        line = page.front_lines.get("description", 1)
        remedy = f"write {least} to {most}: it is what a search engine shows"
        yield Problem(page.path, line, f"a description of {length} characters", remedy)


def _twin(page: Page, other: Path) -> Iterator[Problem]:
    """The key `twin`: there is one as soon as the `other` half is, and not before."""
    twin = page.front.get("twin")
    line = page.front_lines.get("twin", 1)
    if not other.exists():
        if twin:
            remedy = (
                "write it, or, if the page is in one language for now, delete the line 'twin: …'"
            )
            yield Problem(page.path, line, f"its other half {shown(other)} is not there", remedy)
    elif not str(twin or "").strip():
        remedy = f"{_twin_command(page)} once both languages say the same"
        yield Problem(page.path, 1, "no twin", remedy)
    elif not (isinstance(twin, str) and _TWIN.fullmatch(twin)):
        remedy = f"{_twin_command(page)}: it writes twelve hex digits in quotes"
        yield Problem(page.path, line, f"twin is {twin!r}", remedy)


def _twin_command(page: Page) -> str:
    return f"run `python -m gpu_guide twin {page.address.removesuffix('.md')}`"


def _snippet_names(page: Page, snippets: Collection[str]) -> Iterator[Problem]:
    for use in page.snippets:
        if not use.name:
            yield Problem(page.path, use.line, "an empty snippet fence", "name a snippet in it")
        elif use.name not in snippets:
            remedy = did_you_mean(use.name, snippets, f"create snippets/{use.name}.py")
            yield Problem(page.path, use.line + 1, f"no snippet {use.name!r}", remedy)
        elif use.options not in ((), *((option,) for option in SNIPPET_OPTIONS)):
            remedy = f"one of them may be there: {', '.join(SNIPPET_OPTIONS)}"
            yield Problem(page.path, use.line + 2, f"unknown options {use.options}", remedy)


def _unfinished(page: Page) -> Iterator[Problem]:
    for line in page.lines:
        match = _UNFINISHED.search(line.source)
        if match:
            yield Problem(
                page.path, line.number, f"unfinished: {match[0]!r}", "finish it or drop it"
            )


def _table_heads(page: Page) -> Iterator[Problem]:
    for block in page.skeleton:
        if block.what.startswith("table "):
            head = page.lines[block.line - 1].text.strip(" >\t").removeprefix("|").removesuffix("|")
            if not all(cell.strip() for cell in head.split("|")):
                remedy = "name the column: a screen reader reads it before each cell"
                yield Problem(page.path, block.line, "an empty cell in a table's head", remedy)


_NEXT = re.compile(r"(?:Next|接着看)\s*[:：]")


def _says_next(page: Page) -> Iterator[Problem]:
    """`nav` says which page comes next, and every page ends with a link to it: a line that repeats
    it goes wrong, and leads in a circle, as soon as the order changes."""
    for line in page.lines:
        if line.kind == "prose" and _NEXT.match(line.text):
            what = f"names the next page: {line.text.strip()[:60]!r}"
            yield Problem(
                page.path,
                line.number,
                what,
                "the foot of the page does; write what else "
                "belongs to the subject: 'See also: …', '另见：…'",
            )


_RULES: tuple[Callable[[Page], Iterator[Problem]], ...] = (
    headings.check,
    fences.check,
    counts.check,
    commands.check,
    _unfinished,
    _table_heads,
    _says_next,
)
