"""The wheel chooser in Python: every answer is one that the data support, and the doctor's.

`objections` judges the same commands from data/wheels.yml with code of its own; the page's program
is held against this one in test_wheel_chooser_page.py.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import memoized_doctor
import pytest
from wheel_questions import (
    CARDS,
    DRIVERS,
    FORMS,
    GPUS,
    PAIRS,
    PLATFORMS,
    PYTHONS,
    SYSTEMS,
    TORCHES,
    WHEELS,
)
from wheel_questions import remembered as remembered

from gpu_guide.data.diagnosis import Card, load_diagnosis
from gpu_guide.data.wheel_choice import Machine, objections, some_build_runs
from gpu_guide.data.wheel_chooser import Answer, answer, carried
from gpu_guide.data.wheel_commands import Row, rows
from gpu_guide.data.wheel_search import Wish
from gpu_guide.data.wheels import INDEX, version
from gpu_guide.project import HERE
from gpu_guide.render.chooser import gpus_named
from gpu_guide.render.words import WORDS, Words


def machines(system: str) -> Iterator[Wish]:
    """Every GPU, driver, Python and release with that system."""
    for gpus, driver, python, torch in itertools.product(GPUS, DRIVERS, PYTHONS, TORCHES):
        yield Wish(system, "pip", gpus, driver, python, torch)


@functools.cache
def judged(machine: Machine, tag: str, below: str) -> tuple[str, ...]:
    return tuple(objections(WHEELS, machine, tag, below))


@functools.cache
def possible(machine: Machine, torch: str) -> bool:
    """Whether the data have any build for the machine, of this release if one is named."""
    if not torch:
        return some_build_runs(WHEELS, machine)
    sure = [b for b in WHEELS.builds if b.torch == torch and "published" not in b.unchecked]
    return any(fits(machine, build.tag, torch) for build in sure if build.published)


@functools.cache
def fits(machine: Machine, tag: str, torch: str) -> bool:
    """Whether the index has this release for the machine: pip is told to take no newer one."""
    below = TORCHES[TORCHES.index(torch) - 1]
    if not any(b.torch == torch and b.tag == tag and b.published for b in WHEELS.builds):
        return False
    release = next(r for r in WHEELS.releases if r.torch == torch)
    return machine.python in release.python and not judged(machine, tag, below)


def machine_of(wish: Wish, **changed: object) -> Machine:
    values = {"python": wish.python, "driver": wish.driver, "capabilities": wish.gpus} | changed
    return Machine(SYSTEMS[PLATFORMS[wish.system]][0], wsl=wish.system == "wsl", **values)


def fault(wish: Wish, found: Answer) -> str:
    """What is wrong with the answer, if anything."""
    whys = dict(found.why)
    kept = tuple(sorted(set(wish.gpus) - set(whys.get("why_without", {}).get("gpus", ()))))
    if found.install:
        if possible(machine_of(wish), wish.torch) and kept != tuple(sorted(wish.gpus)):
            return "leaves a GPU out though a build runs all"
        shape = (
            r'python -m pip install ("?)torch(?:<(\S+?)|==(\S+?)\.\*)?\1 --index-url \S+/(cu\d+)'
        )
        _, below, exact, tag = re.fullmatch(shape, found.install[0]).groups()
        machine = machine_of(wish, capabilities=kept)
        if exact:
            return "" if fits(machine, tag, exact) else f"{exact} {tag} does not run"
        return "; ".join(judged(machine, tag, below or ""))
    if possible(machine_of(wish), wish.torch):
        return "refuses, though a build runs"
    for need in found.needs:
        changed = replace(wish, gpus=kept, **need)
        if not answer(WHEELS, changed).install:
            return f"{need} would not do"
    if not found.needs and not {"none_build", "none_jetson"} & set(whys):
        return "gives no reason"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("system", ["linux", "wsl", "linux-arm", "windows"])
def test_every_machine_gets_a_command_that_the_data_support_or_a_reason(system: str) -> None:
    count, faults = 0, []
    for wish in machines(system):
        count += 1
        found = answer(WHEELS, wish)
        assert found.why, wish
        if wrong := fault(wish, found):
            faults.append(f"{wish}: {wrong}")
    assert count > 20_000 and not faults, "\n".join(faults[:20])


def test_the_drivers_between_those_tried_change_nothing() -> None:
    """Each branch of drivers has the answers of the number below it that was tried."""
    for branch in WHEELS.branches:
        tried = max((d for d in DRIVERS if d and version(d) <= version(branch.driver)), key=version)
        for gpus in GPUS:
            for system in ("linux", "windows", "linux-arm"):
                wish = Wish(system, "pip", gpus, branch.driver)
                other = Wish(system, "pip", gpus, tried)
                assert answer(WHEELS, wish).install == answer(WHEELS, other).install, wish


def every_form() -> Iterator[Wish]:
    """Every way to install, on every system, with the GPUs, Pythons and releases that matter."""
    gpus = [(), ("6.1",), ("8.9",), ("12.0",), ("8.7",), ("7.0", "12.0"), ("3.5",)]
    gpus += [("amd",), ("intel",)]
    for system in (*PLATFORMS, "mac-intel"):
        for cards, driver, python, torch, form in itertools.product(
            gpus, ("", "535.65", "580.65"), PYTHONS, ("", "2.15", "2.14", "2.10", "2.6"), FORMS
        ):
            yield Wish(system, gpus=cards, driver=driver, python=python, torch=torch, **form)


@pytest.mark.slow
def test_every_form_of_a_command_is_whole() -> None:
    """Names only versions and indexes of the data, and gives what was asked for or why not."""
    versions = {release.latest for release in WHEELS.releases}
    versions |= {companion.torch for companion in WHEELS.companions}
    tags = {build.tag for build in WHEELS.builds if build.published} | {"cpu"}
    others = {f"{c.package}=={c.version}" for c in WHEELS.companions}
    seen = set()
    for wish in every_form():
        found = answer(WHEELS, wish)
        whys = {key for key, _ in found.why}
        text = "\n".join(found.install)
        seen |= whys | {key for key, _ in found.expect}
        assert found.why and bool(found.install) == bool(found.check) == bool(found.expect), wish
        if not found.install:
            assert {"none_now", "none_no_driver"} & whys or any(k.startswith("none_") for k in whys)
            continue
        assert set(re.findall(r"torch==([\d.]+\d)(?!\.\*)(?:\+|\s|$)", text)) <= versions, wish
        assert set(re.findall(r"(?:whl/|\+)(\w+)", text)) <= tags, wish
        assert set(re.findall(r"(?:torchvision|torchaudio)==[\d.]+", text)) <= others, wish
        for package in wish.packages:
            assert package in text or (package == "torchaudio" and "why_no_audio" in whys), wish
        pairs = re.findall(r" torch==(\S+?)(?:\+\w+)? torchvision==(\S+?)(?:\+\w+)? ", text)
        known = {(c.torch, c.version) for c in WHEELS.companions if c.package == "torchvision"}
        assert set(pairs) <= known, wish
        assert bool(re.search("tsinghua|sjtu", text)) == wish.china, wish
        assert text.startswith(
            {"pip": "python -m pip", "uv": "uv pip", "conda": "conda"}[wish.tool]
        )
        local = re.findall(r"\+cu\d+|\+cpu", text)
        assert len(set(local)) <= 1, f"{wish}: builds for several CUDA versions"
    spoken = {k.removeprefix("chooser_") for k in WORDS["en"] if k.startswith("chooser_")}
    written = {key for key in spoken if key.startswith(("why_", "none_", "expect_"))}
    assert seen - {"need"} == written, "words that no answer uses, or answers without words"


@pytest.mark.slow
@pytest.mark.parametrize("system", PLATFORMS)
def test_the_doctor_gives_the_same_command(system: str) -> None:
    doctor = memoized_doctor.load()
    name = PLATFORMS[system]
    for driver, cards, python, packages in itertools.product(
        DRIVERS, CARDS + PAIRS, PYTHONS, ((), ("torchvision", "torchaudio"))
    ):
        if system == "mac":
            continue
        runs = [b.cuda for b in WHEELS.branches if version(b.driver) <= version(driver or "0")]
        said = {"version": driver or None, "cuda": (runs or [None])[0]}
        audio = "torchaudio" in packages
        found = doctor["choose"](name.split()[0], SYSTEMS[name][1], said, cards, python, audio)
        wish = Wish(system, "pip", cards, driver, python, packages=packages)
        mine = answer(WHEELS, wish)
        where = f"{name}, driver {driver}, {cards}, Python {python}"
        assert bool(mine.install) == bool(found["cuda"]), where
        assert mine.needs == ([] if found["cuda"] else found["needs"]), where
        if found["cuda"]:
            found["audio"] = doctor["torchaudio"](found["torch"], found["cuda"], python)
            facts = {
                "command": "python",
                "installer": "pip",
                "managed": False,
                "packages": packages,
                "os": name.split()[0],
                "driver": {"no_libcuda": False},
            }
            assert doctor["change_build"](facts, "torch-missing", found) == mine.install, where


def test_the_doctor_gives_the_same_command_to_a_mac_and_without_a_gpu() -> None:
    doctor = memoized_doctor.load()
    facts = {"command": "python", "installer": "pip", "managed": False, "packages": []}
    found = {"cuda": None, "reason": "mac", "needs": []}
    mac = answer(WHEELS, Wish("mac")).install
    assert doctor["change_build"](facts, "torch-missing", found) == mac
    for system, name in (("linux", "Linux"), ("windows", "Windows")):
        found = {"cuda": None, "reason": "no-driver", "needs": []}
        said = doctor["advice"]({**facts, "os": name}, "torch-missing", found)
        assert [said[0]["cpu"]] == answer(WHEELS, Wish(system)).install


def test_torchaudio_is_named_with_the_version_that_fits_torch() -> None:
    """Without it pip would put torchaudio 2.11 beside torch 2.10."""
    wish = Wish("linux", "pip", ("7.0", "12.0"), "580", packages=("torchaudio",))
    first, second = answer(WHEELS, wish).install
    assert '"torch<2.11"' in first and "torchaudio==2.10.0" in second


def test_what_the_page_carries_is_small_and_has_the_data() -> None:
    found = carried(WHEELS)
    assert [row[0] for row in found["releases"]] == [r.torch for r in WHEELS.releases]
    assert len(found["builds"]) == sum(build.published for build in WHEELS.builds)
    assert len(str(found)) < 8_000
    assert INDEX == "https://download.pytorch.org/whl/"


@pytest.mark.parametrize("torch", TORCHES[1:])
@pytest.mark.parametrize("system", ["linux", "wsl", "windows"])
def test_every_release_that_is_offered_can_be_had(system: str, torch: str) -> None:
    """With a GPU, a driver and a Python of its time."""
    python = WHEELS.releases[TORCHES.index(torch) - 1].python[0]
    wish = Wish(system, "pip", ("8.6",), "580.65", python, torch)
    found = answer(WHEELS, wish)
    assert found.install and f"torch=={torch}.*" in found.install[0], found.why


@pytest.mark.parametrize(
    ("gpu", "said"), [("amd", "none_amd"), ("intel", "none_intel"), ("8.7", "none_jetson")]
)
@pytest.mark.parametrize("tool", ["pip", "uv"])
def test_a_gpu_without_a_cuda_build_is_sent_to_its_page(gpu: str, said: str, tool: str) -> None:
    system = "linux-arm" if gpu == "8.7" else "linux"
    driver = "540.4" if gpu == "8.7" else "580"
    for packages in ((), ("torchvision",)):
        found = answer(WHEELS, Wish(system, tool, (gpu,), driver, packages=packages))
        assert not found.install and [key for key, _ in found.why] == [said]
        assert "](%PAGES%/" in WORDS["en"][f"chooser_{said}"]


@pytest.mark.parametrize("language", HERE.languages)
def test_links_in_the_chooser_s_words_lead_somewhere(language: str) -> None:
    found = 0
    for key, text in WORDS[language].items():
        if not key.startswith("chooser_"):
            continue
        for place, anchor in re.findall(r"\]\(%PAGES%/([^#)]*)/(?:#([^)]*))?\)", text):
            page = HERE.docs / language / f"{place}.md"
            assert page.is_file(), place
            ids = re.findall(r"\{ #([\w-]+)", page.read_text(encoding="utf-8"))
            assert not anchor or anchor in ids, text
            found += 1
    assert found >= 4


# --- the table for readers without JavaScript ----------------------------------------------------


def first_row(system: str, capability: str, driver: str) -> Row | None:
    """What a reader finds who goes down the table."""
    for row in rows(WHEELS):
        able = any(capability in gpu.capabilities for gpu in row.gpus)
        if system in row.systems and able and version(driver) >= version(row.driver(system)):
            return row
    return None


@pytest.mark.parametrize("system", ["linux", "wsl", "windows"])
def test_the_first_row_that_fits_has_the_chooser_s_command(system: str) -> None:
    for gpu in WHEELS.generations:
        for driver in DRIVERS[1:]:
            row = first_row(system, gpu.capabilities[0], driver)
            install = answer(WHEELS, Wish(system, gpus=gpu.capabilities, driver=driver)).install
            assert install[:1] == ([row.command] if row else []), (gpu.name, driver)


@pytest.mark.parametrize("system", ["linux", "wsl", "windows", "mac"])
def test_one_row_is_for_a_machine_without_an_nvidia_gpu(system: str) -> None:
    plain = [row.command for row in rows(WHEELS) if not row.gpus and system in row.systems]
    assert plain == answer(WHEELS, Wish(system)).install


def test_the_table_is_short() -> None:
    assert len(rows(WHEELS)) < 10


def test_generations_in_a_row_are_named_by_the_first_and_the_last() -> None:
    say = Words("en")
    first, second, third, *_ = WHEELS.generations
    for gpus, told in (
        ((first, second, third), "Maxwell (GTX 750 Ti) to Volta (V100)"),
        ((first, third), "Maxwell (GTX 750 Ti), Volta (V100)"),
        ((), "no NVIDIA GPU"),
    ):
        assert gpus_named(Row("", (), gpus), WHEELS, say) == told


@pytest.mark.parametrize("card", load_diagnosis(HERE).cards, ids=lambda card: card.capability)
def test_the_chooser_knows_every_card_that_the_diagnosis_names(card: Card) -> None:
    for name in card.names:
        matching = [s for s in WHEELS.series if re.search(s.names, f"NVIDIA {name}")]
        assert [s.capability for s in matching[:1]] == [card.capability], name
