"""A lab's cells and the bar of buttons on top of it, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from gpu_guide.labs.notebook import Notebook, Output, code_cells, sha256, solutions
from gpu_guide.labs.records import LabRecord
from gpu_guide.labs.svg import inline
from gpu_guide.render.provenance import machine_claim, machine_name
from gpu_guide.render.snippet import code_block, tabs
from gpu_guide.render.template import fill
from gpu_guide.render.words import Words

_COLAB = "https://colab.research.google.com/github/"
_KAGGLE = "https://www.kaggle.com/kernels/welcome?src=https://github.com/"


def bar(
    notebook: Notebook,
    say: Words,
    records: Iterable[LabRecord],
    torch: str,
    repository: str,
) -> Markup:
    """The bar below the title: the download first, then the other ways, then what ran where.

    `torch` is the pinned one. `repository` is "owner/name/blob/branch" on GitHub, or nothing: then
    there is no link to Colab or Kaggle, and none where one T4 is not enough.
    """
    name = notebook["metadata"]["guide"]["lab"]
    colab = kaggle = ""
    machines = ran_on(notebook, say, records, torch)
    if repository and "colab" in notebook["metadata"]:
        path = f"{repository}/docs/{say.language}/labs/{name}.ipynb"
        colab, kaggle = f"{_COLAB}{path}", f"{_KAGGLE}{path}"
    return fill("lab_bar.html", say=say, lab=name, colab=colab, kaggle=kaggle, machines=machines)


def ran_on(notebook: Notebook, say: Words, records: Iterable[LabRecord], torch: str) -> list[str]:
    """Where the lab ran, the machine of the notebook first."""
    name, code = notebook["metadata"]["guide"]["lab"], sha256(notebook)
    machines = [say.listed(["CPU", say("one_thread"), f"torch {torch}"], "comma")]
    for record in records:
        machine = record.environment
        if record.fresh(name, code):
            machines.append(machine_claim(machine, say))
        elif name in record.labs:
            gpu = machine_name(machine, say)
            machines.append(say("lab_stale", gpu=gpu, date=machine.date))
    return machines


def cell(
    notebook: Notebook, identity: str, say: Words, records: Iterable[LabRecord], count: int
) -> Markup:
    """The cell's code and below it what it showed; the `count`-th cell of its page.

    Where another machine showed something else, its output is behind a tab; where it showed
    nothing, or the same as one before it, it has none. Where the reader writes, the output is that
    of the solution, and folded with it.
    """
    name = notebook["metadata"]["guide"]["lab"]
    found = code_cells(notebook)[identity]
    alt = alternative(found)
    solution = solutions(notebook).get(identity)
    blocks = [
        (label, _outputs(outputs, f"{identity}-{number}", alt))
        for number, (label, outputs) in enumerate(shown(notebook, identity, say, records))
    ]
    if [label for label, _ in blocks] in ([], ["CPU"]):
        output = Markup().join(block for _, block in blocks)
    else:  # even a single one has to say which machine it was
        output = tabs(blocks, "cell", count)
    block = code_block("".join(found["source"]) + "\n")
    return fill(
        "cell.html",
        say=say,
        lab=name,
        cell=identity,
        code=block,
        solution=code_block(solution["lines"] + "\n") if solution else "",
        output=output,
        count=count,
    )


def alternative(cell: Mapping[str, Any]) -> str:
    """The alternative text of the picture that the cell shows."""
    return str(cell["metadata"].get("guide", {}).get("alt", ""))


def shown(
    notebook: Notebook, identity: str, say: Words, records: Iterable[LabRecord]
) -> list[tuple[str, Sequence[Output]]]:
    """What the cell showed, by the name of the machine: each output once."""
    name, code = notebook["metadata"]["guide"]["lab"], sha256(notebook)
    found: list[tuple[str, Sequence[Output]]] = []
    ran = solutions(notebook).get(identity) or code_cells(notebook)[identity]
    if printed := ran["outputs"]:
        found.append(("CPU", printed))
    for record in records:
        run = record.fresh(name, code)
        other = run.outputs.get(identity, []) if run else []
        if other and other not in [outputs for _, outputs in found]:
            found.append((machine_name(record.environment, say), other))
    return found


def _outputs(outputs: Sequence[Output], prefix: str, alt: str) -> Markup:
    shown = [_output(output, f"{prefix}-{n}", alt) for n, output in enumerate(outputs)]
    return fill("cell_outputs.html", outputs=shown)


def _output(output: Mapping[str, Any], prefix: str, alt: str) -> dict[str, Any]:
    """What the template shows: a picture, or else the text of a stream."""
    shown: dict[str, Any] = {"picture": "", "text": "", "stderr": output.get("name") == "stderr"}
    if output["output_type"] == "stream":
        return shown | {"text": "".join(output["text"])}
    data = output["data"]
    if "image/svg+xml" in data:
        return shown | {"picture": Markup(inline("".join(data["image/svg+xml"]), prefix, alt))}
    return shown | {"text": "".join(data["text/plain"])}
