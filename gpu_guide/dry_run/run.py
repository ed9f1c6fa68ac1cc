"""Run a command dry: its processes on a stand-in, watched, and what they noted."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpu_guide.dry_run.replay import Device, devices
from gpu_guide.problems import fault
from gpu_guide.stand_in.environments import CudaEnvironment
from gpu_guide.stand_in.machine import StandIn
from gpu_guide.stand_in.process import messages, variables

OBSERVER = Path(__file__).parent / "observer"
LARGEST_VALUES = 2**16
"""Bytes: what is larger is neither computed nor copied."""
_OF_OTHERS = ("ChildFailedError", "CalledProcessError", "ProcessRaisedException")
"""What a launcher raises where one of its processes ended with an error, which says why."""
UNLIMITED_MIB = 2**20
"""More than any card has: with it a script shows what it needs."""


@dataclass(frozen=True)
class Settings:
    """What is assumed of a script, and when it is stopped. Raises GuideError for what cannot be."""

    steps: int = 5
    """After so many optimizer steps; 0 is never."""
    assumed: float = 0.0
    """What a number is that no kernel computed."""
    share: float = 1.0
    """How much of a mask is true, from 0 to 1."""
    compile: bool = False
    """Whether `torch.compile` compiles; else everything runs eagerly."""
    snapshot: Path | None = None
    """Where the allocator's snapshot is written, for the viewer."""
    folder: Path | None = None
    """In which folder it runs; None: in ours."""
    more: Mapping[str, str] = field(default_factory=dict)
    """Further variables of the script's processes."""

    def __post_init__(self) -> None:
        if self.steps < 0:
            raise fault(None, None, f"--steps {self.steps}", "give 0 for all, or how many")
        if not 0 <= self.share <= 1:
            raise fault(None, None, f"--mask-share {self.share}", "give a number from 0 to 1")
        if self.snapshot and not self.snapshot.absolute().parent.is_dir():
            remedy = "name a folder that exists"
            raise fault(None, None, f"--snapshot {self.snapshot}", remedy)


@dataclass(frozen=True)
class Outcome:
    """What a run showed."""

    status: int
    seconds: float
    devices: tuple[Device, ...]
    ledgers: tuple[Mapping[str, Any], ...]
    errors: tuple[Mapping[str, Any], ...]
    """The exceptions that ended processes: kind, text, name, and the last frame of the reader's."""
    interrupted: bool = False

    @property
    def out_of_memory(self) -> bool:
        """Whether PyTorch found no memory, and the script did not get along without it."""
        return any(
            one["out_of_memory"] and (self.status or not one["stopped"]) and not one["survived"]
            for one in self.ledgers
        )

    @property
    def fullest(self) -> Device:
        """The GPU on which most is reserved."""
        return max(self.devices, key=lambda device: device.reserved)


def run(
    environment: CudaEnvironment,
    machine: StandIn,
    command: Sequence[str],
    settings: Settings,
    *,
    output: int | None = None,
    errors: int | None = None,
) -> Outcome:
    """Run `command`; what it writes goes where ours does, or to `output` and `errors`.

    Raises FileNotFoundError where there is no such program, and GuideError as
    `stand_in.process.variables` does.
    """
    made = variables(environment, machine, observer=OBSERVER) | {
        "STAND_IN_QUIET": "1",
        "STAND_IN_ALIKE_RANKS": "1",
        "STAND_IN_LARGEST_COPY": str(LARGEST_VALUES),
        "TORCHDYNAMO_DISABLE": str(int(not settings.compile)),
        "GPU_GUIDE_DRY_RUN_STEPS": str(settings.steps),
        "GPU_GUIDE_DRY_RUN_ASSUMED": str(settings.assumed),
        "GPU_GUIDE_DRY_RUN_SHARE": str(settings.share),
        **settings.more,
    }
    if settings.snapshot:
        made["GPU_GUIDE_DRY_RUN_SNAPSHOT"] = str(settings.snapshot.absolute())
    with tempfile.TemporaryDirectory(prefix="dry-run-") as folder, messages() as more:
        made["GPU_GUIDE_DRY_RUN"] = folder
        begun = time.monotonic()
        process = subprocess.Popen(
            list(command), env=made | more, stdout=output, stderr=errors, cwd=settings.folder
        )
        status, interrupted = _wait(process)
        seconds = time.monotonic() - begun
        ledgers = _read(Path(folder), "*.json")
        errors = sorted(_read(Path(folder), "*.error"), key=lambda one: one["kind"] in _OF_OTHERS)
    found = [device for ledger in ledgers for device in devices(ledger)]
    found.sort(key=lambda device: (device.rank, device.number))
    return Outcome(status, seconds, tuple(found), ledgers, tuple(errors), interrupted)


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, bool]:
    """Wait for the end, and after Ctrl-C, which the script gets as we do, for its ledger."""
    interrupted = False
    while True:
        try:
            return process.wait(), interrupted
        except KeyboardInterrupt:
            if interrupted:
                process.kill()
            interrupted = True


def _read(folder: Path, pattern: str) -> tuple[Mapping[str, Any], ...]:
    files = sorted(folder.glob(pattern))
    return tuple(json.loads(file.read_text(encoding="utf-8")) for file in files)
