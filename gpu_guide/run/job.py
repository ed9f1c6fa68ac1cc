"""The job that a run is given, and what it may leave behind, for the process that asks: without
torch, which takes seconds to import."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Job:
    """What to run and where to put the report."""

    path: str
    source: str
    report: str
    """Where the report goes; under torchrun `.0`, `.1`, … (the rank) is added."""
    devices: int = 0
    """How many simulated CUDA devices there are; 0 means the real machine."""
    stand_ins: int = 0
    """How many stand-in GPUs it sees; 0 leaves that to the environment."""
    hide_gpus: bool = False
    time_limit: float = 60.0
    strict: bool = False
    """Whether bad manners are faults: see gpu_guide/run/side_effects.py."""
    leaves: tuple[str, ...] = ()
    """What the code says that it leaves changed."""
    varied: bool = False
    """Whether chance, threads and the home folder are other than in a usual run."""

    @property
    def folders(self) -> tuple[Path, Path, Path]:
        """Where it works, its temporary folder, and its home where that is another one."""
        above = Path(self.report).parent
        return above / "work", above / "tmp", above / "home"


_CACHES = (
    "torchinductor_",
    "torch_extensions",
    "torchelastic_",
    "pymp-",
    "ranks-",
    "__pycache__",
    ".cache",
    ".rustup",
)
"""Parts of the names of files that PyTorch, Python and programs like pip keep unasked."""


def left_in(folder: Path) -> list[str]:
    """Files and folders that code left in `folder`, which was empty, but for caches of others."""
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return [name for name in found if not any(part in name for part in _CACHES)]
