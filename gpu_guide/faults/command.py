"""`python -m gpu_guide faults`: plant a sample, count who notices, and write the figure down."""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from gpu_guide.checks import check
from gpu_guide.data.accepted_survivors import load_explained
from gpu_guide.faults import pages
from gpu_guide.faults.count import Result, explain, offered, results, sample, share, table
from gpu_guide.faults.snippets import KINDS, Fault
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import well_formed_snippets

AT_ONCE = 8
"""Pages that have a fault at the same time: `make check` looks at all of them in one go."""
LEAST = 0.97
"""The share below which the command fails, of what a machine without a GPU can notice."""
_FIGURE = re.compile(r"(?<=<!-- faults -->\n).*?(?=\n<!-- /faults -->)", re.DOTALL)
_SENTENCES = {
    "README.md": "Of {planted} faults planted by `python -m gpu_guide faults`, {noticeable} change "
    "something that a machine without a GPU can notice, and {noticed} of them are noticed: "
    "{percent} %.",
    "README.zh.md": "`python -m gpu_guide faults` 植入了 {planted} 个错误，其中 {noticeable} 个在"
    "没有 GPU 的机器上看得出差别，测试发现了 {noticed} 个，占 {percent}%。",
}


def faults(
    project: Project,
    count: int,
    on_pages: int,
    seed: int | None = None,
    kinds: Collection[str] = (),
    *,
    write: bool = False,
    say: Callable[[str], None] = print,
) -> int:
    """Plant `count` faults in snippets and `on_pages` in pages; return the exit status.

    Without a `seed` one is drawn and printed, so that the sample can be repeated. `kinds` are those
    to plant; none are all. `write` puts the figure into the READMEs. Raises GuideError.
    """
    for kind in kinds:
        if kind not in (known := [*KINDS, *pages.KINDS]):
            what = f"no kind of fault {kind!r}"
            raise fault(None, None, what, did_you_mean(kind, known))
    seed = random.SystemRandom().randrange(1000) if seed is None else seed
    say(f"seed {seed}")
    found: list[Result] = []

    def tell(result: Result) -> None:
        found.append(result)
        if not result.verdict.caught_by:
            say(str(result))
        if sys.stderr.isatty():
            print(f"\r{len(found)} of {count + on_pages}", end="", file=sys.stderr)

    survivors = project.faults
    load_explained(survivors)  # so that a malformed file is refused before an hour of work
    choices = _of(kinds, offered(well_formed_snippets(project)))
    chosen = sample(choices, count, seed, lambda one: f"{one[0].name} {_words(one[1])}")
    for result in results(chosen, project):
        tell(result)
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        guide = pages.copied(project, Path(folder, "guide"))
        chosen = sample(
            _of(kinds, pages.planted(guide)),
            on_pages,
            seed,
            lambda one: f"{one[0].relative_to(guide.root).as_posix()} {_words(one[1])}",
        )
        before = frozenset(check(guide).problems) if chosen else frozenset()
        for batch in pages.batches(chosen, AT_ONCE):
            verdicts = pages.judge(guide, batch, before)
            for (path, one), verdict in zip(batch, verdicts, strict=True):
                tell(Result(path.relative_to(guide.root).as_posix(), one, verdict))
    found = explain(found, load_explained(survivors))  # which may have been written meanwhile
    say(f"\n{table(found, [*KINDS, *pages.KINDS])}")
    percent = f"{100 * share(found):.1f}"
    say(f"\n{percent} % of what a machine without a GPU can notice; at least {100 * LEAST:g} %.")
    if write:
        _write(project, found, percent)
    return 0 if share(found) >= LEAST else 1


def _words(fault: Fault) -> str:
    return f"{fault.line} {fault.old} {fault.new}"


def _of(kinds: Collection[str], choices: dict[str, list]) -> dict[str, list]:
    return {kind: some for kind, some in choices.items() if not kinds or kind in kinds}


def _write(project: Project, found: list[Result], percent: str) -> None:
    could = [one for one in found if one.noticeable]
    figures = {
        "planted": len(found),
        "noticeable": len(could),
        "noticed": sum(bool(one.verdict.caught_by) for one in could),
        "percent": percent,
    }
    for name, sentence in _SENTENCES.items():
        path = project.root / name
        text = path.read_text(encoding="utf-8")
        if not _FIGURE.search(text):
            remedy = "put the two comments <!-- faults --> and <!-- /faults --> where it belongs"
            raise fault(path, None, "no place for the figure", remedy)
        line = sentence.format(**figures)
        path.write_text(
            _FIGURE.sub(lambda _, line=line: line, text), encoding="utf-8", newline="\n"
        )
