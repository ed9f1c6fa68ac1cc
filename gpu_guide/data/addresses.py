"""Every address of a page or a message that was ever public, and where those lead that are gone.
A section that is gone is noted too, as `page#id: page#id`.

A reader's bookmark, a search engine and an answer on a forum keep an address for years, so that a
page is renamed only together with its redirect. A missing or malformed file raises GuideError.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from gpu_guide import fast_yaml
from gpu_guide.data.errors import load_errors
from gpu_guide.problems import Problem, did_you_mean, fault
from gpu_guide.project import Project


def load(path: Path) -> dict[str, str | None]:
    """By page, as its path without `.md`, the page that its address leads to now; None: itself."""
    return {name: target for name, (target, _) in _read(path).items() if "#" not in name}


def sections(path: Path) -> dict[str, tuple[str, int]]:
    """By section that is gone, as `page#id`, the one that has its words now, and the line."""
    found = _read(path).items()
    return {name: (target or "", line) for name, (target, line) in found if "#" in name}


def _read(path: Path) -> dict[str, tuple[str | None, int]]:
    """The entries, each with its line."""
    try:
        node = fast_yaml.compose(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        remedy = "write lines such as 'check/devices:' and 'old/name: check/devices'"
        raise fault(path, None, f"cannot be read: {error}", remedy) from error
    if not isinstance(node, yaml.MappingNode):
        raise fault(path, 1, "not a list of addresses", "write lines such as 'check/devices:'")
    found: dict[str, tuple[str | None, int]] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(value, yaml.ScalarNode):
            raise fault(path, line, f"{key.value}: not one page", "name the page it leads to now")
        if key.value in found:
            what = f"{key.value!r} again, first on line {found[key.value][1]}"
            raise fault(path, line, what, "keep one of them")
        found[key.value] = (value.value or None, line)
    return found


def check(project: Project) -> Iterator[Problem]:
    """Pages whose address is not noted, and addresses that lead to no page. Raises GuideError."""
    path = project.addresses
    found = _read(path)
    pages = {
        page.relative_to(half).with_suffix("").as_posix(): page
        for half in sorted(project.docs.glob("*/"))
        for page in sorted(half.rglob("*.md"))
    }
    if project.errors.is_dir():
        pages |= {message.own_page: path for message in load_errors(project).values()}
    for name in sorted(pages.keys() - found.keys()):
        what = f"the address {name!r} is not noted in {path.parent.name}/{path.name}"
        yield Problem(pages[name], 1, what, f"add a line '{name}:' there")
    for name, (target, line) in found.items():
        if "#" in name:
            continue  # checks.py knows the sections of pages
        if target is None and name not in pages:
            remedy = f"write '{name}: …' with the page that answers its readers now"
            yield Problem(path, line, f"{name!r} was public and has no page any more", remedy)
        elif target is not None and name in pages:
            remedy = f"write '{name}:', or remove the page"
            yield Problem(path, line, f"{name!r} is a page, and leads to another one", remedy)
        elif target is not None and target not in pages:
            remedy = did_you_mean(target, pages, "name a page by its path without .md")
            yield Problem(path, line, f"{name!r} leads to {target!r}, which is no page", remedy)


def note(path: Path, name: str) -> int:
    """Add the page `name` at the file's end where it is not noted; return its line."""
    found = _read(path)
    if name in found:
        return found[name][1]
    text = path.read_text(encoding="utf-8").rstrip("\n")
    path.write_text(f"{text}\n{name}:\n", encoding="utf-8", newline="\n")
    return text.count("\n") + 2


def moved(addresses: Mapping[str, str | None]) -> dict[str, str]:
    """The addresses that lead elsewhere."""
    return {name: target for name, target in addresses.items() if target is not None}


def url_of(name: str) -> str:
    """The address of the page below its language's folder: "" for the home page."""
    return f"{name.removesuffix('/index')}/" if name != "index" else ""
