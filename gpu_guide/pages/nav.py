"""The navigation of both sites, read from their settings: which pages are in it, and where.

It is read and written as text with line numbers, so that comments and other settings stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import yaml

from gpu_guide import fast_yaml
from gpu_guide.pages.page import load_pages
from gpu_guide.problems import Problem, did_you_mean, fault
from gpu_guide.project import Project


@dataclass(frozen=True)
class Entry:
    """A page in the navigation: its address, its sections from the outermost, its line."""

    address: str
    sections: tuple[int, ...]
    """The place of each section among its neighbours: their names differ between languages."""
    line: int
    column: int


def entries(path: Path) -> list[Entry]:
    """The pages of the navigation in the settings `path`, top down. Raises GuideError."""
    return list(_entries(_nav(path), ()))


def sections(path: Path) -> dict[str, list[str]]:
    """The addresses of the pages by the name of their outermost section, top down; a page that is
    in none has its own name or, if the menu gives it none, its address. Raises GuideError."""
    found = {}
    for item in _nav(path).value:
        named = item.value if isinstance(item, yaml.MappingNode) else [(item, item)]
        for key, node in named:
            found[key.value] = [entry.address for entry in _entries(node, ())]
    return found


def _nav(path: Path) -> yaml.Node:
    try:
        tree = fast_yaml.compose(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        raise fault(path, line, "not YAML", "write it as the lines around it") from None
    pairs = tree.value if isinstance(tree, yaml.MappingNode) else []
    nav = next((value for key, value in pairs if key.value == "nav"), None)
    if nav is None:
        raise fault(path, None, "no nav", "list the pages below 'nav:'")
    return nav


def _entries(node: yaml.Node, sections: tuple[int, ...]) -> Iterator[Entry]:
    if isinstance(node, yaml.ScalarNode):
        yield Entry(node.value, sections, node.start_mark.line + 1, node.start_mark.column)
    elif isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from _entries(value, sections)
    else:
        for place, item in enumerate(node.value):
            inside = isinstance(item, yaml.MappingNode) and not isinstance(
                item.value[0][1], yaml.ScalarNode
            )
            yield from _entries(item, (*sections, place) if inside else sections)


def check(project: Project) -> Iterator[Problem]:
    """Pages in no navigation, in one language's only, twice, or in another order."""
    docs, settings = project.docs, project.configs
    pages, _ = load_pages(project)
    navs = {lang: entries(path) for lang, path in settings.items()}
    for lang in navs:
        other = project.other_than(lang)
        path, named = settings[lang], [entry.address for entry in navs[lang]]
        for page in pages[lang].values():
            if page.named not in named:
                there = page.named in (entry.address for entry in navs[other])
                where = f" (it is in {settings[other].name})" if there else ""
                what = f"not in the nav of {path.name}{where}: nobody finds it"
                yield Problem(page.path, 1, what, f"add '- {page.named}' to nav")
        for number, entry in enumerate(navs[lang]):
            if entry.address in named[:number]:
                first = navs[lang][named.index(entry.address)].line
                what = f"{entry.address!r} again, first on line {first}"
                yield Problem(path, entry.line, what, "delete one of the two")
            if not (docs / lang / entry.address).is_file():
                remedy = f"write docs/{lang}/{entry.address}, or delete the line"
                yield Problem(path, entry.line, f"no page {entry.address!r}", remedy)
    yield from _order(settings, navs)


def _order(settings: dict[str, Path], navs: dict[str, list[Entry]]) -> Iterator[Problem]:
    """The first page that has another place in the second navigation; pages of one are left out."""
    first, second = navs
    in_both = {e.address for e in navs[first]} & {e.address for e in navs[second]}
    kept = [[e for e in navs[lang] if e.address in in_both] for lang in (first, second)]
    for one, other in zip_longest(*kept):
        if one is None or other is None:  # one is named twice, which is told
            return
        if (one.address, one.sections) != (other.address, other.sections):
            what = f"{other.address!r} stands where {settings[first].name} has {one.address!r}"
            if one.address == other.address:
                what = f"{other.address!r} is in another section than in {settings[first].name}"
            remedy = f"give both the same order and sections (line {one.line} there)"
            yield Problem(settings[second], other.line, what, remedy)
            return


def place(path: Path, address: str) -> Entry:
    """The last page of the topic of `address` in the settings `path`: the new one goes behind it.

    Raises GuideError where no page of that topic is in the navigation, or `address` is already.
    """
    found, topic = entries(path), address.rpartition("/")[0]
    if twice := next((entry for entry in found if entry.address == address), None):
        raise fault(path, twice.line, f"{address!r} is in nav already", "choose another name")
    of_topic = [e for e in found if topic and e.address.rpartition("/")[0] == topic]
    if not of_topic:
        topics = dict.fromkeys(e.address.rpartition("/")[0] for e in found if "/" in e.address)
        what = f"no page of the topic {topic!r} in nav"
        remedy = "begin a section there with topic/index.md, by hand"
        raise fault(path, None, what, did_you_mean(topic, topics, remedy))
    return of_topic[-1]


def add(path: Path, address: str) -> int:
    """Name `address` in the settings `path` behind the last page of its topic; the line it has."""
    last = place(path, address)
    rows = path.read_text(encoding="utf-8").split("\n")
    indent = re.match(r" *", rows[last.line - 1])[0]
    rows.insert(last.line, f"{indent}- {address}")
    path.write_text("\n".join(rows), encoding="utf-8", newline="\n")
    return last.line + 1
