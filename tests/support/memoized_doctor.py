"""The program of check/doctor, which remembers the answers of its pure functions.

A test that asks it for every machine that the data know gets each of them thousands of times.
"""

from __future__ import annotations

import functools
import runpy
from collections.abc import Callable
from typing import Any

from gpu_guide.project import HERE

DOCTOR = HERE.snippets / "check" / "doctor.py"


def load() -> dict[str, Any]:
    """Its names, as `runpy.run_path` gives them."""
    doctor = runpy.run_path(str(DOCTOR), run_name="doctor")
    names = doctor["choose"].__globals__
    for name in ("numbers", "has_code", "arch_runs"):
        names[name] = functools.cache(names[name])
    names["find_build"] = _by_content(names["find_build"])
    return doctor


def _by_content(find_build: Callable[..., Any]) -> Callable[..., Any]:
    """`find_build` with a memory: driver and cards are a dict and a list, which are no keys."""
    known: dict[tuple[Any, ...], Any] = {}

    def find(
        system: str, machine: str, driver: dict[str, Any], cards: Any, python: str, audio: bool
    ) -> Any:
        key = (system, machine, repr(driver), tuple(cards), python, audio)
        if key not in known:
            known[key] = find_build(system, machine, driver, cards, python, audio)
        return known[key] and dict(known[key])

    return find
