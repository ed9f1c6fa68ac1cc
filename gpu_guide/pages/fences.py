"""Checks of fences: what a page may show between three backquotes. Python is not allowed there."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

from gpu_guide.pages.lines import INDENTED
from gpu_guide.pages.page import Page
from gpu_guide.problems import Problem, did_you_mean

DATA_FENCES = frozenset(
    {
        "apis",
        "causes",
        "changes",
        "chooser",
        "diagnosis",
        "dry-run",
        "errors",
        "exercises",
        "glossary",
        "picture",
        "plot",
        "table",
        "verified",
    }
)
GUIDE_FENCES = DATA_FENCES | {"snippet", "cell"}
"""What the guide renders itself."""
SNIPPET_OPTIONS = ("show: download", "show: guess")
"""What may follow the name in a snippet fence: no code, or outputs that a click shows."""
FENCE_LANGUAGES = GUIDE_FENCES | frozenset(
    [
        *("bash", "powershell", "bat", "console"),
        *("text", "pytb", "json", "toml", "yaml", "ini", "diff", "dockerfile"),
    ]
)
"""What a fence may say. Python is not among them: it belongs in `snippets/`, where it is run."""

_ADMONITIONS = ("note", "abstract", "info", "tip", "success", "question", "warning", "failure")
_ADMONITIONS += ("danger", "bug", "example", "quote")
"""The kinds that Material for MkDocs has a colour and a sign for."""
_PLAIN = frozenset({"text", "console", "bash", "powershell", "bat"})
"""Fences in which Python would be shown without being run."""
_PYTHON = re.compile(r">>> |import \w+|from [\w.]+ import ")


def check(page: Page) -> Iterator[Problem]:
    """Fences that are none, that hold what they may not, or that hold Python."""
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
    for block in page.skeleton:
        marks, _, kind = block.what.partition(" ")
        if marks[0] in "!?" and (word := kind.split(" ")[0]) not in _ADMONITIONS:
            remedy = did_you_mean(word, _ADMONITIONS)
            yield Problem(page.path, block.line, f"an admonition of no kind: {word!r}", remedy)
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
