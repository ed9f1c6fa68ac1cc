"""The snippet file: parse it, show it in one language, say what it needs, hash it.

The tests, the renderer and the recorder all see snippets through this module.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.snippets.code_hash import fingerprint
from gpu_guide.snippets.comments import (
    HAN,
    Docstring,
    docstrings,
    pairs,
    title,
    translated,
    whole_line_comments,
)
from gpu_guide.snippets.format import check_imports, check_width, read
from gpu_guide.snippets.header import Needs, check_header, check_place, read_header
from gpu_guide.snippets.libraries import Library, load_libraries
from gpu_guide.snippets.outputs import (
    Printed,
    PrintStatement,
    by_statement,
    output_lines,
    output_rows,
    print_statements,
    read_outputs,
    with_outputs,
)
from gpu_guide.snippets.syntax import tree_of

__all__ = [
    "HAN",
    "Language",
    "Needs",
    "PrintStatement",
    "Printed",
    "Snippet",
    "by_statement",
    "load_snippets",
    "parse",
    "print_statements",
    "well_formed_snippets",
    "with_outputs",
]

Language = str
"""Its code, such as "en": those of a project are `Project.languages`."""


@dataclass(frozen=True)
class Snippet:
    """One parsed snippet file."""

    name: str
    path: Path
    source: str
    title: dict[str, str]
    needs: Needs
    simulated: bool
    """Whether simulated devices can answer it (`# simulated: no` says that they cannot)."""
    measures: bool
    """Whether its output differs from run to run, and so is never compared."""
    exits: frozenset[int]
    leaves: frozenset[str]
    """What it leaves changed because that is its subject: environment, threads or files."""
    prints: tuple[PrintStatement, ...]
    outputs: tuple[Printed, ...]
    head: int
    """The last line of the title and of the data lines below it."""
    _hidden: frozenset[int] = field(repr=False)
    _comments: dict[int, str] = field(repr=False)
    documented: tuple[Docstring, ...] = ()
    """The docstrings of its functions and classes."""

    def code(self, lang: Language, outputs: Iterable[Printed] | None = None) -> str:
        """The code a page shows: no title, no data lines, comments in `lang` alone, and those in
        the place of docstrings that they translate.

        `#>` lines are the file's own, or `outputs` (what another machine printed) in their place.
        """
        lines = self.source.split("\n")
        rows = output_rows(self.prints, self.outputs if outputs is None else outputs)
        said = [one for one in self.documented if lang in one.said_in]
        hidden = self._hidden.union(*(range(one.first, one.below) for one in said))
        shown_lines: list[str] = []
        for number, line in enumerate(lines, 1):
            comment = self._comments.get(number)
            if number not in hidden and comment in (None, lang):
                shown_lines.append(_localised(line, lang) if comment else line)
            shown_lines += rows.get(number, [])
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(shown_lines))
        return text.strip("\n") + "\n"

    def bare_code(self) -> str:
        """The code without comments, blank lines around them closed up: what a lab takes over."""
        lines = [
            line
            for number, line in enumerate(self.source.split("\n"), 1)
            if number not in self._hidden and number not in self._comments
        ]
        return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip("\n")

    def with_outputs(self, outputs: Iterable[Printed]) -> str:
        """The file's text with `outputs` in the place of its `#>` lines."""
        return with_outputs(self.source, self.prints, outputs)

    def without_outputs(self) -> str:
        """The file's text without its `#>` lines: what a reader copies."""
        return self.with_outputs(())

    @cached_property
    def sha256(self) -> str:
        """Hash of what runs: neither layout, comments, title nor outputs count.

        So a corrected comment keeps a GPU's record fresh, and a changed statement makes it stale.
        """
        return fingerprint(self.source, str(self.needs), str(sorted(self.exits)))


def load_snippets(project: Project) -> dict[str, Snippet]:
    """Every snippet of the project by name, in the order of their names.

    Raises GuideError for the first malformed file.
    """
    return {
        snippet.name: snippet
        for snippet in (parse(path, project) for path in sorted(project.snippets.rglob("*.py")))
    }


def well_formed_snippets(project: Project) -> list[Snippet]:
    """Every snippet that can be parsed: of the others a test of their own says what is wrong."""
    found = []
    for path in sorted(project.snippets.rglob("*.py")):
        with contextlib.suppress(GuideError):
            found.append(parse(path, project))
    return found


def parse(path: Path, project: Project) -> Snippet:
    """Read one snippet file of the project; raise GuideError where it breaks the format."""
    libraries = load_libraries(project)
    return _parsed(path, project.snippets, read(path), project.languages, libraries)


@lru_cache(maxsize=2048)
def _parsed(
    path: Path,
    folder: Path,
    source: str,
    languages: tuple[Language, ...],
    libraries: tuple[Library, ...],
) -> Snippet:
    """The snippet that `source` makes: tests, checks and pages read the same ones again."""
    try:
        tree = tree_of(source)
    except SyntaxError as error:
        raise fault(
            path, error.lineno or 1, f"not valid Python: {error.msg}", "correct the syntax"
        ) from None
    titles, docstring_end = title(path, tree, languages)
    comments = whole_line_comments(path, source)
    header, header_end = read_header(path, comments, docstring_end, languages, libraries)
    prints, printed_on = print_statements(source), output_lines(source)
    outputs = read_outputs(path, source, prints, printed_on)
    below = {n: text for n, text in comments.items() if n > header_end and n not in printed_on}
    check_place(path, below)
    documented = docstrings(source, tree)
    localised = pairs(path, source, below, languages, documented)
    needs = header.get("needs", Needs())
    check_imports(path, source, {library.module for library in needs.libraries})
    check_width(path, source, printed_on)
    check_header(path, header, min(printed_on, default=None))
    return Snippet(
        name=path.relative_to(folder).with_suffix("").as_posix(),
        path=path,
        source=source,
        title=titles,
        needs=needs,
        simulated=header.get("simulated", True),
        measures=header.get("measures", False),
        exits=header.get("exits", frozenset({0})),
        leaves=header.get("leaves", frozenset()),
        prints=prints,
        outputs=outputs,
        head=header_end,
        _hidden=frozenset(range(1, header_end + 1)) | printed_on,
        _comments=localised,
        documented=translated(documented, localised),
    )


def _localised(line: str, lang: Language) -> str:
    return re.sub(rf"# {lang}: |#   +", "# ", line, count=1)
