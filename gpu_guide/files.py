"""Checks of all files: whether anything reads them, their names, their sizes, their bytes.

A file of another kind, or with another name, is no mistake that a tool would report: the guide
would simply never show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gpu_guide.pages.page import load_pages
from gpu_guide.problems import Problem
from gpu_guide.project import Project

LARGEST = 500 * 1024
"""Bytes. A page with all that it loads has less; data is no page, what is made of it is."""
_PICTURES = frozenset({".png", ".jpg", ".webp", ".svg"})
_TEXT = frozenset({".py", ".md", ".yml", ".json", ".ipynb", ".txt", ".toml"})
_BY_HYPHENS = re.compile(r"[a-z0-9.-]+")
_BY_UNDERSCORES = re.compile(r"[a-z0-9_.]+")
_UNSEEN = re.compile("[\u00a0\u200b-\u200f\u2028\u2029\u2060\ufeff]")
_BOM = "\ufeff".encode()


def check(project: Project) -> Iterator[Problem]:
    """Every file of the project that nothing reads, and every text with stray bytes."""
    for folder, kinds in _kinds(project).items():
        for path in _files(folder):
            if path.suffix not in kinds:
                what = f"a file of which nothing in {folder.name}/ is made"
                remedy = f"delete it; {folder.name}/ holds {', '.join(kinds)}"
                yield Problem(path, None, what, remedy)
            elif folder != project.data and path.stat().st_size > LARGEST:
                what = f"{path.stat().st_size // 1024} KiB, more than {LARGEST // 1024}"
                yield Problem(path, None, what, "make it smaller: readers load it by phone")
    yield from _names(project.docs, _BY_HYPHENS, "write it in small letters, joined by hyphens")
    remedy = "write it in small letters, joined by underscores"
    yield from _names(project.snippets, _BY_UNDERSCORES, remedy)
    for path in sorted(project.snippets.glob("*.py")):
        remedy = "move it into the folder of its topic"
        yield Problem(path, None, "a snippet of no topic", remedy)
    yield from _pictures(project)
    texts = [*project.texts, *project.root.glob("*.yml")]
    for folder in (*_kinds(project), project.package, project.tests):
        texts += [path for path in _files(folder) if path.suffix in _TEXT]
    for path in sorted(texts):
        yield from _bytes(path, prose=path.is_relative_to(project.docs))


def _kinds(project: Project) -> dict[Path, tuple[str, ...]]:
    """By folder, the kinds of files of which something is made."""
    return {
        project.docs: (".md", ".ipynb", *sorted(_PICTURES)),
        project.snippets: (".py",),
        project.labs: (".py", ".toml"),
        project.data: (".yml", ".txt"),
        project.records: (".json",),
    }


def _files(folder: Path) -> Iterator[Path]:
    """The files below `folder`, without what tools leave there."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "__")) for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


def _names(folder: Path, pattern: re.Pattern[str], remedy: str) -> Iterator[Problem]:
    """An address is typed, and Windows takes capitals for small letters where a server does not."""
    for path in _files(folder):
        wrong = [part for part in path.relative_to(folder).parts if not pattern.fullmatch(part)]
        if wrong:
            yield Problem(path, None, f"named {wrong[0]!r}", remedy)


def _pictures(project: Project) -> Iterator[Problem]:
    """Pictures that no page and no README shows."""
    pictures = [path for path in _files(project.docs) if path.suffix in _PICTURES]
    if not pictures:
        return
    readmes = "".join(path.read_text(encoding="utf-8", errors="replace") for path in project.texts)
    pages = (page for found in load_pages(project)[0].values() for page in found.values())
    linked = {(page.path.parent / link.target).resolve() for page in pages for link in page.links}
    for path in pictures:
        named = path.relative_to(project.root).as_posix()
        if path.resolve() not in linked and named not in readmes:
            yield Problem(path, None, "a picture that no page shows", "show it, or delete it")


def _bytes(path: Path, *, prose: bool) -> Iterator[Problem]:
    """Line ends of Windows, a byte order mark; in prose, characters that nobody sees."""
    content = path.read_bytes()
    before, end, _ = content.partition(b"\r\n")
    if end:  # outputs and hashes are compared byte for byte
        remedy = "save it with the line ends of Unix (LF)"
        yield Problem(path, before.count(b"\n") + 1, "a line that ends in CRLF", remedy)
    if content.startswith(_BOM) and path.suffix != ".py":
        yield Problem(path, 1, "starts with a byte order mark", "save as UTF-8 without BOM")
    if prose and path.suffix == ".md":
        for number, row in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
            if match := _UNSEEN.search(row.removeprefix("\ufeff")):
                what = f"a character that nobody sees: U+{ord(match[0]):04X}"
                yield Problem(path, number, what, "delete it, or write a blank")
