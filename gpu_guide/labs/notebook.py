"""The notebooks of a lab, one per language: `docs/<language>/labs/<name>.ipynb`.

They are made of the lab's code, its text and what a machine printed, and never written by hand.
What a notebook has no place for is kept in its metadata under `guide`: the page's title and
description, the ids of headings, what stands for a picture. So a page can be made of the notebook
alone, and a reader of the notebook sees plain Markdown.

Where the reader writes, a cell holds a stub and shows nothing. The solution and what it printed are
folded in a cell of text after it, whose metadata keeps both, for pages and to know what ran.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from gpu_guide.labs.exercise import Say
from gpu_guide.labs.source import Cell, Lab, code_hash
from gpu_guide.labs.text import CellUse, cut
from gpu_guide.pages.page import Page
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

Output = dict[str, Any]
"""One output as nbformat has it: a stream, or data by MIME type."""
Outputs = Mapping[str, Sequence[Output]]
"""By cell."""
Notebook = dict[str, Any]

_FACTS = ("title", "description")
_LINK = re.compile(
    r"(?<=\]\()(?:term:(?P<term>[^)\s]+)|(?!\w+:|#|//)(?P<path>[^)\s#]*)(?P<anchor>#[^)\s]*)?)(?=\))"
)


def path_of(project: Project, lang: Language, name: str) -> Path:
    """Where the notebook of the lab `name` lies."""
    return project.lab_pages(lang) / f"{name}.ipynb"


def make(lab: Lab, text: Page, outputs: Outputs, say: Say) -> Notebook:
    """The notebook of a lab in the language of `text`, whose words `say` has.

    Raises GuideError for an unknown cell, and for a solution that shows a picture.
    """
    cells = []
    for part in cut(text):
        if isinstance(part, CellUse):
            cells += _code(lab, text.path, part, outputs, say)
            continue
        metadata = {"guide": {"heading": part.heading}} if part.heading else {}
        cells.append(
            {
                "cell_type": "markdown",
                "id": f"text-{len(cells) + 1}",
                "metadata": metadata,
                "source": _lines(part.source),
            }
        )
    metadata: dict[str, Any] = {
        "guide": {"lab": lab.name, **{key: str(text.front.get(key, "")) for key in _FACTS}},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    if lab.colab:
        metadata |= {"accelerator": "GPU", "colab": {"gpuType": "T4"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _code(
    lab: Lab, path: Path, use: CellUse, outputs: Outputs, say: Say
) -> Iterator[dict[str, Any]]:
    """The cell, and below it its solution, if it has one."""
    cell = lab.cell(use.cell) if use.lab == lab.name else None
    if cell is None:
        known = ", ".join(f"{lab.name}/{other.id}" for other in lab.cells)
        raise fault(path, use.line, f"no cell {use.lab}/{use.cell}", f"there are {known}")
    guide = {"guide": {"alt": use.alt}} if use.alt else {}
    shown = list(outputs.get(cell.id, ()))
    tags = ["measures"] if cell.measures else []
    # Jupyter's own tag: running all cells goes on behind one that the reader has left out.
    tags += ["raises-exception"] if cell.exercise else []
    yield {
        "cell_type": "code",
        "execution_count": None,
        "id": cell.id,
        "metadata": guide | ({"tags": tags} if tags else {}),
        "outputs": [] if cell.exercise else shown,
        "source": _lines(cell.exercise.stub(cell.code, say) if cell.exercise else cell.code),
    }
    if cell.exercise:
        solution = cell.exercise.solution(cell.code)
        ran = {"cell": cell.id, "lines": solution, "outputs": shown, "source": _lines(cell.code)}
        yield {
            "cell_type": "markdown",
            "id": f"{cell.id}-solution",
            "metadata": {"guide": {"solution": ran}},
            "source": _lines(_folded(lab, cell, solution, shown, say)),
        }


def _folded(lab: Lab, cell: Cell, solution: str, shown: Sequence[Output], say: Say) -> str:
    if any("text" not in output for output in shown):
        raise fault(lab.path, cell.line, "a solution that shows a picture", "let it print text")
    printed = "".join(row for output in shown for row in output["text"]).rstrip("\n")
    rows = ["<details>", f"<summary>{say('solution')}</summary>", "", "```python", solution, "```"]
    rows += ["", say("prints"), "", "```text", printed, "```"] if printed else []
    return "\n".join([*rows, "", "</details>"])


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def dumps(notebook: Notebook) -> str:
    """The file's text: the same for the same notebook."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def read(path: Path) -> Notebook:
    """A notebook of the guide. Raises GuideError where `make lab` has not written it."""
    remedy = f"`make lab name={path.stem}` writes it anew"
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if not all(fact in notebook["metadata"]["guide"] for fact in ("lab", *_FACTS)):
            raise KeyError("guide")
        for cell in notebook["cells"]:
            "".join([*cell["source"], cell["id"], cell["cell_type"]])
    except OSError:
        raise fault(path, 1, "no such notebook", remedy) from None
    except (ValueError, KeyError, TypeError) as error:
        raise fault(path, 1, f"not a notebook of the guide ({error})", remedy) from None
    return notebook


