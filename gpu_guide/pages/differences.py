"""Comparison of the two halves of a page: headings, snippets, tables, plots and blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path

from gpu_guide.pages.fences import DATA_FENCES
from gpu_guide.pages.languages import silent_sections
from gpu_guide.pages.lines import Fence
from gpu_guide.pages.page import Block, Heading, Page, Pages, SnippetUse, load_pages
from gpu_guide.pages.translations import is_behind
from gpu_guide.problems import Problem, shown
from gpu_guide.project import Project


def behind(project: Project) -> Iterator[Problem]:
    """Where halves differ of which one is behind: to be known, for an edit of one half is whole."""
    pages, _ = load_pages(project)
    for address in _addresses(pages):
        if any(is_behind(pages, lang, address) for lang in pages):
            yield from _differences(address, pages)


def check(pages: Pages) -> Iterator[Problem]:
    """Where two halves that say they are in line are not."""
    for address in _addresses(pages):
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
    return tuple(fence for fence in page.fences if fence.language in DATA_FENCES)


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
