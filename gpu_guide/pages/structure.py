"""What the pages owe the reader, and what the two languages of a page owe each other."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Collection, Iterator
from itertools import zip_longest
from pathlib import Path
from urllib.parse import unquote

from gpu_guide.pages.languages import silent_sections
from gpu_guide.pages.lines import INDENTED, Fence
from gpu_guide.pages.page import (
    Block,
    Heading,
    Link,
    Page,
    Pages,
    SnippetUse,
    is_vague,
    load_pages,
)
from gpu_guide.pages.twins import is_behind
from gpu_guide.problems import Problem, did_you_mean, shown
from gpu_guide.project import Project, about

_DATA_FENCES = frozenset({"table", "plot"})
GUIDE_FENCES = _DATA_FENCES | {"snippet", "cell"}
"""What the guide renders itself."""
FENCE_LANGUAGES = GUIDE_FENCES | frozenset(
    "bash powershell bat console text pytb json toml yaml ini diff dockerfile".split()  # noqa: SIM905
)
"""What a fence may say. Python is not among them: it stands in `snippets/`, where it is run."""

_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TWIN = re.compile(r"[0-9a-f]{12}")
_UNFINISHED = re.compile(
    r"\b(?:TODO|FIXME|TBD|XXX)\b|(?i:\bcoming soon\b)|待补充|待续|敬请期待|未完待续"
)
_PLAIN = frozenset({"text", "console", "bash", "powershell", "bat"})
"""Fences in which Python would be shown without being run."""
_PYTHON = re.compile(r">>> |import \w+|from [\w.]+ import ")
_EXTERNAL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")


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
            problems += _twin(page, docs / other / page.address)
            problems += _snippet_names(page, snippets)
            # Where a page is not written yet, the site shows a notice with the same ids.
            problems += _links(page, project, lang, pages[other] | pages[lang])
    for address in _addresses(pages):
        problems += _twins(address, pages)
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


def _headings(page: Page) -> Iterator[Problem]:
    for heading in page.headings:
        if heading.id is None and heading.level > 1:
            near = _suggested_id(heading)
            remedy = f"write an English id behind it, the same in both languages: {near}"
            yield Problem(page.path, heading.line, f"no id: {heading.text!r}", remedy)
    tops = [heading for heading in page.headings if heading.level == 1]
    for extra in tops[1:]:
        yield Problem(page.path, extra.line, "a second first-level heading", "begin it with ##")
    seen: dict[str, int] = {}
    for name, line in page.ids:
        if not _KEBAB.fullmatch(name):
            remedy = "write small ASCII letters and digits, joined by hyphens"
            yield Problem(page.path, line, f"id {name!r}", remedy)
        if name in seen:
            remedy = "give each place an id of its own"
            yield Problem(page.path, line, f"id {name!r} again, first on line {seen[name]}", remedy)
        seen.setdefault(name, line)


def _suggested_id(heading: Heading) -> str:
    words = re.findall(r"[a-z0-9]+", heading.text.lower())
    return f"{{ #{'-'.join(words) or 'some-words'} }}"


def _fences(page: Page) -> Iterator[Problem]:
    for fence in page.fences:
        if not fence.closed:
            yield Problem(page.path, fence.line, "a fence that never ends", "close it")
        elif not fence.language:
            remedy = f"say what it holds: {', '.join(sorted(FENCE_LANGUAGES))}"
            yield Problem(page.path, fence.line, "a fence without a language", remedy)
        elif fence.language not in FENCE_LANGUAGES:
            remedy = (
                "Python goes into a file under snippets/, named in a snippet fence; "
                f"other fences are {', '.join(sorted(FENCE_LANGUAGES - GUIDE_FENCES))}"
            )
            yield Problem(page.path, fence.line, f"a fence of {fence.language!r}", remedy)
        elif misread := fence.misread(GUIDE_FENCES):
            yield Problem(page.path, fence.line, *misread)
        else:
            for number, row in enumerate(fence.content, fence.line + 1):
                if fence.language != "pytb" and (
                    _PYTHON.match(row)
                    or (fence.language in _PLAIN and _is_python(row, fence.content))
                ):
                    remedy = "move it into a file under snippets/ and name that in a snippet fence"
                    problem = f"Python in a fence of {fence.language!r}: {row.strip()!r}"
                    yield Problem(page.path, number, problem, remedy)
                    break
    for line in page.indented_code:
        yield Problem(page.path, line, *INDENTED)
    for line in page.lines:
        if line.kind == "prose" and re.search(r"<pre[\s>]", line.text):
            yield Problem(page.path, line.number, "code in a <pre> element", "write a fence")


def _is_python(row: str, rows: tuple[str, ...]) -> bool:
    """Whether the row is a statement that calls something, or all rows are a program.

    A command or a message is no Python, whatever words it has.
    """
    return _calls(row.strip()) or (row is rows[0] and _calls(textwrap.dedent("\n".join(rows))))


def _calls(text: str) -> bool:
    if not ("(" in text or ("=" in text and "\n" in text.strip())):
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(node, (ast.Call, ast.Assign, ast.With)) for node in ast.walk(tree))


def _snippet_names(page: Page, snippets: Collection[str]) -> Iterator[Problem]:
    for use in page.snippets:
        if not use.name:
            yield Problem(page.path, use.line, "an empty snippet fence", "name a snippet in it")
        elif use.name not in snippets:
            remedy = did_you_mean(use.name, snippets, f"create snippets/{use.name}.py")
            yield Problem(page.path, use.line + 1, f"no snippet {use.name!r}", remedy)
        elif use.options not in ((), ("show: download",)):
            remedy = "the only one is 'show: download'"
            yield Problem(page.path, use.line + 2, f"unknown options {use.options}", remedy)


def _links(page: Page, project: Project, lang: str, pages: dict[str, Page]) -> Iterator[Problem]:
    for link in page.links:
        if link.image and not link.text.strip():
            remedy = "say in the brackets (alt='…' in HTML) what it shows"
            yield Problem(page.path, link.line, f"no alternative text: {link.target}", remedy)
        if not link.image and not link.definition and is_vague(link.text):
            remedy = "let the text name what the link leads to"
            yield Problem(page.path, link.line, f"a link called {link.text!r}", remedy)
        problem = _broken(link, page, project, lang, pages)
        if problem:
            yield Problem(page.path, link.line, *problem)


def _broken(
    link: Link, page: Page, project: Project, lang: str, pages: dict[str, Page]
) -> tuple[str, str] | None:
    """What is wrong with the link's target and what to do, or None."""
    root = project.docs / lang
    if _EXTERNAL.match(link.target) or link.target.startswith("["):
        return None
    if not link.target or link.target.startswith("/"):
        return f"a link to {link.target!r}", "write the path from this file to the other"
    path, _, anchor = unquote(link.target).partition("#")
    target = (page.path.parent / path).resolve() if path else page.path.resolve()
    if not target.is_relative_to(root.resolve()):
        return f"a link out of {shown(root)}: {link.target}", "link to a page of this language"
    # The text of a notebook is the page beside it.
    other = pages.get(target.relative_to(root.resolve()).as_posix().replace(".ipynb", ".md"))
    if not target.is_file() and (other is None or project.is_lab(target, lang)):
        return f"no such file: {link.target}", "correct the path; pages end in .md"
    if other is None or not anchor:
        return None
    ids = [name for name, _ in other.ids]
    if anchor in ids:
        return None
    otherwise = f"give the heading that id, or link to one of: {', '.join(ids)}"
    return f"no id {anchor!r} on {shown(other.path)}", did_you_mean(anchor, ids, otherwise)


