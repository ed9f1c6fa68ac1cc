"""Faults in pages, records and what they share, planted in a copy of the guide.

`make check` has to notice them. It runs no code, so the result is the same on every machine.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from gpu_guide.checks import check
from gpu_guide.data.entries import load_glossary
from gpu_guide.faults.judge import READING, Verdict
from gpu_guide.faults.snippets import Fault
from gpu_guide.pages import translations
from gpu_guide.pages.lines import mask_code
from gpu_guide.project import Project, about

_SNIPPET = re.compile(r"^```snippet\n(?P<name>\S+)$", re.MULTILINE)
_ID = re.compile(r"^#{2,4} .*\{ #(?P<id>[\w-]+) \}$", re.MULTILINE)
_LINK = re.compile(r"\]\((?P<file>[\w./-]+\.(?:md|ipynb))(?:#(?P<anchor>[\w-]+))?\)")
_PARAGRAPH = re.compile(r"(?<=\n\n)[^\W\d_](?:.+)(?=\n\n)")
_PRINTED = re.compile(r'"(?P<text>[^"\\]*\d[^"\\]*)"\s*\]')
_FENCE = re.compile(r"^[ >]*(?P<marks>```+).*?^[ >]*(?P=marks)[ ]*$", re.MULTILINE | re.DOTALL)
_FAR = "https://cdn.example.org/picture.png"

Place = tuple[Path, Fault]
"""A file, and the fault in it."""


def copied(project: Project, to: Path) -> Project:
    """A copy of what `make check` looks at."""
    for part in ("docs", "data", "snippets", "labs", "records", "gpu_guide", "theme"):
        shutil.copytree(
            project.root / part,
            to / part,
            ignore=shutil.ignore_patterns("__pycache__", "*.ipynb_*"),
        )
    files = [*project.texts, *project.root.glob("*.toml"), *project.root.glob("*.yml")]
    for path in [*files, project.root / "LICENSE", project.constraints]:
        shutil.copyfile(path, to / path.name)
    return Project(to)


def planted(project: Project) -> dict[str, list[Place]]:
    """Every fault that the guide offers, by kind."""
    found: dict[str, list[Place]] = {kind: [] for kind in KINDS}
    for kind, find in KINDS.items():
        for path, begin, end, new in find(project):
            text = path.read_text(encoding="utf-8")
            line = text.count("\n", 0, begin) + 1
            changed = text[:begin] + new + text[end:]
            found[kind].append((path, Fault(kind, line, text[begin:end], new, changed)))
    return found


def judge(project: Project, places: Sequence[Place], before: frozenset[str]) -> list[Verdict]:
    """Whether `make check` reports more for each fault than it did `before`.

    They are planted together where they lie on different pages, and one by one if nothing is
    reported then, or if what is told may be another one's. A page's halves are said to be in line,
    because a page that is behind fails nothing.
    """
    if len(places) == 1:
        told = _told(project, places, before) or _told(project, places, before, tools=True)
        return [Verdict(READING if told else "", told[0] if told else "", True)]
    told = _told(project, places, before)
    verdicts = []
    for place in places:
        mine = [
            one for one in told if any(f"/{name}:" in one for name in _halves(project, place[0]))
        ]
        if mine and place[1].kind != "id":
            verdicts.append(Verdict(READING, mine[0], True))
        else:
            verdicts += judge(project, [place], before)
    return verdicts


def batches(places: Iterable[Place], size: int) -> Iterator[list[Place]]:
    """The faults in groups of at most `size`, with one fault a page and one kind each."""
    waiting = list(places)
    while waiting:
        taken: list[Place] = []
        left: list[Place] = []
        pages: set[str] = set()
        for path, fault in waiting:
            # Another id may be told of on any page that links to it.
            fits = not taken or (fault.kind == taken[0][1].kind and fault.kind != "id")
            if fits and path.name not in pages and len(taken) < size:
                taken.append((path, fault))
                pages.add(path.name)
            else:
                left.append((path, fault))
        waiting = left
        yield taken


def _halves(project: Project, path: Path) -> list[str]:
    """The file, and the other half of the page, as paths inside the guide."""
    docs = project.docs
    if not path.is_relative_to(docs):
        return [path.relative_to(project.root).as_posix()]
    address = path.relative_to(docs).as_posix().partition("/")[2]
    return [f"docs/{language}/{address}" for language in project.languages]


def _told(
    project: Project, places: Sequence[Place], before: frozenset[str], *, tools: bool = False
) -> list[str]:
    touched = {project.root / name for path, _ in places for name in _halves(project, path)}
    kept = {path: path.read_bytes() for path in touched if path.is_file()}
    try:
        for path, fault in places:
            path.write_text(fault.source, encoding="utf-8", newline="\n")
            if len(_halves(project, path)) > 1 and path.suffix == ".md":
                translations.mark_in_line(project, _halves(project, path)[0].split("/", 2)[2])
        return [one for one in check(project, tools=tools).problems if one not in before]
    finally:
        for path, content in kept.items():
            path.write_bytes(content)


_Found = Iterator[tuple[Path, int, int, str]]


def _pages(project: Project) -> Iterator[tuple[Path, str]]:
    for path in sorted(project.docs.rglob("*.md")):
        yield path, path.read_text(encoding="utf-8")


def _matches(
    project: Project, pattern: re.Pattern[str], group: str
) -> Iterator[tuple[Path, re.Match]]:
    for path, text in _pages(project):
        for match in pattern.finditer(text):
            if match[group]:
                yield path, match


def _id(project: Project) -> _Found:
    """A heading with another id."""
    for path, match in _matches(project, _ID, "id"):
        yield path, *match.span("id"), f"{match['id']}-too"


def _order(project: Project) -> _Found:
    """A snippet in the place of the next one."""
    for path, text in _pages(project):
        all_of_it = list(_SNIPPET.finditer(text))
        for one, other in pairwise(all_of_it):
            if one["name"] != other["name"]:
                between = text[one.end("name") : other.start("name")]
                swapped = other["name"] + between + one["name"]
                yield path, one.start("name"), other.end("name"), swapped


def _include(project: Project) -> _Found:
    """A snippet of another name: one that does not exist, or one that does."""
    names = sorted(
        path.relative_to(project.snippets).with_suffix("").as_posix()
        for path in project.snippets.rglob("*.py")
    )
    for number, (path, match) in enumerate(_matches(project, _SNIPPET, "name")):
        name = match["name"]
        other = names[(names.index(name) + 1) % len(names)] if name in names else name[:-1]
        yield path, *match.span("name"), name[:-1] if number % 2 else other


def _record(project: Project) -> _Found:
    """An output that no machine printed: a digit in a record is another one."""
    for path in sorted(project.records.glob("*.json")):
        text = path.read_text(encoding="utf-8")
        for match in _PRINTED.finditer(text):
            digit = re.search(r"\d", match["text"])
            at = match.start("text") + digit.start()
            yield path, at, at + 1, str((int(digit[0]) + 1) % 10)


def _link(project: Project) -> _Found:
    """A link to a page that is not there."""
    for path, match in _matches(project, _LINK, "file"):
        stem, dot, ending = match["file"].rpartition(".")
        yield path, *match.span("file"), f"{stem}s{dot}{ending}"


def _anchor(project: Project) -> _Found:
    """A link to a heading that is not there."""
    for path, match in _matches(project, _LINK, "anchor"):
        yield path, *match.span("anchor"), f"{match['anchor']}s"


def _host(project: Project) -> _Found:
    """Something that a reader's browser fetches from another site, without being asked."""
    forms = (
        f"![a picture]({_FAR}) ",
        f'<img src="{_FAR}" alt="a picture"> ',
        f'<script src="{_FAR}"></script>\n',
    )
    for number, (path, text) in enumerate(_pages(project)):
        for match in list(_PARAGRAPH.finditer(text))[:3]:
            yield path, match.start(), match.start(), forms[number % len(forms)]


def _term(project: Project) -> _Found:
    """A Chinese word that the glossary refuses."""
    terms = [term for term in load_glossary(project) if term.wrong]
    for path, text in _pages(project):
        if not about(path.relative_to(project.docs).parts[0]).han:
            continue
        prose = mask_code(_FENCE.sub(lambda match: "\0" * len(match[0]), text))
        for term in terms:
            # In code, and inside an English word, it is no term.
            word = (
                rf"(?<!\w){re.escape(term.zh)}(?!\w)" if term.zh.isascii() else re.escape(term.zh)
            )
            for match in list(re.finditer(word, prose, re.ASCII))[:1]:
                if match.start() > text.find("\n---\n"):
                    yield path, *match.span(), term.wrong[0]


KINDS: dict[str, Callable[[Project], _Found]] = {
    "id": _id,
    "order": _order,
    "include": _include,
    "record": _record,
    "link": _link,
    "anchor": _anchor,
    "host": _host,
    "term": _term,
}
"""Each kind, and what finds the places where it can be planted."""
