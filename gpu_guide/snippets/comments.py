"""The words of a snippet: its title and its comments, each in every language of the project.

The docstring of a function or class is in one language, because it is part of what runs. A comment
alone below it says the same in another: a page shows the one or the other.
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from gpu_guide.problems import fault
from gpu_guide.project import about

HAN = re.compile(r"[\u3400-\u9fff]")
_CONTINUED = re.compile(r"#   +(?P<text>\S.*)")
_TOOL_COMMENT = re.compile(r"# (noqa|type: ignore|fmt: )")


def comment_in(text: str, languages: Sequence[str]) -> re.Match[str] | None:
    """A comment line in one of the languages."""
    return re.match(rf"# (?P<lang>{'|'.join(languages)}): (?P<text>\S.*)", text)


def beginnings(languages: Sequence[str]) -> str:
    """How comments begin, as a remedy says it."""
    return " and ".join(f"'# {language}: …'" for language in languages)


def _foreign(text: str, language: str) -> bool:
    """Whether `text` is seen to be in another language: by its script."""
    return about(language).han not in (None, bool(HAN.search(text)))


def title(path: Path, tree: ast.Module, languages: Sequence[str]) -> tuple[dict[str, str], int]:
    """The docstring's paragraphs, one a language, in the order of the languages' codes."""
    ordered = sorted(languages)
    names = [about(language).name for language in ordered]
    remedy = "begin with a docstring: " + ", an empty line, ".join(
        f"the title in {n}" for n in names
    )
    doc = ast.get_docstring(tree)
    if doc is None:
        raise fault(path, 1, "no docstring", remedy)
    end = tree.body[0].end_lineno or 1
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", doc.strip())]
    found = dict(zip(ordered, paragraphs, strict=False))
    if len(paragraphs) != len(ordered) or any(_foreign(found[one], one) for one in found):
        what = f"the docstring is not a title in {' and then one in '.join(names)}"
        raise fault(path, 1, what, remedy)
    return found, end


@dataclass(frozen=True)
class Docstring:
    """The docstring of a function or class: its lines, where a comment below it would begin, and
    the languages of the one that says the same there."""

    text: str
    first: int
    last: int
    below: int
    said_in: frozenset[str] = frozenset()


def docstrings(source: str, tree: ast.Module) -> tuple[Docstring, ...]:
    """Those of all functions and classes, before any comment is looked at."""
    rows = source.split("\n")
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = []
    for node in (node for node in ast.walk(tree) if isinstance(node, kinds)):
        if text := ast.get_docstring(node):
            first, last = node.body[0].lineno, node.body[0].end_lineno or node.body[0].lineno
            # Below that of a class, black leaves a line empty.
            empty = isinstance(node, ast.ClassDef) and not rows[last].strip()
            found.append(Docstring(text, first, last, last + (2 if empty else 1)))
    return tuple(found)


@lru_cache(maxsize=8)
def all_comments(source: str) -> tuple[tokenize.TokenInfo, ...]:
    """Every comment: asked for twice of each file, and the dearest part of reading it."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return tuple(token for token in tokens if token.type == tokenize.COMMENT)


def whole_line_comments(path: Path, source: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for token in all_comments(source):
        if token.line[: token.start[1]].strip():
            if not _TOOL_COMMENT.match(token.string):
                raise fault(
                    path,
                    token.start[0],
                    "a comment behind code",
                    "put a comment line in each language above the code",
                )
        else:
            found[token.start[0]] = token.string
    return found


def translated(
    documented: Iterable[Docstring], language: Mapping[int, str]
) -> tuple[Docstring, ...]:
    """The docstrings, each with the language of the single comment below it."""
    found = []
    for one in documented:
        lines = itertools.takewhile(language.__contains__, itertools.count(one.below))
        said_in = frozenset(language[line] for line in lines)
        found.append(replace(one, said_in=said_in) if len(said_in) == 1 else one)
    return tuple(found)


def pairs(
    path: Path,
    source: str,
    comments: dict[int, str],
    languages: Sequence[str],
    documented: Iterable[Docstring] = (),
) -> dict[int, str]:
    """The language of each comment line, once every `# zh:` has its `# en:` next to it, or the
    docstring that it translates above it."""
    below_docstrings = {one.below for one in documented}
    lines = source.split("\n")
    language: dict[int, str] = {}
    runs: list[tuple[int, str, int, int]] = []
    for number, text in comments.items():
        match = comment_in(text, languages)
        indent = len(lines[number - 1]) - len(lines[number - 1].lstrip(" "))
        if match:
            language[number] = match["lang"]
            runs.append((number, match["lang"], indent, number))
        elif _CONTINUED.match(text) and runs and runs[-1][3] == number - 1:
            first, lang, column, _ = runs[-1]
            language[number] = lang
            runs[-1] = (first, lang, column, number)
        elif not _TOOL_COMMENT.match(text):
            raise fault(
                path,
                number,
                f"a comment in one language: {text!r}",
                f"write a pair {beginnings(languages)}; go on with '#   …' (three spaces)",
            )
    for number in language:
        text = comments[number]
        if comment_in(text, languages) and _foreign(text, language[number]):
            what = f"not {about(language[number]).name}: {text!r}"
            raise fault(path, number, what, "translate it")
    while runs:
        first, lang, indent, last = runs.pop(0)
        other = runs.pop(0) if runs and runs[0][0] == last + 1 else None
        if first in below_docstrings and (other is None or other[1] == lang):
            runs[:0] = [other] if other else []
            continue
        if other is None or other[1] == lang or other[2] != indent:
            missing = next(one for one in languages if one != lang)
            raise fault(
                path,
                first,
                f"'# {lang}:' without '# {missing}:'",
                f"add '# {missing}: …' on the next line, as far to the right; "
                "whoever reviews it will polish a rough translation",
            )
    return language
