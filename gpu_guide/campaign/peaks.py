"""Scripts whose peaks this machine's GPU shows, for dry runs to be compared with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from gpu_guide.dry_run.measured import (
    Measured,
    Setting,
    load_dry,
    load_settings,
    read_measured,
    write_measured,
)
from gpu_guide.project import Project
from gpu_guide.records.store import path_of
from gpu_guide.run.machine import Environment

_CONTEXT = 2**30
"""What a process has on a GPU beside its tensors, rounded up."""
_UNKNOWN = 8 * 2**30
"""What a script that has not been run dry is taken to need."""
_PROGRAM = """
import json, os, runpy, shutil, subprocess, sys
from importlib.metadata import version
import torch

script, needs, *arguments = sys.argv[1:]
sys.argv = [script, *arguments]
runpy.run_path(script, run_name="__main__")
torch.cuda.synchronize()
ask = ["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]
rows = []
if shutil.which(ask[0]):
    rows = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.splitlines()
used = dict(map(int, row.split(",")) for row in rows).get(os.getpid(), 0)
print()
print(json.dumps({
    "packages": {name: version(name) for name in ["torch", *filter(None, needs.split(","))]},
    "allocated": torch.cuda.max_memory_allocated(),
    "reserved": torch.cuda.max_memory_reserved(),
    "driver": used * 2**20,
}))
sys.stdout.flush()
os._exit(0)
"""
_FREE = "import torch; print(torch.cuda.mem_get_info()[0])"


class _Room:
    """A GPU's memory, of which several processes have a part each."""

    def __init__(self, size: int) -> None:
        self.size = self.free = size
        self.changed = threading.Condition()

    @contextmanager
    def taken(self, size: int) -> Iterator[None]:
        """Wait until so many bytes are free, or all of them, and have them."""
        size = min(size, self.size)
        with self.changed:
            self.changed.wait_for(lambda: self.free >= size)
            self.free -= size
        try:
            yield
        finally:
            with self.changed:
                self.free += size
                self.changed.notify_all()


def measure(
    project: Project,
    folder: Path,
    here: Environment,
    jobs: int,
    until: float,
    say: Callable[[str], None],
) -> int:
    """Run each script on the GPU and write what it showed; 1 if one failed or had no time.

    What stands in `folder` of scripts as they are is not run again.
    So many `jobs` run at a time, as far as the GPU has room for them. `until` is by the clock of
    time.monotonic().
    """
    dry, settings = load_dry(project), load_settings(project)
    needs = {id: dry[id].reserved + _CONTEXT if id in dry else _UNKNOWN for id in settings}
    asked = [sys.executable, "-c", _FREE]
    room = _Room(int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout))

    def run(one: Setting) -> Measured | str:
        with room.taken(needs[one.id]):
            return _run(one, project, until - time.monotonic())

    peaks = _before(path_of(here.id, folder), settings, project)
    todo = [one for one in settings.values() if one.id not in peaks]
    # Our own first, and the largest while the GPU is empty.
    order = sorted(todo, key=lambda one: (not one.is_own, -needs[one.id]))
    with ThreadPoolExecutor(jobs) as pool:
        begun = {pool.submit(run, one): one.id for one in order}
        for ended in as_completed(begun):
            id, found = begun[ended], ended.result()
            if isinstance(found, str):
                say(f"  FAILED  {id}: {found}")
                continue
            peaks[id] = found
            write_measured(folder, here, peaks)
            say(f"  {found.allocated / 2**20:9.1f} MiB  {id}")
    return int(len(peaks) < len(settings))


def _before(path: Path, settings: Mapping[str, Setting], project: Project) -> dict[str, Measured]:
    """What an earlier run, which had no time for all, wrote of scripts as they are."""
    known = read_measured(path)[1] if path.is_file() else {}
    return {
        id: one
        for id, one in known.items()
        if id in settings and one.code == settings[id].code(project)
    }


def _run(setting: Setting, project: Project, seconds: float) -> Measured | str:
    """What the GPU showed of a setting, or why there is nothing."""
    if seconds < 1:
        return "left for want of time"
    needs = ",".join(setting.needs)
    command = [sys.executable, "-c", _PROGRAM, str(setting.path(project)), needs]
    try:
        done = subprocess.run(
            [*command, *setting.arguments.split()],
            env=os.environ | {"HF_HUB_OFFLINE": "1"},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "ended when its time was up"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return Measured(setting.code(project), **json.loads(done.stdout.splitlines()[-1]))
