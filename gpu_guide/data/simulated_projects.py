"""Public projects whose own tests run on simulated devices, and what came of that."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from gpu_guide.data.entries import entries, only_once, parts, typed
from gpu_guide.problems import fault
from gpu_guide.project import Project

KINDS = ("move", "index", "make")
FAILING = ("values", "theirs")
UNNOTICED = ("equal", "untested")


@dataclass(frozen=True)
class Planted:
    """A fault for a file of a project; data/simulated_projects.yml says what the keys mean."""

    kind: str
    file: str
    old: str
    new: str
    unnoticed: str = ""


@dataclass(frozen=True)
class OtherProject:
    """A project; data/simulated_projects.yml says at its top what the keys mean."""

    id: str
    repository: str
    commit: str
    license: str
    needs: tuple[str, ...]
    files: tuple[str, ...]
    source: tuple[str, ...]
    tests: tuple[str, ...]
    simulated: tuple[str, ...] = ()
    without: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    failing: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Planted, ...] = ()

    @property
    def asked(self) -> str:
        """A hash of all that decides what runs; what came of it is not part of that."""
        words = {key: value for key, value in asdict(self).items() if key != "failing"}
        words["faults"] = [[one.kind, one.file, one.old, one.new] for one in self.faults]
        return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Found:
    """What was recorded of a project."""

    asked: str
    date: str
    torch: str
    without: dict[str, int]
    """How many tests passed, failed and were skipped without the plug-in."""
    simulated: dict[str, int]
    """Likewise with it; `refused` are those that need a real GPU, `new` run only with it."""
    failed: list[str]
    """The tests that failed with it."""
    refused: dict[str, int]
    """What was refused, and in how many tests."""
    faults: list[dict[str, str]]
    """By fault: the first test that found it without the plug-in, and with it; "" for none."""


def load_tested(project: Project) -> dict[str, OtherProject]:
    """The projects by id. Raises GuideError."""
    path = project.simulated_projects
    found: dict[str, OtherProject] = {}
    for line, entry in entries(path):
        given = parts(path, line, entry, "faults")
        planted = tuple(typed(path, line, Planted, one) for one in given)
        one = typed(path, line, OtherProject, entry)
        only_once(path, line, "id", one.id, found)
        found[one.id] = replace(one, faults=planted)
        for key, values, known in (
            ("kind", [one.kind for one in planted], KINDS),
            ("unnoticed", [one.unnoticed for one in planted if one.unnoticed], UNNOTICED),
            ("failing", one.failing.values(), FAILING),
        ):
            for value in values:
                if value not in known:
                    raise fault(path, line, f"{key}: {value!r}", f"one of {', '.join(known)}")
    return found


def load_found(project: Project) -> dict[str, Found]:
    """What was recorded, by id."""
    path = project.simulated_projects_record
    if not path.is_file():
        return {}
    return {id: Found(**one) for id, one in json.loads(path.read_text(encoding="utf-8")).items()}


def compared(project: Project) -> list[tuple[OtherProject, Found]]:
    """Each project and what was recorded. Raises GuideError where that is missing, or old."""
    found = load_found(project)
    pairs = []
    for id, one in load_tested(project).items():
        if id not in found or found[id].asked != one.asked:
            why = f"{id}: {'its entry has changed since' if id in found else 'not recorded'}"
            again = f"run `python -m gpu_guide simulated-projects {id}`"
            raise fault(project.simulated_projects_record, None, why, again)
        pairs.append((one, found[id]))
    return pairs
