"""The theme's style sheets without the rules that no page can use.

The theme brings rules for parts that this guide does not have: a blog, keyboard keys, comments on
a page. They are a sixth of the bytes that a reader loads before a page is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import tinycss2
from tinycss2.ast import AtRule, Node, QualifiedRule

_NESTED = ("media", "supports")
_CLASS_ATTRIBUTE = re.compile(r'\bclass="([^"]+)"')
_FUNCTION = re.compile(r":[\w-]+\([^)]*\)")
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
_WORD = re.compile(r"[\w-]+")


def used_classes(site: Path) -> set[str]:
    """The classes that the pages below `site` have, and every word of their scripts, which give
    elements further classes."""
    used: set[str] = set()
    for page in site.rglob("*.html"):
        for value in _CLASS_ATTRIBUTE.findall(page.read_text(encoding="utf-8")):
            used.update(value.split())
    for script in site.rglob("*.js"):
        used.update(_WORD.findall(script.read_text(encoding="utf-8")))
    return used


def without_unused(sheet: str, used: set[str]) -> str:
    """The sheet without the selectors that ask for a class that is not `used`.

    What stands in the brackets of `:not()`, `:is()` and the like does not count: an element without
    the class can match there.
    """
    return "".join(_written(_rules(sheet), used))


@lru_cache(maxsize=4)  # while serving, the same sheet is asked for after every save
def _rules(sheet: str) -> tuple[Node, ...]:
    return tuple(tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True))


def _written(rules: Iterable[Node], used: set[str]) -> Iterator[str]:
    for rule in rules:
        if isinstance(rule, QualifiedRule):
            selectors = [one for one in _selectors(rule) if _can_match(one, used)]
            if selectors:
                yield f"{','.join(selectors)}{{{tinycss2.serialize(rule.content)}}}"
        elif isinstance(rule, AtRule) and rule.at_keyword in _NESTED and rule.content is not None:
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if kept := "".join(_written(inner, used)):
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{kept}}}"
        else:
            yield rule.serialize()


def _selectors(rule: QualifiedRule) -> Iterator[str]:
    """The selectors of a rule; a comma inside brackets does not part any."""
    part: list[Node] = []
    for token in rule.prelude:
        if token.type == "literal" and token.value == ",":
            yield tinycss2.serialize(part).strip()
            part = []
        else:
            part.append(token)
    yield tinycss2.serialize(part).strip()


def _can_match(selector: str, used: set[str]) -> bool:
    return all(name in used for name in _CLASS.findall(_FUNCTION.sub("", selector)))
