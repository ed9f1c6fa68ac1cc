"""Peaks that others measured on real GPUs, and what a dry run says of the same settings."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from gpu_guide.data.entries import entries, parts, typed
from gpu_guide.dry_run.cards import DryCard, chosen
from gpu_guide.dry_run.report import CONTEXT
from gpu_guide.dry_run.run import Outcome, Settings, run
from gpu_guide.dry_run.samples import hash_of
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.stand_in.environments import CudaEnvironment
from gpu_guide.stand_in.machine import StandIn

KINDS = {
    "allocated": "published_allocated",
    "reserved": "published_reserved",
    "driver": "published_driver",
}
"""What is published: max_memory_allocated, max_memory_reserved, or what nvidia-smi shows; with the
key of its name."""
COLUMNS = (
    "published_setting",
    "published_measured",
    "published_said",
    "published_error",
    "published_source",
)
"""The keys of the columns' heads."""
_UNITS = {"MB": 1e6, "GB": 1e9, "MiB": 2**20, "GiB": 2**30}
_VERSIONS = """
import json, sys
from importlib.metadata import PackageNotFoundError, version
found = dict.fromkeys(sys.argv[1:], "")
for name in found:
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Source:
    """Where figures were published, and our script that builds their settings.

    data/dry_run_published.yml says at its top what the keys mean.
    """

    id: str
    source: str
    title: str
    read: date
    script: str
    needs: tuple[str, ...]
    card: str
    kind: str
    context: int = CONTEXT // 2**20
    """MiB of the CUDA context, for figures of nvidia-smi."""


@dataclass(frozen=True)
class Figure:
    """One peak that was published."""

    by: Source
    setting: str
    arguments: str
    bytes: int
    kind: str

    @property
    def id(self) -> str:
        """Its name among the records: what ran."""
        return f"{self.by.script} {self.arguments}".strip()


@dataclass(frozen=True)
class Peak:
    """What a dry run said of a setting."""

    code: str
    """The hash of the script."""
    packages: dict[str, str]
    date: str
    allocated: int
    reserved: int

    def of(self, figure: Figure) -> int:
        """What is comparable with a figure."""
        if figure.kind == "driver":
            return self.reserved + figure.by.context * 2**20
        return self.allocated if figure.kind == "allocated" else self.reserved


def load_published(project: Project) -> tuple[Figure, ...]:
    """The figures, in the order of data/dry_run_published.yml. Raises GuideError."""
    path = project.dry_run_published
    found: list[Figure] = []
    for line, entry in entries(path):
        given = parts(path, line, entry, "figures")
        by = typed(path, line, Source, entry)
        if not (project.dry_run_scripts / f"{by.script}.py").is_file():
            raise fault(path, line, f"script: no {by.script!r}", "name one that is there")
        found += [_figure(path, line, by, one) for one in given]
    return tuple(found)


def _figure(path: Path, line: int, by: Source, given: dict[str, Any]) -> Figure:
    memory = str(given.get("memory", ""))
    number = re.fullmatch(r"(\d+(?:\.\d+)?) (MB|GB|MiB|GiB)", memory)
    if not number:
        raise fault(path, line, f"memory: {memory!r}", "write it as 19.73 GB or 14949 MiB")
    kind = given.get("kind", by.kind)
    if kind not in KINDS:
        raise fault(path, line, f"kind: {kind!r}", f"it is one of {', '.join(KINDS)}")
    if unknown := given.keys() - {"setting", "arguments", "memory", "kind"}:
        what = f"{', '.join(sorted(unknown))}: unknown"
        raise fault(path, line, what, "the keys are setting, arguments, memory, kind")
    size = round(float(number[1]) * _UNITS[number[2]])
    return Figure(by, str(given.get("setting")), str(given.get("arguments", "")), size, kind)


def load_peaks(project: Project) -> dict[str, Peak]:
    """What was recorded, by the figures' ids."""
    path = _file(project)
    if not path.is_file():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    return {id: Peak(**values) for id, values in found.items()}


def compared(project: Project) -> list[tuple[Figure, Peak]]:
    """Each figure beside what was recorded. Raises GuideError where that is missing, or old."""
    peaks = load_peaks(project)
    pairs = []
    for figure in load_published(project):
        peak = peaks.get(figure.id)
        if not peak or peak.code != hash_of(_script(project, figure)):
            why = f"{figure.id}: {'its script has changed since' if peak else 'not recorded'}"
            again = f"run `python -m gpu_guide dry-run --published {figure.by.script}`"
            raise fault(_file(project), None, why, again)
        pairs.append((figure, peak))
    return pairs


def error(figure: Figure, peak: Peak) -> float:
    """How far a dry run is off, as a share of what was measured."""
    return peak.of(figure) / figure.bytes - 1


def median_error(pairs: Collection[tuple[Figure, Peak]]) -> float:
    """The median of how far dry runs are off, either way."""
    return statistics.median(abs(error(*pair)) for pair in pairs)


def record(
    scripts: list[str],
    project: Project,
    environment: CudaEnvironment,
    tell: Callable[[str], None] = print,
) -> None:
    """Run what has no record, or an old one, and all settings of `scripts`. Raises GuideError."""
    peaks, figures = load_peaks(project), load_published(project)
    if unknown := set(scripts) - {figure.by.script for figure in figures}:
        raise fault(project.dry_run_published, None, f"no script {unknown.pop()!r}", "name others")
    known = {figure.id for figure in figures}
    done: set[str] = set()
    for figure in figures:
        code = hash_of(_script(project, figure))
        current = figure.id in peaks and peaks[figure.id].code == code
        if figure.id not in done and (figure.by.script in scripts or not current):
            command = ["python", str(_script(project, figure)), *figure.arguments.split()]
            by, settings = figure.by, Settings(steps=0)
            card = chosen(by.card, project)
            found = dry_peak(code, command, card, by.needs, environment, settings)
            keep(_file(project), figure.id, asdict(found), known)
            tell(f"{error(figure, found):+7.1%}  {figure.id}")
        done.add(figure.id)


def dry_peak(
    code: str,
    command: list[str],
    card: DryCard,
    needs: Collection[str],
    environment: CudaEnvironment,
    settings: Settings,
) -> Peak:
    """What a dry run of `command` says, whose script hashes to `code`. Raises GuideError."""
    machine = StandIn.of(card)
    quiet = {"output": subprocess.DEVNULL}
    outcome: Outcome = run(environment, machine, command, settings, **quiet)
    if outcome.status or not outcome.devices:
        what = " ".join([*command[2:], "did not run dry"])
        raise fault(Path(command[1]), None, what, f"it ended with status {outcome.status}")
    packages = packages_of(environment, ["torch", *needs])
    device, today = outcome.fullest, date.today().isoformat()
    return Peak(code, packages, today, device.allocated, device.reserved)


def packages_of(environment: CudaEnvironment, names: Collection[str]) -> dict[str, str]:
    """The version of each package in the environment, and "" of one that is not there."""
    asked = [str(environment.python), "-c", _VERSIONS, *names]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    found: dict[str, str] = json.loads(said.splitlines()[-1])
    return found


def keep(file: Path, id: str, found: dict[str, Any], known: Collection[str]) -> None:
    """Write `found` into a file of records, in which only `known` ids stay."""
    # It is read again, because others may record at the same time.
    there = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    kept = {one: values for one, values in sorted((there | {id: found}).items()) if one in known}
    file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _script(project: Project, figure: Figure) -> Path:
    return project.dry_run_scripts / f"{figure.by.script}.py"


def _file(project: Project) -> Path:
    return project.dry_run_records / "published.json"
