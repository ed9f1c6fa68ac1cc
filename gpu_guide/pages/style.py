"""Words by which one hears that a text was translated: data/style/<language>.yml.

`find` is a regular expression for the text that a reader sees. What is under `wrong` is a problem,
and `write` says what to write instead. What is under `often` is right now and then: it is counted
beside what is `natural`. `as` is a sentence in which it is found, `unlike` one in which it is not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any

from gpu_guide import fast_yaml
from gpu_guide.pages.lines import units, visible
from gpu_guide.pages.page import Page, load_pages
from gpu_guide.problems import Problem, did_you_mean, fault
from gpu_guide.project import HERE, Project, about

_WORD = re.compile(r"[A-Za-z][\w'-]*")
_HAN = re.compile(r"[\u3400-\u9fff]")


@lru_cache(maxsize=8)
def habits(language: str) -> dict[str, list[dict[str, Any]]]:
    """The lists `wrong` and `often` of the language, with compiled patterns; empty without one."""
    path = HERE.style / f"{language}.yml"
    lists = fast_yaml.load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {
        kind: [one | {"find": re.compile(one["find"])} for one in lists.get(kind, ())]
        for kind in ("wrong", "often")
    }


def wrong(text: str, language: str) -> Iterator[tuple[re.Match[str], str]]:
    """What is wrong in a text as a reader sees it, and what to write instead."""
    for habit in habits(language)["wrong"]:
        for match in habit["find"].finditer(text):
            yield match, habit["write"]


def check(page: Page, language: str) -> Iterator[Problem]:
    """Wrong words on a page. Those in Chinese are told by chinese.py, wherever it is written."""
    if about(language).han:
        return
    for line in page.lines:
        for unit in units(line) if line.kind in ("front", "prose") else ():
            for match, write in wrong(visible(unit), language):
                yield Problem(page.path, line.number, repr(match[0]), f"write {write}")


def rates(project: Project, language: str, names: Collection[str]) -> Iterator[str]:
    """How often the habits are found on pages, each beside what is natural.

    `names` are pages or folders of them; without any, all pages. Raises GuideError for another.
    """
    pages = load_pages(project)[0][language]
    addresses = [] if names else list(pages)
    for name in (one.strip("/") for one in names):
        found = [one for one in pages if one == f"{name}.md" or one.startswith(f"{name}/")]
        if not found:
            known = [one.removesuffix(".md") for one in pages]
            remedy = did_you_mean(name, known, "name a page or a folder of docs, without .md")
            raise fault(None, None, f"no page {name!r}", remedy)
        addresses += found
    prose = "\n".join(
        visible(unit)
        for address in addresses
        for line in pages[address].lines
        if line.kind == "prose" and not line.text.lstrip().startswith(("|", "[^"))
        for unit in units(line)
    )
    size = len((_HAN if about(language).han else _WORD).findall(prose)) or 1
    for habit in habits(language)["often"]:
        found = 1000 * len(re.findall(habit["find"].pattern, prose, re.MULTILINE)) / size
        natural = "–".join(map(str, habit.get("natural", ())))
        yield f"{found:6.1f}  {habit['name']}" + (f" ({natural})" if natural else "")
