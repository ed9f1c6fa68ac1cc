"""The doctor's diagnoses, advice and commands for the machines of tests/data/doctor_machines.yml.

Which wheel it chooses has a test in `test_doctor_choice.py`.
"""

from __future__ import annotations

import re

import pytest
from doctor_machines import DATA, MACHINES, doctor, facts_of

from gpu_guide import ROOT


@pytest.mark.parametrize("case", DATA["cases"])
def test_no_case_goes_missing(case: str) -> None:
    names = DATA["cases"][case]
    assert names and set(names) <= set(MACHINES)


def test_there_are_many_machines_and_every_diagnosis_has_one() -> None:
    assert len(DATA["machines"]) == len(MACHINES) >= 40, "names that occur twice, or too few"
    assert {machine["code"] for machine in MACHINES.values()} == set(doctor["TEXTS"])


@pytest.mark.parametrize("name", MACHINES)
def test_machine(name: str) -> None:
    machine = MACHINES[name]
    given = facts_of(machine)
    found = doctor["diagnose"](given)
    assert found["code"] == machine["code"]
    assert [item["key"] for item in found["advice"]] == machine.get("advice", [])
    assert found["next"] == machine["next"]
    assert found["healthy"] == (machine["code"] == "healthy") == (not found["next"])
    assert found["why"], "a diagnosis without evidence"
    for zh in (True, False):
        lines = doctor["report"](given, found, zh)
        assert doctor["TEXTS"][machine["code"]][0 if zh else 1] in lines
        assert not any("None" in line for line in lines if line.startswith(("Driver", "GPU")))


@pytest.mark.parametrize("name", [name for name in MACHINES if "smi" in MACHINES[name]])
def test_every_nvidia_smi_is_read(name: str) -> None:
    """Its versions and its cards, as the table shows them."""
    text = MACHINES[name]["smi"]
    read = doctor["read_smi"](text)
    shown = re.search(r"(?:Driver|KMD) Version: +(\S+) .*?Version: +(\S+)", text)
    assert [read["version"] or "N/A", read["cuda"] or "N/A"] == list(shown.groups())
    rows = [line for line in text.splitlines() if re.search(r"\d{8}:..:..\.0|nvgpu", line)]
    names = [gpu["name"] for gpu in read["gpus"]]
    assert len(names) == len(rows) and all(n in row for n, row in zip(names, rows, strict=True))


def commands() -> list[tuple[str, list[str]]]:
    """What the doctor tells every machine to run, as each of several systems."""
    found = []
    for name, machine in MACHINES.items():
        given = facts_of(machine)
        for system in ({}, {"os": "Windows", "machine": "amd64", "libc": ""}):
            for packages in ([], ["torchvision"], ["torchvision", "torchaudio"]):
                changed = given | {"packages": packages} | system
                found.append((name, doctor["diagnose"](changed)["next"]))
    return found


def test_nothing_is_removed_that_is_not_replaced() -> None:
    for name, lines in commands():
        removed = [line for line in lines if "uninstall" in line]
        if removed:
            assert removed == [lines[0]], name
            gone = re.sub(r".*uninstall (-y )?", "", lines[0]).split()
            assert set(gone) <= {"torch", "torchvision", "torchaudio"}, name
            assert any(" install " in line and "torch" in line for line in lines[1:]), name
            if "torch" not in gone:  # what is replaced alone comes back, one by one
                added = " ".join(lines[1:])
                assert all(re.search(rf"{one}\b", added) for one in gone), name


def test_windows_with_a_card_is_never_told_to_take_what_pypi_has() -> None:
    for name, lines in commands():
        for line in lines:
            plain = " install " in line and "--index-url" not in line
            assert not plain or line.split()[0] in ("winget", "brew"), f"{name}: {line}"


def test_every_command_is_for_the_interpreter_that_ran_the_doctor() -> None:
    for command in ("python3", "'/opt/my env/bin/python'", '& "C:\\my env\\python.exe"'):
        for name, machine in MACHINES.items():
            given = facts_of(machine) | {"command": command}
            for line in doctor["diagnose"](given)["next"]:
                for word in ("-m pip", "-m torch", "-X faulthandler"):
                    new = re.search(r"~/gpu|HOME.gpu|-n gpu", line)
                    if word in line and not new:
                        assert line.startswith(command + " "), f"{name}: {line}"


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_page_lists_every_diagnosis(lang: str) -> None:
    page = (ROOT / "docs" / lang / "check" / "doctor.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.MULTILINE) == list(doctor["TEXTS"])
