"""The code of a lab: `labs/<name>.py`, cut into the cells that both languages' notebooks hold.

    # minutes: 10
    # colab: yes

    # %% train measures
    for step in range(100):
        ...

The lines above the first cell hold the lab's facts. A cell begins with `# %%`, its id, and what is
to be known of it: `measures` (what it prints differs from run to run and is not compared),
`snippet=memory/live_tensors` (its code is that snippet's, and none is here), `file=train.py`
(in the notebook the cell writes this file, by `%%writefile`). What the reader is to write is
between two marks: see gpu_guide/labs/exercise.py.

There are no comments in words: what a lab has to say stands in its text, in both languages.
"""

from __future__ import annotations

import ast
import hashlib
import io
import re
import sys
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gpu_guide.labs.exercise import MARK, Exercise, unmarked
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import parse as parse_snippet

MAX_COLUMNS = 80
PACKAGES = frozenset({"torch", "numpy", "matplotlib", "IPython"})
"""What a lab may import apart from the standard library: torch, and what comes with Jupyter or
Colab."""

_CELL = re.compile(r"# %%(?: (?P<id>\S+)(?P<words>(?: \S+)*))?\s*$")
_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_FACT = re.compile(r"# (?P<key>[a-z]+): (?P<value>\S+)$")
_COMMENT = re.compile(r"#(?! noqa)")


@dataclass(frozen=True)
class Cell:
    """One cell of code, as it runs."""

    id: str
    line: int
    code: str
    measures: bool = False
    exercise: Exercise | None = None
    """Which of its rows the reader writes, if any: the notebooks have a stub in their place."""


@dataclass(frozen=True)
class Lab:
    """The code of one lab."""

    name: str
    path: Path
    minutes: int
    colab: bool
    """Whether one GPU of Google Colab (a T4) is enough for it."""
    cells: tuple[Cell, ...]

    @cached_property
    def sha256(self) -> str:
        """Hash of what runs: the code of all cells, in their order."""
        return code_hash({cell.id: cell.code for cell in self.cells})

    def cell(self, identity: str) -> Cell | None:
        """The cell with that id, if there is one."""
        return next((cell for cell in self.cells if cell.id == identity), None)


def code_hash(cells: Mapping[str, str]) -> str:
    """Hash of the code of a lab, from its cells' ids and sources."""
    return hashlib.sha256("\0".join(f"{k}\0{v}" for k, v in cells.items()).encode()).hexdigest()


def load_labs(project: Project) -> dict[str, Lab]:
    """Every lab of the project by name. Raises GuideError for the first malformed."""
    return {path.stem: parse(path, project) for path in sorted(project.labs.glob("*.py"))}


def parse(path: Path, project: Project) -> Lab:
    """Read one lab's code, with that of the project's snippets that it names.

    Raises GuideError where it breaks the format, GuideError where such a snippet does.
    """
    try:
        rows = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise fault(path, f"byte {error.start}", "not UTF-8", "save it as UTF-8") from None
    starts = [number for number, row in enumerate(rows) if row.startswith("# %%")]
    if not starts:
        raise fault(path, 1, "no cells", "begin each with a line '# %% its-id'")
    facts = _facts(path, rows[: starts[0]])
    cells: list[Cell] = []
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        cell = _cell(path, start + 1, rows[start], rows[start + 1 : end], project)
        if any(cell.id == other.id for other in cells):
            raise fault(path, cell.line, f"a second cell {cell.id!r}", "give it another id")
        cells.append(cell)
    return Lab(path.stem, path, facts[0], facts[1], tuple(cells))


def _facts(path: Path, rows: list[str]) -> tuple[int, bool]:
    found = {m["key"]: m["value"] for row in rows if (m := _FACT.match(row))}
    if sum(bool(row.strip()) for row in rows) != len(found):
        remedy = "write lines '# minutes: 10' and '# colab: yes' there, and nothing else"
        raise fault(path, 1, "something else above the first cell", remedy)
    if found.keys() != {"minutes", "colab"}:
        raise fault(path, 1, "not the facts minutes and colab", "write '# minutes: 10', …")
    if not found["minutes"].isdecimal() or not 1 <= int(found["minutes"]) < 15:
        raise fault(path, 1, f"{found['minutes']} minutes", "a lab takes less than 15")
    if found["colab"] not in ("yes", "no"):
        raise fault(path, 1, f"colab: {found['colab']}", "write yes or no")
    return int(found["minutes"]), found["colab"] == "yes"


def _cell(path: Path, line: int, head: str, rows: list[str], project: Project) -> Cell:
    match = _CELL.match(head)
    blank = next((number for number, row in enumerate(rows) if row.strip()), 0)
    if match is None or not _ID.fullmatch(match["id"] or ""):
        remedy = "write '# %% ' and small letters, digits and hyphens"
        raise fault(path, line, f"{head!r} names no cell", remedy)
    code, measures, file = "\n".join(rows).strip("\n"), False, ""
    for word in match["words"].split():
        key, _, value = word.partition("=")
        if word == "measures":
            measures = True
        elif key == "file" and re.fullmatch(r"\w+\.py", value):
            file = value
        elif key == "snippet" and not code:
            snippet = project.snippets / f"{value}.py"
            if not snippet.is_file():
                raise fault(path, line, f"no snippet {value!r}", "write topic/name of one")
            code = parse_snippet(snippet, project).bare_code()
        else:
            remedy = "there are: measures, file=name.py, snippet=topic/name (with no code below)"
            raise fault(path, line, f"{word!r} cannot be used here", remedy)
    if not code:
        raise fault(path, line, f"cell {match['id']!r} is empty", "write code, or drop it")
    _check(path, line + blank, code)
    code, exercise = unmarked(path, line + blank, code)
    if file and exercise:
        raise fault(
            path, line, "a solution in a file", "let a cell that runs have the reader write"
        )
    code = f"%%writefile {file}\n{code}" if file else code
    return Cell(match["id"], line, code, measures, exercise)


def _check(path: Path, line: int, code: str) -> None:
    """Raise GuideError if the code of the cell on `line` is not Python as labs have it."""
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        place = line + (error.lineno or 1)
        raise fault(path, place, f"not Python: {error.msg}", "correct the syntax") from None
    for number, row in enumerate(code.split("\n"), line + 1):
        if len(row) > MAX_COLUMNS:
            raise fault(path, number, f"{len(row)} columns wide", f"at most {MAX_COLUMNS}")
        if not row.isascii():
            remedy = "code and what it prints are the same for both languages: write English"
            raise fault(path, number, "not ASCII", remedy)
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        comment = token.type == tokenize.COMMENT and _COMMENT.match(token.string)
        if comment and not MARK.match(token.string):
            remedy = "say it in the text of both languages"
            raise fault(path, line + token.start[0], f"a comment: {token.string}", remedy)
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or "."] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            top = name.split(".")[0]
            if top not in sys.stdlib_module_names and top not in PACKAGES:
                remedy = f"a lab imports the standard library and {', '.join(sorted(PACKAGES))}"
                raise fault(path, line + node.lineno, f"imports {name!r}", remedy)