def _unfinished(page: Page) -> Iterator[Problem]:
    for line in page.lines:
        match = _UNFINISHED.search(line.source)
        if match:
            yield Problem(
                page.path, line.number, f"unfinished: {match[0]!r}", "finish it or drop it"
            )


def behind(project: Project) -> Iterator[Problem]:
    """Where halves differ of which one is behind: to be known, for an edit of one half is whole."""
    pages, _ = load_pages(project)
    for address in _addresses(pages):
        if any(is_behind(pages, lang, address) for lang in pages):
            yield from _differences(address, pages)


def _twins(address: str, pages: Pages) -> Iterator[Problem]:
    """Where two halves that say they are in line are not."""
    if not any(is_behind(pages, lang, address) for lang in pages):
        yield from _differences(address, pages)


def _addresses(pages: Pages) -> list[str]:
    return sorted({address for found in pages.values() for address in found})


def _differences(address: str, pages: Pages) -> Iterator[Problem]:
    first, second = (pages[lang].get(address) for lang in pages)
    if first is None or second is None:
        return
    compared: list[tuple[str, tuple, tuple, Callable[..., object]]] = [
        ("heading", first.headings, second.headings, lambda h: f"{'#' * h.level} {{ #{h.id} }}"),
        ("snippet", first.snippets, second.snippets, _use),
        ("table or plot", _data(first), _data(second), _named),
        ("block", first.skeleton, second.skeleton, lambda block: block.what),
    ]
    for what, left, right, key in compared:
        yield from _first_difference(first.path, second.path, what, left, right, key)
    yield from silent_sections(first, second)


def _data(page: Page) -> tuple[Fence, ...]:
    """The tables and plots."""
    return tuple(fence for fence in page.fences if fence.language in _DATA_FENCES)


def _named(fence: Fence) -> str:
    return f"{fence.language} {' '.join(fence.content).strip()}"


def _use(use: SnippetUse) -> str:
    return " ".join((use.name, *use.options))


def _first_difference(
    first: Path,
    second: Path,
    what: str,
    left: tuple[Heading | SnippetUse | Block | Fence, ...],
    right: tuple[Heading | SnippetUse | Block | Fence, ...],
    key: Callable[..., object],
) -> Iterator[Problem]:
    for number, (mine, theirs) in enumerate(zip_longest(left, right), 1):
        if mine is not None and theirs is not None and key(mine) == key(theirs):
            continue
        path, line = (first, mine.line) if mine else (second, theirs.line)
        here = f"{key(mine)}" if mine else "missing"
        there = f"{key(theirs)} (line {theirs.line})" if theirs else "missing"
        problem = f"{what} {number} differs: {here} in {shown(first)}, {there} in {shown(second)}"
        yield Problem(path, line, problem, "give both pages the same, in the same order")
        return


_RULES: tuple[Callable[[Page], Iterator[Problem]], ...] = (_headings, _fences, _unfinished)
