"""The machines of tests/data/doctor_machines.yml, by name, and what the doctor sees of each."""

from __future__ import annotations

import os
import runpy
from typing import Any

import pytest
from memoized_doctor import DOCTOR

from gpu_guide import fast_yaml
from gpu_guide.project import HERE

FILE = HERE.tests / "data/doctor_machines.yml"
DATA: dict[str, Any] = fast_yaml.load(FILE.read_text(encoding="utf-8"))
MACHINES: dict[str, dict[str, Any]] = {machine["name"]: machine for machine in DATA["machines"]}
doctor = runpy.run_path(str(DOCTOR), run_name="doctor")

NO_KERNEL = "AcceleratorError: CUDA error: no kernel image is available for execution on the device"
posix = pytest.mark.skipif(os.name != "posix", reason="the fake nvidia-smi is a script")


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return base | {
        key: merged(base[key], value) if isinstance(base.get(key), dict) else value
        for key, value in changes.items()
    }


def facts(**changes: Any) -> dict[str, Any]:
    """A CUDA 13.0 build on a Linux machine that sees no GPU, but for these changes."""
    return merged(DATA["base"], changes)


def facts_of(machine: dict[str, Any]) -> dict[str, Any]:
    found = facts(**machine.get("facts", {}))
    if "smi" in machine:
        found["driver"] = doctor["read_smi"](machine["smi"]) | {"state": "ok", "error": None}
        query = doctor["read_query"](machine.get("query", ""))
        found["driver"]["gpus"] = query or found["driver"]["gpus"]
    return found
