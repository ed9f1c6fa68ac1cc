"""Checks of the labs: code, text and notebooks belong together.

Nothing is run here: what cells print is compared by the tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from gpu_guide.labs import notebook
from gpu_guide.labs.exercise import Say, leaning
from gpu_guide.labs.source import Lab
from gpu_guide.labs.text import CellUse, cut, path_of, read, written_in
from gpu_guide.pages.lines import Line, mask_code
from gpu_guide.pages.page import Page
from gpu_guide.problems import GuideError, Problem, shown
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

_FENCES = frozenset({"cell", "bash", "text", "console", "powershell"})
_ATTRIBUTES = re.compile(r"\{:?[ ]*[#.]")


def check(
    project: Project, labs: Mapping[str, Lab], words: Callable[[Language], Say]
) -> list[Problem]:
    """Every broken rule of the project's labs: `labs` are those that can be read.

    A lab may be in one language: gpu_guide/pages/translations.py says so.
    """
    problems: list[Problem] = []
    for lab in labs.values():
        problems += _skippable(lab)
        languages = written_in(project, lab.name) or project.languages
        for lang in project.languages:
            path = notebook.path_of(project, lang, lab.name)
            if lang in languages:
                problems += _lab(project, lang, lab, words(lang))
            elif path.is_file():
                remedy = f"write {shown(path_of(project, lang, lab.name))}, or delete this"
                problems.append(Problem(path, 1, "a notebook without a text", remedy))
    for lang in project.languages:
        for path in sorted(project.lab_pages(lang).glob("*.*")):
            if path.stem not in labs and path.stem != "index":
                remedy = f"write labs/{path.stem}.py, or delete this"
                problems.append(Problem(path, 1, "no such lab", remedy))
    return problems


def _skippable(lab: Lab) -> Iterator[Problem]:
    """Who leaves a cell to be written unwritten can run all others."""
    cells = {cell.id: (cell.code, cell.exercise is not None) for cell in lab.cells}
    lines = {cell.id: cell.line for cell in lab.cells}
    for cell, exercise, name in leaning(cells):
        what = f"cell {cell!r} uses {name!r}, which the reader writes in {exercise!r}"
        yield Problem(lab.path, lines[cell], what, "take another name, or define it here")


def _lab(project: Project, lang: Language, lab: Lab, say: Say) -> Iterator[Problem]:
    try:
        text = read(project, lang, lab.name)
        uses = [part for part in cut(text) if isinstance(part, CellUse)]
    except GuideError as error:
        yield from error.problems
        return
    yield from _shown_by_a_notebook(text)
    yield from _cells(lab, text, uses)
    yield from _notebook(project, lang, lab, text, say)


def _shown_by_a_notebook(text: Page) -> Iterator[Problem]:
    """What a notebook would show as it is typed."""
    for fence in text.fences:
        if fence.language not in _FENCES:
            remedy = f"in a lab there are {', '.join(sorted(_FENCES))}"
            yield Problem(text.path, fence.line, f"a fence of {fence.language!r}", remedy)
    for block in text.skeleton:
        if not block.what.startswith("table"):
            remedy = "write a paragraph: a notebook has neither admonitions nor tabs"
            yield Problem(text.path, block.line, f"{block.what!r} in a lab", remedy)
    for line in text.lines:
        if _has_attributes(line):
            remedy = "only headings have an attribute list, and only with an id"
            yield Problem(text.path, line.number, "an attribute list", remedy)


def _has_attributes(line: Line) -> bool:
    found = line.kind == "prose" and _ATTRIBUTES.search(mask_code(line.text))
    return bool(found) and not re.match(r"#{2,3} .*\{ #[a-z0-9-]+ \}$", line.text)


def _cells(lab: Lab, text: Page, uses: list[CellUse]) -> Iterator[Problem]:
    """Both texts show each cell once, in the order of the code."""
    wanted = [f"{lab.name}/{cell.id}" for cell in lab.cells]
    found = [f"{use.lab}/{use.cell}" for use in uses]
    if wanted == found:
        return
    number = next((n for n, (a, b) in enumerate(zip(wanted, found, strict=False)) if a != b), None)
    number = min(len(wanted), len(found)) if number is None else number
    here = found[number] if number < len(found) else "nothing"
    there = wanted[number] if number < len(wanted) else "nothing"
    line = uses[number].line if number < len(uses) else len(text.lines)
    remedy = f"show the cells of {shown(lab.path)} once each, in their order"
    problem = f"cell {number + 1} is {here}, in the code it is {there}"
    yield Problem(text.path, line, problem, remedy)


def _notebook(
    project: Project, lang: Language, lab: Lab, text: Page, say: Say
) -> Iterator[Problem]:
    """The notebook is the one that `make lab` makes of today's code and text."""
    path = notebook.path_of(project, lang, lab.name)
    remedy = f"run `make lab name={lab.name}`"
    try:
        found = notebook.read(path)
        made = notebook.make(lab, text, notebook.outputs(found), say)
    except GuideError as error:
        yield Problem(path, 1, str(error), remedy)
        return
    if notebook.sources(found) != {cell.id: cell.code for cell in lab.cells}:
        yield Problem(path, 1, f"not the code of {shown(lab.path)}", remedy)
    elif notebook.dumps(made) != path.read_text(encoding="utf-8"):
        yield Problem(path, 1, f"not the text of {shown(text.path)}", remedy)
    for name, cell in notebook.code_cells(found).items():
        pictures = any("image/svg+xml" in output.get("data", {}) for output in cell["outputs"])
        if pictures and not cell["metadata"].get("guide", {}).get("alt"):
            remedy = "add 'alt: …' below its name in the fence: what the picture shows"
            yield Problem(text.path, 1, f"no alternative text for the picture of {name!r}", remedy)
