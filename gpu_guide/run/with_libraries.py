"""The environment of snippets that need other libraries, and a run in it.

The libraries of data/libraries.yml are installed into one environment with PyTorch's CPU build,
outside the tree. There gpu_guide/run/other_environment.py is the program that runs a job.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from gpu_guide.environments import TORCH_INDEX, VARIABLE, is_made, making, pip, root
from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.snippets.libraries import load_libraries

NEEDED_BYTES = 3 * 10**9
"""What must be free before the environment is made: it takes about 2.5 GB."""
FIRST = ("torch", "numpy", "pytest", "pytest-examples", "pyyaml")
"""What the runner imports, in the versions that CI has."""
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "WANDB_MODE": "disabled",
    "DO_NOT_TRACK": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "CUDA_VISIBLE_DEVICES": "-1",
}
"""Variables that tell the libraries that there is neither a network nor a GPU, and that the
number of threads is settled: torchrun sets it, and Accelerate would otherwise."""


def impossible() -> str:
    """Why the environment cannot be had on this system; "" where it can."""
    if (system := platform.system()) != "Linux":
        return f"the other libraries are tested on Linux, and this is {system}"
    return ""


def folder_of(project: Project) -> Path:
    """Where the environment of today's libraries lies: other versions have another one."""
    pins = [library.pinned for library in load_libraries(project)]
    lines = project.constraints.read_text(encoding="utf-8").splitlines()
    text = "\n".join([*pins, *(line for line in lines if line.partition("==")[0] in FIRST)])
    return root() / f"libraries-{sha256(text.encode()).hexdigest()[:12]}"


def find_or_make(project: Project, tell: Callable[[str], None] = print) -> Path:
    """The interpreter of the environment, which is installed where it is not there yet.

    Raises GuideError where that is impossible; then nothing of it is left.
    """
    if why := impossible():
        raise GuideError(why)
    folder = folder_of(project)
    with _alone():
        if not is_made(folder):
            tell(f"Installing other libraries into {folder}: about 2.5 GB, once …")
            _make(project, folder)
    return folder / "bin" / "python"


def _make(project: Project, folder: Path) -> None:
    constraint = ("--constraint", str(project.constraints))
    index = os.environ.get("TORCH_INDEX_URL", f"{TORCH_INDEX}cpu")
    with making(folder, NEEDED_BYTES, "the environment of other libraries"):
        # Torch alone, so that no other package is looked for on its index: see gpu_guide/venv.py.
        quick = ("--no-deps", "--retries", "1", "--timeout", "15", "--extra-index-url", index)
        pip(folder, ("torch",), *constraint, *quick)
        pip(folder, FIRST, *constraint)
        pip(folder, tuple(library.pinned for library in load_libraries(project)))


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the lock of the environments: tests run side by side, and one of them installs."""
    import fcntl  # not to be had on Windows

    try:
        root().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise fault(root(), None, str(error), f"name another folder in {VARIABLE}") from None
    with Path(root(), ".lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run(python: Path, job: Mapping[str, Any], time_limit: float) -> dict[str, Any]:
    """What came of a run of `job`, the arguments of `run_source`, by the interpreter `python`.

    A process that says nothing of its run is a failure with what it wrote last.
    """
    command = [str(python), "-m", "gpu_guide.run.other_environment"]
    environment = {**os.environ, **SETTINGS, "PYTHONUTF8": "1"}
    root_of_package = Path(__file__).parents[2]
    try:
        done = subprocess.run(
            command,
            input=json.dumps({**job, "time_limit": time_limit}),
            capture_output=True,
            text=True,
            cwd=root_of_package,
            env=environment,
            timeout=time_limit * 2,
            check=False,
        )
        return json.loads(done.stdout.rstrip().rpartition("\n")[2])
    except subprocess.TimeoutExpired:
        said = f"the environment {python.parents[1]} did not answer"
    except ValueError:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-12:])
    return {"outcome": "failed", "problem": f"{job['path']}: {said}", "calls": [], "seconds": 0.0}
