"""The doctor as a reader runs it: a program, with PyTorch's own CUDA build, on broken machines.

The machines are those of tests/data/doctor_machines.yml that name settings of the stand-in. With
each comes a pretended nvidia-smi that prints what the file says. The diagnosis must be the one in
the file, and torch must say what the facts in the file say.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import doctor_machines
import pytest
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


def ask(folder: Path, machine: dict[str, Any]) -> dict[str, Any]:
    """What the doctor finds on a machine, as it tells programs."""
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
    command = [sys.executable, "-c", START, release, str(DOCTOR), "--json"]
    done = subprocess.run(command, env=made, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_there_are_enough_machines() -> None:
    assert len(MACHINES) >= 30
    diagnoses = {machine["code"] for machine in MACHINES.values()}
    # Those that torch decides: the others are about its installation or another vendor's GPU, or
    # need cards that differ, one that nothing is known of, or a call that never returns.
    elsewhere = {"torch-missing", "torch-broken", "cpu-only-build", "own-file-named-torch"}
    elsewhere |= {"libraries-shadowed", "vc-runtime-missing", "other-backend", "crashed"}
    elsewhere |= {"gpu-not-in-build", "gpu-newer-than-build", "mixed-gpus"}
    elsewhere |= {"no-answer", "unknown"}
    # And those that the system decides: its modules, cards, permissions, jobs and packages.
    elsewhere |= {"nouveau", "secure-boot", "wsl-linux-driver", "integrated-graphics"}
    elsewhere |= {"no-nvidia-card", "no-permission", "job-without-gpu", "leftover-processes"}
    elsewhere |= {"several-torches", "conda-mixed", "packages-mismatched", "wrong-vendor-build"}
    elsewhere |= {"ascend-without-npu"}
    assert diagnoses == set(doctor["TEXTS"]) - elsewhere


@pytest.mark.parametrize("name", MACHINES)
def test_the_diagnosis_and_torch_s_words(tmp_path: Path, name: str) -> None:
    machine = MACHINES[name]
    found = ask(tmp_path, machine)
    facts, written = found["facts"], machine.get("facts", {}).get("gpu", {})
    assert found["diagnosis"]["code"] == machine["code"], found
    assert found["diagnosis"]["next"] == machine["next"]
    assert [item["key"] for item in found["diagnosis"]["advice"]] == machine.get("advice", [])
    assert facts["gpu"]["backend"] == written.get("backend")
    assert (facts["gpu"]["error"] or "").startswith(written.get("error") or "")
    assert bool(facts["gpu"]["error"]) == bool(written.get("error"))
    devices = written.get("devices", [])
    assert len(facts["gpu"]["devices"]) == len(devices)
    for seen, expected in zip(facts["gpu"]["devices"], devices, strict=True):
        assert seen["capability"] == expected["capability"]
        assert seen["works"] == expected["works"], seen["error"]
        assert (seen["error"] or "").startswith(expected["error"] or "")