def code_cells(notebook: Notebook) -> dict[str, dict[str, Any]]:
    """The cells of code by id, in their order."""
    return {cell["id"]: cell for cell in notebook["cells"] if cell["cell_type"] == "code"}


def solutions(notebook: Notebook) -> dict[str, dict[str, Any]]:
    """By the id of a cell that the reader completes, what ran in its place: `source` and `outputs`
    like those of a cell, and `lines`, the part that is left to the reader."""
    found = [cell["metadata"].get("guide", {}).get("solution") for cell in notebook["cells"]]
    return {solution["cell"]: solution for solution in found if solution}


def _ran(notebook: Notebook) -> dict[str, dict[str, Any]]:
    return code_cells(notebook) | solutions(notebook)


def sources(notebook: Notebook) -> dict[str, str]:
    """The code by cell, with the solutions."""
    return {name: "".join(cell["source"]) for name, cell in _ran(notebook).items()}


def sha256(notebook: Notebook) -> str:
    """Hash of its code: the same as that of the lab it was made of."""
    return code_hash(sources(notebook))


def outputs(notebook: Notebook) -> dict[str, list[Output]]:
    """What each cell of code printed and showed, with the solutions."""
    return {name: cell["outputs"] for name, cell in _ran(notebook).items()}


def page_markdown(notebook: Notebook) -> str:
    """The notebook as a page: what the Markdown extensions make HTML of."""
    guide = notebook["metadata"]["guide"]
    front = yaml.safe_dump({key: guide[key] for key in _FACTS}, allow_unicode=True, sort_keys=False)
    parts = [f"---\n{front}---"]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            parts.append(f"```cell\n{guide['lab']}/{cell['id']}\n```")
            continue
        if "solution" in cell["metadata"].get("guide", {}):
            continue  # the fence of its cell shows it
        title, _, rest = "".join(cell["source"]).partition("\n")
        heading = cell["metadata"].get("guide", {}).get("heading")
        if heading:
            title += f" {{ #{heading} }}"
        elif title.startswith("# "):
            title += f"\n\n```lab\n{guide['lab']}\n```"
        parts.append(f"{title}\n{rest}".rstrip("\n"))
    return "\n\n".join(parts) + "\n"


def with_links(notebook: Notebook, absolute: Callable[[str], str]) -> Notebook:
    """A copy whose links between pages are replaced: for readers who have the notebook alone."""

    def replaced(match: re.Match[str]) -> str:
        if match["term"]:
            return absolute("../reference/glossary.md") + f"#{match['term']}"
        return absolute(match["path"]) + (match["anchor"] or "")

    cells = [
        cell | {"source": _lines(_LINK.sub(replaced, "".join(cell["source"])))}
        if cell["cell_type"] == "markdown" and "solution" not in cell["metadata"].get("guide", {})
        else cell
        for cell in notebook["cells"]
    ]
    return notebook | {"cells": cells}
