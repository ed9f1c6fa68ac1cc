"""The doctor's choice of a wheel, on every machine that the data know.

The doctor chooses from the copy of the data that it carries. `gpu_guide.data.wheels.objections`
judges the same command from `data/wheels.yml`, with code of its own. Each must agree with the
other: a command must be right, and a refusal must be one that the data make necessary, with the
right way out of it.
"""

from __future__ import annotations

import functools
import itertools
import re
from dataclasses import replace
from typing import Any

import memoized_doctor
import pytest
from memoized_doctor import DOCTOR
from wheel_questions import BOARDS, CARDS, PAIRS, PYTHONS, SYSTEMS, WHEELS

from gpu_guide.data.doctor import carried, replaced
from gpu_guide.data.wheel_choice import Machine, objections, some_build_runs
from gpu_guide.data.wheels import version
from gpu_guide.render.wheel_tables import TABLES
from gpu_guide.render.words import Words

doctor = memoized_doctor.load()
EN = Words("en")

# A version of each branch, as nvidia-smi shows it; the last knows no branch of the data.
DRIVERS = {"": ""} | {f"{b.driver}.65": b.cuda for b in WHEELS.branches} | {"440.33": "10.2"}


def test_the_doctor_carries_the_data(request: pytest.FixtureRequest) -> None:
    text = DOCTOR.read_text(encoding="utf-8")
    if request.config.getoption("--update-examples"):
        DOCTOR.write_text(replaced(text, WHEELS), encoding="utf-8")
        return
    remedy = 'make test ARGS="tests/lessons/test_doctor_choice.py -k carries --update-examples"'
    assert carried(WHEELS) in text, f"{DOCTOR}: not the data of data/wheels.yml — run {remedy}"


def test_a_copy_that_is_behind_the_data_is_noticed() -> None:
    newer = replace(WHEELS, builds=WHEELS.builds[2:])
    text = DOCTOR.read_text(encoding="utf-8")
    assert carried(newer) not in text
    assert carried(newer) in replaced(text, newer)


def choose(system: str, driver: str, cards: tuple[str, ...], python: str) -> dict[str, Any]:
    said = {"version": driver or None, "cuda": DRIVERS[driver] or None}
    return doctor["choose"](system.split()[0], SYSTEMS[system][1], said, cards, python)


def machine(system: str, driver: str, cards: tuple[str, ...], python: str) -> Machine:
    return Machine(SYSTEMS[system][0], python, driver, cards, wsl=system == "WSL")


@functools.cache
def runs(system: str, driver: str, cards: tuple[str, ...], python: str) -> bool:
    return some_build_runs(WHEELS, machine(system, driver, cards, python))


def fault(system: str, driver: str, cards: tuple[str, ...], python: str) -> str | None:
    """What is wrong with the doctor's answer for one machine, if anything."""
    found = choose(system, driver, cards, python)
    kept = tuple(card for card in cards if card not in found["without"])
    if found["without"] and any(
        runs(system, newer, cards, name) for newer in (driver, NEWEST) for name in PYTHONS
    ):
        return f"gives up {found['without']}, though a build runs all"
    if found["cuda"]:
        here = machine(system, driver, kept, python)
        tag = "cu" + found["cuda"].replace(".", "")
        return "; ".join(objections(WHEELS, here, tag, found["below"] or "")) or None
    if runs(system, driver, cards, python):
        return "refuses, though a build runs"
    for need in found["needs"]:
        name = need.get("python", python)
        if not runs(system, need.get("driver", driver), kept, name):
            return f"{need} would not do"
    # A Jetson's driver comes with its JetPack: there is no newer one to install.
    drivers = [driver] if set(cards) & set(BOARDS) else [driver, NEWEST]
    if not found["needs"] and any(
        runs(system, newer, cards, name) for newer in drivers for name in PYTHONS
    ):
        return "knows no way out, though a newer driver or another Python is one"
    return None


NEWEST = f"{WHEELS.branches[0].driver}.65"


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_machine_gets_a_command_that_the_data_support(system: str) -> None:
    faults = [
        f"{system}, driver {driver or 'none'}, {' and '.join(cards)}, Python {python}: {found}"
        for driver, cards, python in itertools.product(DRIVERS, CARDS + PAIRS, PYTHONS)
        if (found := fault(system, driver, cards, python))
    ]
    assert not faults, "\n".join(faults[:20])


def test_the_page_s_table_names_the_same_index() -> None:
    """The table of the index for each GPU and driver, read as a reader does."""
    html = TABLES["wheels/choice"](WHEELS, EN).html(EN)
    spans: list[str] = []
    head, *rows = re.findall(r"<tr>(.*?)</tr>", html)
    least = re.findall(r"driver (?:≥ )?(\d+)", head)
    compared = 0
    for row in rows:
        cells = re.findall(r"<t[hd]( rowspan=\"\d+\")?[^>]*>(.*?)</t[hd]>", row)
        name, texts = cells[0][1], [text for _, text in cells[2:]]
        spans = texts or spans
        (gpu,) = (gpu for gpu in WHEELS.generations if gpu.name == name)
        for driver, text in zip(least, spans, strict=True):
            number = max(driver, gpu.driver or driver, key=version)
            known = (b.cuda for b in WHEELS.branches if version(b.driver) <= version(number))
            said = {"version": f"{number}.99", "cuda": next(known, None)}
            found = doctor["choose"]("Linux", "x86_64", said, gpu.capabilities, "3.12")
            if number != driver and "none" in text:
                continue  # no driver that old knows the card
            compared += 1
            assert found["cuda"], f"{name}, driver {number}: the table says {text}"
            assert f"cu{found['cuda'].replace('.', '')}<" in text, f"{name}, driver {number}"
    assert compared > 15
