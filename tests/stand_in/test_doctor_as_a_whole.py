"""The doctor as a reader runs it: a program, with PyTorch's own CUDA build, on broken machines.

The machines are those of tests/data/doctor_machines.yml that name settings of the stand-in. With
each comes a pretended nvidia-smi that prints what the file says. The diagnosis must be the one in
the file, and torch must say what the facts in the file say.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from doctor_machines import doctor
from doctor_on_stand_in import MACHINES, started


def ask(folder: Path, machine: dict[str, Any]) -> dict[str, Any]:
    """What the doctor finds on a machine, as it tells programs."""
    command, made = started(folder, machine)
    done = subprocess.run(
        [*command, "--json"], env=made, capture_output=True, text=True, check=False
    )
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
