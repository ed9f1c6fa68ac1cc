"""The machines of tests/data/doctor_machines.yml, by name, and the facts they differ from."""

from __future__ import annotations

from typing import Any

from gpu_guide import fast_yaml
from gpu_guide.project import HERE

FILE = HERE.tests / "data/doctor_machines.yml"
DATA: dict[str, Any] = fast_yaml.load(FILE.read_text(encoding="utf-8"))
MACHINES: dict[str, dict[str, Any]] = {machine["name"]: machine for machine in DATA["machines"]}
