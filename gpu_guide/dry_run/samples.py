"""Dry runs that pages show: what `data/dry_runs.yml` asks for, and what was recorded of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from gpu_guide.data.entries import entries, only_once, typed
from gpu_guide.dry_run.cards import chosen
from gpu_guide.dry_run.command import found_by
from gpu_guide.dry_run.report import lines
from gpu_guide.dry_run.run import Settings
from gpu_guide.dry_run.words import Words
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.stand_in.environments import CudaEnvironment


@dataclass(frozen=True)
class Sample:
    """One dry run; data/dry_runs.yml says at its top what the keys mean."""

    id: str
    card: str
    program: str
    arguments: str = ""
    tries: bool = False

    @property
    def command(self) -> list[str]:
        """What runs, from the project's root."""
        return ["python", f"snippets/{self.program}.py", *self.arguments.split()]


@dataclass(frozen=True)
class Recorded:
    """What a dry run said, and of which code."""

    code: str
    """The hash of the file that ran, whose lines the report names."""
    torch: str
    date: str
    report: dict[str, str]
    """The text in each language."""


def load_samples(project: Project) -> dict[str, Sample]:
    """The samples by id. Raises GuideError."""
    path = project.dry_runs
    found: dict[str, Sample] = {}
    for line, entry in entries(path):
        sample = typed(path, line, Sample, entry)
        only_once(path, line, "id", sample.id, found)
        found[sample.id] = sample
    return found


def recorded(id: str, project: Project) -> Recorded:
    """What was recorded of a sample. Raises GuideError where there is none, or an old one."""
    samples = load_samples(project)
    if id not in samples:
        remedy = did_you_mean(id, samples)
        raise fault(project.dry_runs, None, f"no dry run {id!r}", remedy)
    path = project.dry_run_records / f"{id}.json"
    again = f"run `python -m gpu_guide dry-run --record {id}`"
    if not path.is_file():
        raise fault(path, None, "is not there", again)
    found = Recorded(**json.loads(path.read_text(encoding="utf-8")))
    program = project.snippets / f"{samples[id].program}.py"
    if not program.is_file():
        what = f"program: no snippet {samples[id].program!r}"
        raise fault(project.dry_runs, None, what, "name one that is there")
    if found.code != hash_of(program):
        raise fault(path, None, f"snippets/{samples[id].program}.py has changed since", again)
    return found


def record(
    ids: list[str],
    project: Project,
    environment: CudaEnvironment,
    tell: Callable[[str], None] = print,
) -> None:
    """Run the samples `ids`, or all, and write what they say. Raises GuideError."""
    samples = load_samples(project)
    for id in ids:
        if id not in samples:
            remedy = did_you_mean(id, samples)
            raise fault(project.dry_runs, None, f"no dry run {id!r}", remedy)
    for id in ids or samples:
        sample = samples[id]
        card = chosen(sample.card, project)
        settings = Settings(folder=project.root)
        how = {"say": Words(project.languages[-1]), "tries": sample.tries}
        found, cards = found_by(project, environment, card, sample.command, settings, **how)
        report = {
            language: "\n".join(lines(found, cards, Words(language), timed=False))
            for language in project.languages
        }
        code = hash_of(project.snippets / f"{sample.program}.py")
        said = Recorded(code, environment.torch, date.today().isoformat(), report)
        path = project.dry_run_records / f"{id}.json"
        path.parent.mkdir(exist_ok=True)
        text = json.dumps(vars(said), ensure_ascii=False, indent=2)
        path.write_text(text + "\n", encoding="utf-8")
        tell(f"{path.relative_to(project.root)}: {next(iter(report.values())).splitlines()[0]}")


def hash_of(file: Path) -> str:
    """What says that a file has not changed."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:32]
