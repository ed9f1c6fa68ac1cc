"""Run the code of a lab as a notebook, in a kernel of this Python, and return what it showed.

What is returned is fit to be kept: no times, no counts, no finished progress bars, pictures as SVG
that is the same whenever the picture is.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from gpu_guide.labs.notebook import Output
from gpu_guide.labs.source import Cell, Lab
from gpu_guide.labs.svg import SvgError, tidy
from gpu_guide.problems import fault
from gpu_guide.run.machine import SETTINGS

SECONDS_PER_CELL = 300
SVG = "image/svg+xml"

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PROFILE = "c.InlineBackend.figure_formats = {'svg'}\nc.HistoryManager.enabled = False\n"
_MATPLOTLIBRC = """svg.fonttype: none
svg.hashsalt: guide
figure.figsize: 4.8, 2.8
font.size: 10
axes.spines.top: False
axes.spines.right: False
lines.linewidth: 2
legend.frameon: False
"""
_WORKERS_END_AT_ONCE = """import atexit, os, sys

failed = []


def told(*error):
    failed.append(error)
    sys.__excepthook__(*error)


def end():
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(bool(failed))


if "TORCHELASTIC_RUN_ID" in os.environ:
    sys.excepthook = told
    atexit.register(end)
"""
"""For processes that a lab starts by torchrun: with gloo (torch 2.13) one that has done all of its
work now and then ends by SIGABRT when the interpreter shuts down (answers/torchrun), and what
the cell then shows is another every time."""

_KEEP_NAMES = "names_before = dict(globals())"
_RESTORE_NAMES = """globals().update(names_before)
[globals().pop(name) for name in globals().keys() - names_before.keys()];"""
"""What runs before and after a solution. The semicolon keeps IPython from showing the list."""


def run(
    lab: Lab,
    *,
    gpus: bool = True,
    seconds_per_cell: int = SECONDS_PER_CELL,
    say: Callable[[str], None] = lambda text: None,
    attempts: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, list[Output]]:
    """What each cell of the lab printed and showed, in an empty folder of its own.

    Without `gpus` none is visible to it. With `attempts`, by cell, it is run as by a reader: each
    attempt runs in the place of the solution, and may fail. What those of the cell `x` showed, an
    error included, is that of `x-0`, `x-1`, … After them runs the solution, and what it has bound
    is taken away again, so that all other cells run as for a reader who has solved nothing. Raises
    GuideError for a cell that fails, hangs, ends the kernel, shows what a page cannot, or leaves a
    file behind.
    """
    order = list(_attempted(lab, attempts or {}))
    cells = [cell for cell, _ in order]
    given = [nbformat.v4.new_code_cell(cell.code, id=cell.id) for cell in cells]
    for (_, may_fail), made in zip(order, given, strict=True):
        if may_fail:
            made.metadata["tags"] = ["raises-exception"]
    # A folder of the kernel's own for its settings, so that the user's have no say.
    with (
        tempfile.TemporaryDirectory(prefix="gpu-guide-lab-") as scratch,
        tempfile.TemporaryDirectory(prefix="gpu-guide-lab-", ignore_cleanup_errors=True) as own,
    ):
        client = NotebookClient(
            nbformat.v4.new_notebook(cells=given),
            timeout=seconds_per_cell,
            resources={"metadata": {"path": scratch}},
            kernel_name="python3",
        )
        kernel = client.create_kernel_manager()
        # No folders to look in: then the kernel is this Python, whatever is installed.
        kernel.kernel_spec_manager = KernelSpecManager(kernel_dirs=[])
        # Files that only this user can read, where there is such a thing; not ports.
        kernel.transport = "tcp" if os.name == "nt" else "ipc"
        kernel.connection_file = str(Path(own, "kernel.json"))
        current = [cells[0]]

        def starts(cell_index: int, **_: Any) -> None:
            current[0] = cells[cell_index]
            say(f"  {current[0].id}")

        client.on_cell_start = starts
        try:
            client.execute(env=_environment(Path(own), gpus), cwd=scratch)
        except CellExecutionError as error:
            raise fault(lab.path, current[0].line, *_failure(current[0].id, error)) from None
        except (CellTimeoutError, DeadKernelError) as error:
            problem = f"cell {current[0].id!r}: {type(error).__name__}"
            remedy = f"it has {seconds_per_cell:g} s, and must not end its process"
            raise fault(lab.path, current[0].line, problem, remedy) from None
        left = sorted(path.name for path in Path(scratch).iterdir())
        if left:
            remedy = "let the last cell remove what the lab writes"
            raise fault(lab.path, lab.cells[-1].line, f"leaves {', '.join(left)}", remedy)
        return {
            cell.id: _kept(lab, cell.line, done.outputs)
            for cell, done in zip(cells, client.nb.cells, strict=True)
        }


def _attempted(lab: Lab, attempts: Mapping[str, Sequence[str]]) -> Iterator[tuple[Cell, bool]]:
    """What runs, and whether it may fail: each cell, those with attempts after them and between two
    cells that keep the names as they were."""
    for cell in lab.cells:
        if cell.exercise is None or cell.id not in attempts:
            yield cell, False
            continue
        for number, attempt in enumerate(attempts[cell.id]):
            code = cell.exercise.written(cell.code, attempt)
            yield replace(cell, id=f"{cell.id}-{number}", code=code), True
        yield replace(cell, id=f"{cell.id}-before", code=_KEEP_NAMES), False
        yield cell, False
        yield replace(cell, id=f"{cell.id}-after", code=_RESTORE_NAMES), False


def _environment(own: Path, gpus: bool) -> dict[str, str]:
    """The kernel's environment: settings from the folder `own` alone."""
    (own / "profile_default").mkdir()
    (own / "profile_default" / "ipython_kernel_config.py").write_text(
        f"c = get_config()\n{_PROFILE}", encoding="utf-8"
    )
    (own / "matplotlibrc").write_text(_MATPLOTLIBRC, encoding="utf-8")
    path = [str(own), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    # Only the first file of this name is imported, and a stand-in GPU has one, too.
    others = [str(file) for one in path if (file := Path(one, "sitecustomize.py")).is_file()]
    run_others = "".join(f"\nimport runpy\n\nrunpy.run_path({file!r})\n" for file in others)
    (own / "sitecustomize.py").write_text(_WORKERS_END_AT_ONCE + run_others, encoding="utf-8")
    found = {name: value for name, value in os.environ.items() if name not in SETTINGS} | {
        "PYTHONPATH": os.pathsep.join(path),
        "IPYTHONDIR": str(own),
        "MATPLOTLIBRC": str(own / "matplotlibrc"),
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "",
    }
    # One thread: sums are then added up in the same order on every machine.
    return found if gpus else found | {"CUDA_VISIBLE_DEVICES": "-1", "OMP_NUM_THREADS": "1"}


def _failure(cell: str, error: CellExecutionError) -> tuple[str, str]:
    trace = _ANSI.sub("", error.traceback).strip()
    return f"cell {cell!r} raised {error.ename}: {error.evalue}", f"correct it:\n{trace}"


def _kept(lab: Lab, line: int, outputs: Sequence[Any]) -> list[Output]:
    """The outputs as they are kept. Raises GuideError for one that a page cannot show."""
    kept: list[Output] = []
    for output in outputs:
        if output.output_type == "stream":
            before = kept.pop()["text"] if kept and kept[-1].get("name") == output.name else ""
            kept.append(
                {"output_type": "stream", "name": output.name, "text": before + output.text}
            )
        elif output.output_type == "error":
            kept.append({key: output[key] for key in ("output_type", "ename", "evalue")})
        elif not output.data.get("text/html", "").lstrip().startswith("<progress"):
            kept.append(_data(lab, line, output.data))
    for output in kept:
        if "text" in output:
            output["text"] = _as_seen(_ANSI.sub("", output["text"])).splitlines(keepends=True)
    return [output for output in kept if output.get("text") != []]


def _data(lab: Lab, line: int, data: dict[str, str]) -> Output:
    if SVG in data:
        try:
            picture = {SVG: tidy(data[SVG]).splitlines(keepends=True)}
        except SvgError as error:
            raise fault(lab.path, line, str(error), "draw it with matplotlib") from None
    elif data.keys() == {"text/plain"}:
        picture = {"text/plain": data["text/plain"].splitlines(keepends=True)}
    else:
        remedy = "print text, or draw with matplotlib"
        raise fault(lab.path, line, f"shows {', '.join(sorted(data))}", remedy)
    return {"output_type": "display_data", "data": picture, "metadata": {}}


def _as_seen(text: str) -> str:
    """The text as a terminal leaves it: what a carriage return has overwritten is gone."""
    return "\n".join(row.rstrip("\r").rpartition("\r")[2] for row in text.split("\n"))
