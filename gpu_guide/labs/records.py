"""Records of labs that other machines ran: `records/labs/<environment>.json`.

Written by `make lab ARGS=--record` alone. A record holds the environment once and, per lab, the
hash of the code that ran, what each cell showed, and the seconds it took.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_guide.labs.notebook import Output
from gpu_guide.records.store import read_file, unreadable, write_file
from gpu_guide.run.machine import Environment


@dataclass(frozen=True)
class LabRun:
    """One lab, run on one machine."""

    sha256: str
    outputs: Mapping[str, list[Output]]
    seconds: float


@dataclass(frozen=True)
class LabRecord:
    """Everything one environment showed."""

    environment: Environment
    labs: Mapping[str, LabRun]

    def fresh(self, name: str, sha256: str) -> LabRun | None:
        """What it showed for the lab `name`, if the code that ran has this hash."""
        run = self.labs.get(name)
        return run if run and run.sha256 == sha256 else None


def load_lab_records(folder: Path) -> list[LabRecord]:
    """Every record by file name. Raises GuideError for the first that cannot be read."""
    return [read(path) for path in sorted(folder.glob("*.json"))]


def read(path: Path) -> LabRecord:
    """One record. Raises GuideError where it is not what `write` writes."""
    return LabRecord(*read_file(path, "labs", _run))


def _run(path: Path, name: str, content: Any) -> LabRun:
    where = f"labs[{name!r}]"
    if not isinstance(content, dict) or content.keys() != {"sha256", "outputs", "seconds"}:
        raise unreadable(path, where, "not the keys 'sha256', 'outputs', 'seconds'")
    outputs = content["outputs"]
    if not isinstance(outputs, dict) or not all(
        isinstance(cell, list) and all("output_type" in output for output in cell)
        for cell in outputs.values()
    ):
        raise unreadable(path, f"{where}.outputs", "not lists of outputs by cell")
    return LabRun(str(content["sha256"]), outputs, float(content["seconds"]))


def write(record: LabRecord, folder: Path) -> Path:
    """Write `record` whole or not at all, and return its path."""
    entries = {
        name: {"sha256": run.sha256, "outputs": run.outputs, "seconds": round(run.seconds, 1)}
        for name, run in record.labs.items()
    }
    return write_file(folder, record.environment, "labs", entries)
