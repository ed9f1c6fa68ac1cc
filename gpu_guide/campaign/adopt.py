"""`adopt FOLDER`: take over what a campaign brought home, and say which pages it changes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from gpu_guide.campaign import allocator, crosschecked
from gpu_guide.campaign.differences import differences
from gpu_guide.campaign.parts import LABS, SUMMARY
from gpu_guide.crosscheck.compare import answered, disagreements, simulated
from gpu_guide.data.expected import load_expected
from gpu_guide.dry_run import measured
from gpu_guide.labs.records import read as read_labs
from gpu_guide.pages.page import Page, load_pages
from gpu_guide.pages.snippet_index import first_uses
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.records.store import (
    Record,
    load_records,
    merge,
    path_of,
    read,
    same_versions,
    write,
)
from gpu_guide.snippets.model import Snippet, load_snippets

Say = Callable[[str], None]


def adopt(project: Project, folder: Path, *, look: bool = False, say: Say = print) -> int:
    """Check every file in `folder`, say what it changes, and take it into the project's records.

    With `look` nothing is written. Returns 0; 1 where stand-in, simulated and real GPUs disagree,
    each of which somebody has to look at. Raises GuideError for a folder that is no campaign's, a
    file that is not as it was written, or a rehearsal on a stand-in, which can only be looked at.
    """
    id, stand_in = _machine(folder)
    if stand_in and not look:
        what = "a rehearsal on a stand-in GPU, which has no clock"
        raise fault(folder / SUMMARY, None, what, "look at it with --look")
    snippets = load_snippets(project)
    brought = [path for name in _READ if (path := path_of(id, folder / name)).exists()]
    for path in brought:  # all of them are checked before any is taken over
        _READ[path.parent.relative_to(folder).as_posix()](path)
    made = read(path_of(id, folder)) if path_of(id, folder) in brought else None
    has_labs = path_of(id, folder / LABS) in brought
    say(f"{id}: {', '.join(path.relative_to(folder).as_posix() for path in brought)}")
    disagree = list(_disagreements(project, folder, id, made, snippets))
    changed = _changed(project, made, snippets) if made else set()
    labs = read_labs(folder / LABS / f"{id}.json").labs if has_labs else {}
    say(f"{len(changed)} outputs of snippets are new or changed, and {len(labs)} labs are there")
    for line in _on_pages(project, changed, labs):
        say(line)
    for line in disagree:
        say(line)
    if not look:
        for path in brought:
            target = project.records / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.parent == folder:
                old = read(target) if target.exists() else None
                write(merge(old, read(path), snippets), project.records)
            elif path.parent.name == measured.FOLDER:
                peaks = measured.with_older(path, target)
                measured.write_measured(target.parent, measured.read_measured(path)[0], peaks)
            else:
                shutil.copyfile(path, target)
        say(f"taken over into {project.records}: look at `git diff --stat records`, then build")
    return int(bool(disagree))


_READ: Mapping[str, Callable[[Path], object]] = {
    ".": read,
    LABS: read_labs,
    crosschecked.FOLDER: crosschecked.read,
    allocator.FOLDER: allocator.read,
    measured.FOLDER: measured.read_measured,
}
"""By folder within a campaign's, what reads and checks the file in it."""


def _machine(folder: Path) -> tuple[str, bool]:
    """The id of the machine that a campaign ran on, and whether it was a stand-in."""
    summary = folder / SUMMARY
    try:
        machine = json.loads(summary.read_text(encoding="utf-8"))["environment"]
        return str(machine["id"]), bool(machine["stand_in"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = f"not the folder of a campaign: {type(error).__name__}: {error}"
        remedy = "name the folder that `record --minutes` wrote"
        raise fault(summary, None, what, remedy) from None


def _changed(project: Project, made: Record, snippets: Mapping[str, Snippet]) -> set[str]:
    """The snippets whose output on this machine is new, or another than what was recorded."""
    old = next(
        (one for one in load_records(project) if one.environment.id == made.environment.id), None
    )
    known = old.entries if old and same_versions(old.environment, made.environment) else {}
    return {
        name
        for name, entry in made.entries.items()
        if name in snippets
        and made.fresh(snippets[name])
        and (name not in known or known[name].prints != entry.prints)
    }


def _on_pages(project: Project, changed: Collection[str], labs: Collection[str]) -> Iterator[str]:
    """What changes on which page, and which of its sentences have a figure now."""
    uses = first_uses(project)[project.languages[0]]
    by_page: dict[str, list[str]] = {}
    for name in sorted(changed):
        by_page.setdefault(uses.get(name, "no page").partition("#")[0], []).append(name)
    for page, names in sorted(by_page.items()):
        yield f"{page}: {', '.join(names)}"
    for one in expectations(project):
        if told := [name for name in one.about if name in changed or name in labs]:
            yield f"{one.path}:{one.line}: {', '.join(told)} can tell now: {one.text}"


@dataclass(frozen=True)
class Expectation:
    """A line of a page that says what is expected, in a section with code that could show it."""

    path: str
    line: int
    text: str
    about: tuple[str, ...]
    """The snippets that its section shows, or the lab whose text it is in."""


def expectations(project: Project) -> list[Expectation]:
    """Every line of a page that expects something, in the words of data/expected.yml."""
    words = load_expected(project)
    found = []
    for language, pages in load_pages(project)[0].items():
        pattern = words[language]
        for page in pages.values():
            for number, row in enumerate(page.path.read_text(encoding="utf-8").split("\n"), 1):
                if pattern.search(row) and (about := _about(page, number)):
                    where = page.path.relative_to(project.root).as_posix()
                    found.append(Expectation(where, number, row.strip()[:160], about))
    return found


def _about(page: Page, line: int) -> tuple[str, ...]:
    if page.named.endswith(".ipynb"):
        return (PurePosixPath(page.named).stem,)
    starts = [one.line for one in page.headings]
    begin = max((start for start in starts if start <= line), default=1)
    end = min((start for start in starts if start > line), default=len(page.lines) + 1)
    return tuple(use.name for use in page.snippets if begin <= use.line < end)


def _disagreements(
    project: Project, folder: Path, id: str, made: Record | None, snippets: Mapping[str, Snippet]
) -> Iterator[str]:
    """Outputs in which a GPU and its stand-in differ."""
    others = [one for one in load_records(project) if one.environment.id != id]
    for one in differences(made, others, snippets, project) if made else ():
        yield f"snippets/{one.snippet}.py: the GPU printed something else than {one.where}:"
        yield from (f"  GPU    {line}" for line in one.gpu)
        yield from (f"  other  {line}" for line in one.other)
    if (path := path_of(id, folder / crosschecked.FOLDER)).exists():
        answers = answered(crosschecked.read(path)[1])
        ours = {case: said for case, said in simulated().items() if case in answers}
        for (operation, pair), said in sorted(disagreements(ours, answers).items()):
            yield f"{operation} {pair}: simulated {said[0]}, GPU {said[1]}"
    if (path := path_of(id, folder / allocator.FOLDER)).exists():
        for name, entry in allocator.read(path)[1].items():
            if entry["difference"]:
                yield f"the allocator's model, {name}: {entry['difference']}"
