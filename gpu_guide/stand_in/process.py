"""Start a process whose GPUs are stand-ins."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from gpu_guide.problems import fault
from gpu_guide.project import HERE
from gpu_guide.stand_in.build import Libraries, build
from gpu_guide.stand_in.environments import CudaEnvironment, root
from gpu_guide.stand_in.machine import MARK, StandIn

VALUES = Path(__file__).parent / "start"
"""A folder whose sitecustomize.py computes values in every Python that has it in its path."""

_MESSAGES = "stand-in-"

_LOADED = """
import ctypes, sys
for name in sys.argv[1:]:
    ctypes.CDLL(name)
with open("/proc/self/maps") as maps:
    files = {line.split()[-1] for line in maps if "/" in line}
print("\\n".join(sorted(f for f in files if "libcuda.so" in f or "libcudart" in f)))
"""


def variables(
    environment: CudaEnvironment,
    machine: StandIn,
    *,
    values: bool = False,
    observer: Path | None = None,
    around: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """All variables of a process that runs on `machine`; `around` are those that it inherits.

    `observer` is a package that is installed in each Python in place of values.

    Raises GuideError where the libraries cannot be built, or another driver library would be used.
    """
    libraries = build(environment)
    inherited = _without_stand_in(os.environ if around is None else around)
    made = inherited | machine.environment() | _loading(libraries, machine, inherited)
    made["PATH"] = _joined(str(environment.python.parent), inherited.get("PATH"))
    made["VIRTUAL_ENV"] = str(environment.folder)
    made.pop("PYTHONHOME", None)
    # What is compiled here was chosen by times that mean nothing, and is kept from a real GPU.
    kernels = root() / "compiled-kernels"
    made["TRITON_CACHE_DIR"] = str(kernels / "triton")
    made["TORCHINDUCTOR_CACHE_DIR"] = str(kernels / "inductor")
    made["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    if values:
        made["PYTHONPATH"] = _joined(str(VALUES), str(HERE.root), inherited.get("PYTHONPATH"))
    if observer:
        made["PYTHONPATH"] = _joined(str(VALUES), inherited.get("PYTHONPATH"))
        made["STAND_IN_OBSERVER"] = str(observer)
    _check(environment, libraries, machine, made)
    return made


@contextmanager
def messages() -> Iterator[dict[str, str]]:
    """The variable with which processes form groups of NCCL: a folder for what they send.

    Its name says whose it is, so that the next one to make such a folder can tell which of them
    were left by a process that was killed.
    """
    memory = Path("/dev/shm")
    where = memory if os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
    for folder in where.glob(f"{_MESSAGES}*-*"):
        owner = folder.name.removeprefix(_MESSAGES).partition("-")[0]
        if owner.isdecimal() and not _runs(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)
    prefix = f"{_MESSAGES}{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=where) as made:
        yield {"STAND_IN_MESSAGES": made}


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def run(
    environment: CudaEnvironment,
    machine: StandIn,
    command: Sequence[str],
    *,
    values: bool = False,
) -> int:
    """Run `command`, in which `python` is the interpreter of `environment`, and return its status.

    Raises GuideError as `variables` does, and where there is no such program.
    """
    made = variables(environment, machine, values=values)
    try:
        with messages() as more:
            return subprocess.run(list(command), env=made | more, check=False).returncode
    except FileNotFoundError:
        remedy = "write for example `python -m gpu_guide stand-in -- python file.py`"
        raise fault(None, None, f"no program {command[0]!r}", remedy) from None


def _without_stand_in(inherited: Mapping[str, str]) -> dict[str, str]:
    """The variables without those of a stand-in that this process itself runs on."""
    kept = {name: text for name, text in inherited.items() if not name.startswith("STAND_IN_")}
    if MARK not in kept:
        return kept
    del kept[MARK]
    ours = (str(root()), str(VALUES), str(HERE.root))
    for name in ("LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH"):
        words = kept.get(name, "").split(":")
        kept[name] = ":".join(word for word in words if word and not word.startswith(ours))
    return kept


def _joined(*words: str | None) -> str:
    return ":".join(word for word in words if word)


def _loading(
    libraries: Libraries, machine: StandIn, inherited: Mapping[str, str]
) -> dict[str, str]:
    driver = str(libraries.driver) if machine.has_driver else None
    return {
        "LD_PRELOAD": _joined(*map(str, libraries.preloaded), inherited.get("LD_PRELOAD")),
        "LD_LIBRARY_PATH": _joined(driver, inherited.get("LD_LIBRARY_PATH")),
    }


def _check(
    environment: CudaEnvironment, libraries: Libraries, machine: StandIn, made: Mapping[str, str]
) -> None:
    """See that the libraries a process finds are ours: a real driver must never answer for us."""
    names = [libraries.preloaded[0].name]
    if machine.has_driver:
        names += sorted(file.name for file in libraries.driver.iterdir())
    command = [str(environment.python), "-S", "-c", _LOADED, *names]
    asked = subprocess.run(command, env=dict(made), capture_output=True, text=True, check=False)
    if asked.returncode:
        said = asked.stderr.strip() or asked.stdout.strip()
        raise fault(None, None, f"a process cannot load the stand-in: {said}", "see its words")
    mine = str(libraries.folder)
    foreign = [line for line in asked.stdout.splitlines() if line and not line.startswith(mine)]
    if foreign:
        what = f"another CUDA library is loaded before the stand-in: {', '.join(foreign)}"
        remedy = "take it out of LD_PRELOAD, LD_LIBRARY_PATH and /etc/ld.so.preload"
        raise fault(None, None, what, remedy)
