"""A lab's cells and the bar of buttons on top of it, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from gpu_guide.labs.notebook import Notebook, Output, code_cells, sha256
from gpu_guide.labs.records import LabRecord
from gpu_guide.labs.svg import inline
from gpu_guide.records.evidence import machine_claim, machine_name, pinned_torch
from gpu_guide.render.snippet import code_block, tabs
from gpu_guide.snippets.model import Language

_WORDS = {
    "zh": {
        "download": "下载 notebook",
        "colab": "在 Colab 里打开",
        "how": "怎样打开",
        "output": "输出",
        "ran": "输出来自：",
        "cpu": "CPU，1 个线程，torch ",
        "stale": "{gpu}（{date}）跑过，之后代码改过：那次的输出不再显示",
    },
    "en": {
        "download": "Download the notebook",
        "colab": "Open in Colab",
        "how": "How to open it",
        "output": "Output",
        "ran": "Outputs from: ",
        "cpu": "CPU, 1 thread, torch ",
        "stale": "{gpu} ran older code ({date}): its outputs are not shown",
    },
}
_COLAB = "https://colab.research.google.com/github/"


def bar(
    notebook: Notebook,
    lang: Language,
    records: Iterable[LabRecord],
    repository: str,
) -> str:
    """What stands below the title: the download first, then the other ways, then what ran where.

    `repository` is "owner/name/blob/branch" on GitHub, or nothing: then there is no link to Colab.
    """
    words = _WORDS[lang]
    name = notebook["metadata"]["guide"]["lab"]
    links = [
        f'<a class="md-button md-button--primary" href="../{name}.ipynb" download>'
        f"{words['download']}</a>"
    ]
    if repository and "colab" in notebook["metadata"]:
        address = escape(f"{_COLAB}{repository}/docs/{lang}/labs/{name}.ipynb")
        links.append(f'<a class="md-button" href="{address}">{words["colab"]}</a>')
    links.append(f'<a class="md-button" href="../#open">{words["how"]}</a>')
    code = sha256(notebook)
    machines = [words["cpu"] + pinned_torch()]
    for record in records:
        machine = record.environment
        if record.fresh(name, code):
            machines.append(machine_claim(machine)[lang])
        elif name in record.labs:
            gpu = machine_name(machine)[lang]
            machines.append(words["stale"].format(gpu=gpu, date=machine.date))
    ran = " · ".join(escape(machine) for machine in machines)
    return (
        f'<div class="lab-bar"><p class="lab-bar__links">{" ".join(links)}</p>'
        f'<p class="lab-bar__ran">{words["ran"]}{ran}</p></div>'
    )


def cell(
    notebook: Notebook, identity: str, lang: Language, records: Iterable[LabRecord], count: int
) -> str:
    """The cell's code and below it what it showed; the `count`-th cell of its page.

    Where another machine showed something else, its output is behind a tab; where it showed
    nothing, or the same as one before it, it has none.
    """
    name = notebook["metadata"]["guide"]["lab"]
    found = code_cells(notebook)[identity]
    alt = found["metadata"].get("guide", {}).get("alt", "")
    shown: list[tuple[str, Sequence[Output]]] = []
    if found["outputs"]:
        shown.append(("CPU", found["outputs"]))
    code = sha256(notebook)
    for record in records:
        run = record.fresh(name, code)
        other = run.outputs.get(identity, []) if run else []
        if other and other not in [outputs for _, outputs in shown]:
            shown.append((machine_name(record.environment)[lang], other))
    blocks = [
        (label, _outputs(outputs, f"{identity}-{number}", alt))
        for number, (label, outputs) in enumerate(shown)
    ]
    if [label for label, _ in blocks] in ([], ["CPU"]):
        html = "".join(html for _, html in blocks)
    else:  # even a single one has to say which machine it was
        html = tabs(blocks, "cell", count)
    if html:
        label = f"{_WORDS[lang]['output']} {count}"
        html = f'<div class="cell__output" role="group" aria-label="{label}">{html}</div>'
    block = code_block("".join(found["source"]) + "\n")
    return f'<div class="cell" data-cell="{name}/{identity}">{block}{html}</div>'


def _outputs(outputs: Sequence[Output], prefix: str, alt: str) -> str:
    return "".join(_output(output, f"{prefix}-{n}", alt) for n, output in enumerate(outputs))


def _output(output: Mapping[str, Any], prefix: str, alt: str) -> str:
    if output["output_type"] == "stream":
        kind = " cell__text--stderr" if output["name"] == "stderr" else ""
        return f'<pre class="cell__text{kind}">{escape("".join(output["text"]))}</pre>'
    data = output["data"]
    if "image/svg+xml" in data:
        picture = inline("".join(data["image/svg+xml"]), prefix, alt)
        return f'<div class="cell__picture">{picture}</div>'
    return f'<pre class="cell__text">{escape("".join(data["text/plain"]))}</pre>'
