"""The theme's style sheets without the rules that no page can use.

The theme brings rules for parts that this guide does not have: a blog, keyboard keys, comments on
a page, text from right to left. They are a sixth of the bytes that a reader loads before a page is
drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import tinycss2
from tinycss2.ast import AtRule, Node, QualifiedRule

_NESTED = ("media", "supports")
_CLASS_ATTRIBUTE = re.compile(r'\b(?:class|role)="([^"]+)"')
_FUNCTION = re.compile(r":[\w-]+\([^)]*\)")
_CLASS = re.compile(r"(?:\.|\[role=)(-?[A-Za-z_][\w-]*)")
"""A class in a selector, or a role."""
_ANIMATED = re.compile(r"\banimation(?:-name)?:[^;}]*")
_ASKED = re.compile(r"var\((--[\w-]+)")
_RTL = "dir=rtl"
"""Among the used classes, this says that a page is written from right to left."""
_WORD = re.compile(r"[\w-]+")
DATA_SCRIPTS = frozenset({"diagnosis-rules.js", "diagnosis-texts.js", "terms.js"})
"""Scripts that hold sentences for readers and give no element a class."""
_PARTS = {
    "md-annotation": "annotate",
    "md-mermaid": "mermaid",
    "md-source": "md-source",
    "md-status": "md-status",
    "md-tag": "md-tags",
    "md-version": "md-version",
    "mermaid": "mermaid",
}
"""Parts of the theme that its script knows by name: the beginning of their classes, and the class
that a page has where the script has anything to do with them."""


def used_names(site: Path) -> set[str]:
    """The classes and roles that the pages below `site` have, the custom properties that they and
    the guide's own sheets ask for, and every word of their scripts, which give elements further
    classes; not the words of `DATA_SCRIPTS`, nor those for parts that no page has."""
    tags: dict[str, None] = {}  # each once, for most of a page's are those of all pages
    for page in site.rglob("*.html"):
        tags.update(dict.fromkeys(page.read_text(encoding="utf-8").split("<")))
    html = "<".join(tags)
    used = {name for value in set(_CLASS_ATTRIBUTE.findall(html)) for name in value.split()}
    used.update(_ASKED.findall(html))
    if re.search(r'<(?:html|body)\b[^>]*\bdir="rtl"', html):
        used.add(_RTL)
    absent = tuple(part for part, sign in _PARTS.items() if sign not in used)
    for script in (path for path in site.rglob("*.js") if path.name not in DATA_SCRIPTS):
        words = _WORD.findall(script.read_text(encoding="utf-8"))
        used.update(word for word in words if not word.lstrip("-").startswith(absent))
    for sheet in site.rglob("assets/*.css"):
        used.update(_ASKED.findall(sheet.read_text(encoding="utf-8")))
    return used


def without_unused(sheets: Sequence[str], used: set[str]) -> list[str]:
    """Each of a page's sheets without the selectors that ask for a class or a role that is not
    `used`, without animations that nothing has, and without the custom properties that no sheet
    asks for any more; many hold a picture.

    The selectors in the brackets of `:not()`, `:is()` and the like do not count: an element
    without the class can match there.
    """
    left = ["".join(_written(_rules(sheet), used)) for sheet in sheets]
    animated = " ".join(name for sheet in left for name in _ANIMATED.findall(sheet))
    left = [_without_still(sheet, animated) for sheet in left]
    names = used.union(*(_ASKED.findall(sheet) for sheet in left))
    return ["".join(_asked(_rules(sheet), names)) for sheet in left]


def _without_still(sheet: str, animated: str) -> str:
    """The sheet without the keyframes of animations that nothing has any more."""

    def kept(found: re.Match[str]) -> str:
        return found[0] if re.search(rf"\b{found[1]}\b", animated) else ""

    return re.sub(r"@keyframes ([\w-]+)\{(?:[^{}]*\{[^{}]*\})*\s*\}", kept, sheet)


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


def _asked(rules: Iterable[Node], names: set[str]) -> Iterator[str]:
    for rule in rules:
        if not isinstance(rule, QualifiedRule) or "--" not in tinycss2.serialize(rule.content):
            yield rule.serialize()
            continue
        body = tinycss2.parse_declaration_list(rule.content)
        kept = [
            one
            for one in body
            if not (
                one.type == "declaration" and one.name.startswith("--") and one.name not in names
            )
        ]
        if any(one.type == "declaration" for one in kept):
            yield f"{tinycss2.serialize(rule.prelude)}{{{tinycss2.serialize(kept)}}}"


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
    asked = _FUNCTION.sub("", selector)
    if f"[{_RTL}]" in asked and _RTL not in used:
        return False
    return all(name in used or _composed(name) in used for name in _CLASS.findall(asked))


def _composed(name: str) -> str:
    """What a script puts together with a word of its own: `control--` of `control--next`."""
    start, mark, _ = name.rpartition("--")
    return start + mark
