"""Scripts that ran on a real GPU: the peaks that it showed, and those that dry runs say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gpu_guide.data.entries import entries, typed
from gpu_guide.data.gpus import load_gpus
from gpu_guide.dry_run.cards import DryCard, known_cards
from gpu_guide.dry_run.published import Peak, dry_peak, keep, load_published
from gpu_guide.dry_run.run import Settings
from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.records.store import read_file, same_versions, unreadable, write_file
from gpu_guide.run.machine import Environment
from gpu_guide.snippets.code_hash import fingerprint
from gpu_guide.snippets.model import Language
from gpu_guide.stand_in.environments import CudaEnvironment

FOLDER = "peaks"
PART = "peaks"
COLUMNS = (
    "published_setting",
    "measured_allocated",
    "published_error",
    "measured_reserved",
    "published_error",
)
"""The keys of the columns' heads."""
_KEYS = {"code", "packages", "allocated", "reserved", "driver"}


@dataclass(frozen=True)
class Setting:
    """A script, and how it is run. data/dry_run_measured.yml says what the keys mean."""

    script: str
    name: Mapping[Language, str]
    arguments: str = ""
    needs: tuple[str, ...] = ()
    compile: bool = False
    is_own: bool = True
    """Whether it isn't the script of a peak that somebody else published."""

    @property
    def id(self) -> str:
        """Its name among the records: what ran."""
        return f"{self.script} {self.arguments}".strip()

    def path(self, project: Project) -> Path:
        """Where the script is."""
        folder = project.dry_run_measured_scripts if self.is_own else project.dry_run_scripts
        return folder / f"{self.script}.py"

    def code(self, project: Project) -> str:
        """The hash of what runs in it."""
        return fingerprint(self.path(project).read_text(encoding="utf-8"))


def load_settings(project: Project) -> dict[str, Setting]:
    """All by id, in the order of their files: our own, then those of published peaks."""
    found: list[Setting] = []
    for line, entry in entries(path := project.dry_run_measured):
        one = typed(path, line, Setting, entry, project.languages)
        if not one.path(project).is_file():
            raise fault(path, line, f"script: no {one.script!r}", "name one that is there")
        found.append(one)
    for figure in load_published(project) if project.dry_run_published.is_file() else ():
        by = figure.by
        name = dict.fromkeys(project.languages, figure.setting)
        facts = (by.script, name, figure.arguments, by.needs)
        found.append(Setting(*facts, is_own=False))
    return {one.id: one for one in found}


@dataclass(frozen=True)
class Measured:
    """What a GPU showed of a setting, in bytes."""

    code: str
    packages: dict[str, str]
    allocated: int
    reserved: int
    driver: int
    """What the driver said that the process has, at its end; 0 where nobody could ask it."""


def write_measured(folder: Path, here: Environment, peaks: dict[str, Measured]) -> Path:
    """Write `folder`/<GPU>.json with the peaks by setting, and return its path."""
    return write_file(folder, here, PART, {id: asdict(peak) for id, peak in peaks.items()})


def read_measured(path: Path) -> tuple[Environment, dict[str, Measured]]:
    """The machine, and its peaks by setting. Raises GuideError for another file."""
    return read_file(path, PART, _entry)


def with_older(new: Path, old: Path) -> dict[str, Measured]:
    """The peaks in `new`, and those in `old` of the same versions that it has not.

    Raises GuideError for a file of another form; `old` need not be there.
    """
    here, peaks = read_measured(new)
    if old.is_file():
        there, kept = read_measured(old)
        peaks = kept | peaks if same_versions(there, here) else peaks
    return peaks


def _entry(path: Path, name: str, content: Any) -> Measured:
    if not isinstance(content, dict) or content.keys() != _KEYS:
        raise unreadable(path, f"{PART}[{name!r}]", f"not the keys {', '.join(sorted(_KEYS))}")
    return Measured(**content)


@dataclass(frozen=True)
class Comparison:
    """A setting on a GPU and dry."""

    by: Environment
    setting: Setting
    measured: Measured
    dry: Peak

    @property
    def allocated(self) -> float:
        """How far the dry run is off in max_memory_allocated, as a share of what was measured."""
        return self.dry.allocated / self.measured.allocated - 1

    @property
    def reserved(self) -> float:
        """How far it is off in max_memory_reserved."""
        return self.dry.reserved / self.measured.reserved - 1


def compared(project: Project) -> list[Comparison]:
    """What was measured beside what was run dry. Raises GuideError where that is missing or old."""
    settings, dry = load_settings(project), load_dry(project)
    found = []
    for path in sorted((project.records / FOLDER).glob("*.json")):
        by, peaks = read_measured(path)
        for id, setting in settings.items():
            if not (peak := peaks.get(id)):
                continue
            code = setting.code(project)
            if peak.code == code:
                if id not in dry or dry[id].code != code:
                    again = "run `python -m gpu_guide dry-run --measured`"
                    raise fault(_file(project), None, f"{id}: not run dry as it is", again)
                found.append(Comparison(by, setting, peak, dry[id]))
    return found


def load_dry(project: Project) -> dict[str, Peak]:
    """What dry runs said, by the settings' ids."""
    path = _file(project)
    if not path.is_file():
        return {}
    return {id: Peak(**one) for id, one in json.loads(path.read_text(encoding="utf-8")).items()}


def run_dry(
    project: Project, environment: CudaEnvironment, tell: Callable[[str], None] = print
) -> None:
    """Run dry what was measured and has no record, or an old one, and tell which could
    not be. Raises GuideError for malformed data."""
    for path in sorted((project.records / FOLDER).glob("*.json")):
        by, peaks = read_measured(path)
        card = card_of(by, project)
        for id, setting in load_settings(project).items():
            dry, code = load_dry(project), setting.code(project)
            if id not in peaks or (id in dry and dry[id].code == code):
                continue
            command = ["python", str(setting.path(project)), *setting.arguments.split()]
            settings = Settings(steps=0, compile=setting.compile)
            try:
                found = dry_peak(code, command, card, setting.needs, environment, settings)
            except GuideError as error:  # a library that is not there costs its script only
                tell(str(error))
                continue
            keep(_file(project), id, asdict(found), load_settings(project))
            tell(f"{found.allocated / peaks[id].allocated - 1:+7.1%}  {id}")


def card_of(by: Environment, project: Project) -> DryCard:
    """The card as which a machine's GPU is run dry. Raises GuideError."""
    names = {gpu.driver_name: gpu.name for gpu in load_gpus(project).gpus}
    for card in known_cards(project).values():
        if card.name in (by.gpu, names.get(by.gpu)):
            return card
    raise fault(project.gpus, None, f"no GPU {by.gpu!r}", "add it, with driver_name")


def _file(project: Project) -> Path:
    return project.dry_run_records / "measured.json"
