"""`make lab`: run labs and write their notebooks, or record what they show on another machine."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from gpu_guide.labs import exercise, notebook
from gpu_guide.labs.records import LabRecord, LabRun, read, write
from gpu_guide.labs.run import SECONDS_PER_CELL, run
from gpu_guide.labs.source import Lab, load_labs
from gpu_guide.labs.text import read as read_text
from gpu_guide.labs.text import written_in
from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.records.store import same_versions
from gpu_guide.run.machine import CPU, Environment, describe
from gpu_guide.snippets.model import Language

Say = Callable[[str], None]


def lab(
    names: Sequence[str] = (),
    *,
    project: Project,
    words: Callable[[Language], exercise.Say],
    again: bool = False,
    say: Say = print,
) -> int:
    """Write the notebooks of the labs `names`, or of all, and return the exit status.

    A lab whose code is the one that made its outputs is not run, unless `again`. It runs without a
    GPU: what a GPU shows is recorded apart.
    """
    try:
        for one in _chosen(names, project):
            languages = written_in(project, one.name) or project.languages
            texts = {lang: read_text(project, lang, one.name) for lang in languages}
            paths = {lang: notebook.path_of(project, lang, one.name) for lang in languages}
            outputs = None if again else _kept(one, paths.values())
            if outputs is None:
                say(f"{one.name}: running")
                start = time.perf_counter()
                outputs = run(one, gpus=False, say=say)
                say(f"{one.name}: ran in {time.perf_counter() - start:.0f} s")
            else:
                say(f"{one.name}: the same code, its outputs are kept (--again runs it)")
            for lang in languages:
                made = notebook.make(one, texts[lang], outputs, words(lang))
                text = notebook.dumps(made)
                paths[lang].write_text(text, encoding="utf-8", newline="\n")
    except GuideError as error:
        say(str(error))
        return 1
    return 0


def _chosen(names: Sequence[str], project: Project) -> list[Lab]:
    """The labs of these names, or all. Raises GuideError for an unknown one."""
    labs = load_labs(project)
    for name in names:
        if name not in labs:
            known = ", ".join(labs) or "none"
            raise fault(project.labs / f"{name}.py", 1, "no such lab", f"there are: {known}")
    return [labs[name] for name in names or labs]


def _kept(one: Lab, paths: Iterable[Path]) -> dict[str, list[notebook.Output]] | None:
    """The outputs that one of its notebooks has, if this code made them."""
    for path in paths:
        with contextlib.suppress(GuideError):
            found = notebook.read(path)
            if notebook.sha256(found) == one.sha256:
                return notebook.outputs(found)
    return None


def record(
    names: Sequence[str] = (),
    *,
    project: Project,
    again: bool = False,
    folder: Path | None = None,
    until: float | None = None,
    here: Environment | None = None,
    say: Say = print,
) -> int:
    """Run the labs on this machine with its GPUs, keep what they show, return the exit status.

    The record is written to `folder`, by default that of the project, after each lab; what it holds
    of the same code and the same versions is not run, unless `again`. None begins when it is
    `until` by the clock of time.monotonic().

    0: recorded. 1: a lab failed, or there was no time for it. 2: a CPU build, whose outputs stand
    in the notebooks.
    """
    here = here or describe()
    if here.id == CPU:
        say("This is a CPU build of torch: `make lab` writes its outputs into the notebooks.")
        return 2
    folder = folder or project.lab_records
    path = folder / f"{here.id}.json"
    missing = []
    try:
        old = read(path) if path.exists() else LabRecord(here, {})
        known = dict(old.labs) if same_versions(old.environment, here) else {}
        for one in _chosen(names, project):
            if not again and LabRecord(here, known).fresh(one.name, one.sha256):
                say(f"{one.name}: recorded already")
                continue
            start = time.monotonic()
            if until is not None and start >= until:
                missing.append(one.name)
                say(f"{one.name}: left for want of time")
                continue
            say(f"{one.name}: running on {here.gpu or here.id}")
            seconds = SECONDS_PER_CELL
            if until is not None:
                seconds = min(seconds, math.ceil(until - start))
            try:
                outputs = run(one, say=say, seconds_per_cell=seconds)
            except GuideError as error:
                missing.append(one.name)
                say(str(error))
                continue
            known[one.name] = LabRun(one.sha256, outputs, time.monotonic() - start)
            write(LabRecord(here, known), folder)
    except GuideError as error:
        say(str(error))
        return 1
    say(f"recorded: {', '.join(known) or 'nothing'}: {path}")
    return 1 if missing else 0
