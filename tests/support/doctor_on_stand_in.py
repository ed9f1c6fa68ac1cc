"""A machine of tests/data/doctor_machines.yml, played by a stand-in GPU and a pretended nvidia-smi.

Called from below `python -m gpu_guide stand-in`.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import doctor_machines
from doctor_machines import doctor
from memoized_doctor import DOCTOR

from gpu_guide.data.broken_machines import CARD
from gpu_guide.data.cards import card
from gpu_guide.project import HERE
from gpu_guide.records.error_texts import unbiased
from gpu_guide.stand_in.machine import StandIn

MACHINES = {name: one for name, one in doctor_machines.MACHINES.items() if "stand_in" in one}

# What the machine below the tests is, a container or not, and what graphics it has, is not the
# machine that is played.
START = """
import builtins, os, platform, runpy, sys
opened, listed = open, os.listdir
away = ("/sys/", "/proc/modules", "/etc/prime-discrete")
def refusing(call):
    def called(path, *more, **named):
        if str(path).startswith(away):
            raise FileNotFoundError(path)
        return call(path, *more, **named)
    return called
builtins.open, os.listdir = refusing(opened), refusing(listed)
exists, marks = os.path.exists, ("/.dockerenv", "/run/.containerenv")
os.path.exists = lambda path: path not in marks and exists(path)
release = sys.argv.pop(1)
platform.release = lambda: release
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

LEFT_OUT = {"container", *doctor["SCHEDULERS"]}
"""What the environment of the tests may say of the machine below."""

NVIDIA_SMI = """#!/bin/sh
case "$*" in
  *compute_cap*) file=query; {old} ;;
  *query-gpu*) file=query ;;
  *) file=said ;;
esac
while IFS= read -r line; do printf '%s\\n' "$line"; done < "$0.$file"
exit {status}
"""


def pretend_nvidia_smi(folder: Path, machine: dict[str, Any]) -> None:
    """A program of that name which prints the machine's texts, or none where it has none."""
    refused = machine["facts"].get("driver", {}).get("error") if "facts" in machine else None
    if "smi" not in machine and refused is None:
        return
    program = folder / "nvidia-smi"
    query = machine.get("query", "")
    # Drivers that are too old for it refuse the field compute_cap.
    old = "exit 2" if query and all(row.count(",") < 2 for row in query.splitlines()) else ":"
    program.write_text(NVIDIA_SMI.format(old=old, status=0 if "smi" in machine else 9))
    program.chmod(0o755)
    said = machine.get("smi", refused)
    program.with_suffix(".said").write_text(f"{said}\n", encoding="utf-8")
    program.with_suffix(".query").write_text(query, encoding="utf-8")


def started(folder: Path, machine: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """The command that runs the doctor on a machine, and its environment."""
    pretend_nvidia_smi(folder, machine)
    facts, settings = machine.get("facts", {}), dict(machine["stand_in"])
    values = settings.pop("STAND_IN_VALUES", "1") == "1"
    stand_in = StandIn.of(card(CARD, HERE), settings=settings)
    kept = {name: value for name, value in unbiased(os.environ).items() if name not in LEFT_OUT}
    made = kept | stand_in.environment()
    made["PATH"] = os.pathsep.join([str(folder), str(Path(sys.executable).parent)])
    made |= {"PYTHONPATH": os.environ.get("PYTHONPATH", "")} if values else {}
    made |= {"container": "docker"} if facts.get("container") else {}
    release = "6.6.87.2-microsoft-standard-WSL2" if facts.get("wsl") else "6.8.0-generic"
    return [sys.executable, "-c", START, release, str(DOCTOR)], made


@contextmanager
def python_of(name: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """A program that runs the doctor on the machine of this name, whatever file it is given, as
    `gpu-guide doctor --python` calls it; and the environment in which to call it."""
    with tempfile.TemporaryDirectory() as folder:
        command, made = started(Path(folder), MACHINES[name])
        program = Path(folder) / "python"
        program.write_text(f'#!/bin/sh\nshift\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        yield program, made
