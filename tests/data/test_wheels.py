"""The wheels: what the project's data say, how they are judged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from malformed_data import TEXTS
from small_guides import begin

from gpu_guide.data.wheel_choice import Machine, objections
from gpu_guide.data.wheels import Wheels, load_wheels, runs
from gpu_guide.pages.chinese import check_yaml
from gpu_guide.project import HERE, Project
from gpu_guide.render.wheel_tables import TABLES
from gpu_guide.render.words import Words


@pytest.fixture(scope="module")
def wheels() -> Wheels:
    return load_wheels(HERE)


def shown(table: str, wheels: Wheels, language: str = "en") -> str:
    say = Words(language)
    return TABLES[table](wheels, say).html(say)


def guide(folder: Path, text: str) -> Project:
    return begin(folder, files={"data/wheels.yml": text})


# --- the project's data --------------------------------------------------------------------------


def test_every_release_from_2_6_on_is_there(wheels: Wheels) -> None:
    names = [release.torch for release in wheels.releases]
    assert names[-1] == "2.6" and "2.15" in names
    minors = [int(name.removeprefix("2.")) for name in names]
    assert minors == list(range(minors[0], 5, -1)), "the newest first, none left out"


def test_plain_pip_gives_what_was_read_from_the_index(wheels: Wheels) -> None:
    linux = {release.torch: release.linux_x86_64 for release in wheels.releases}
    assert {linux[f"2.{minor}"] for minor in (8, 9, 10)} == {"12.8"}
    assert {linux[f"2.{minor}"] for minor in (11, 12, 13, 14)} == {"13.0"}
    assert linux["2.15"] == "13.2"
    assert {release.windows for release in wheels.releases} == {"cpu"}
    arm = {release.torch: release.linux_aarch64 for release in wheels.releases}
    assert arm["2.10"] == "cpu" and arm["2.11"] == "13.0"


def test_the_architectures_of_the_newest_default_build(wheels: Wheels) -> None:
    (build,) = (b for b in wheels.builds if (b.torch, b.cuda) == ("2.15", "13.2"))
    assert build.x86_64 == ("7.5", "8.0", "8.6", "9.0", "10.0", "12.0")
    assert build.index == "https://download.pytorch.org/whl/cu132"
    assert wheels.driver(build).linux == "580"


def test_only_cuda_12_and_older_have_gpus_before_turing(wheels: Wheels) -> None:
    for build in wheels.builds:
        if build.cuda.startswith("13"):
            assert not any(runs(build.x86_64, old) for old in ("5.0", "6.1", "7.0")), build
    newest = next(b.torch for b in wheels.builds if b.published and runs(b.x86_64, "6.1"))
    assert newest == "2.14"


def test_a_build_that_only_the_nightly_index_has_is_not_published(wheels: Wheels) -> None:
    (build,) = (b for b in wheels.builds if (b.torch, b.cuda) == ("2.15", "13.4"))
    assert build.nightly and not build.published
    for table in ("wheels/compatibility", "wheels/generations", "wheels/arm"):
        assert "cu134" not in shown(table, wheels)
    assert "<code>cu134</code> (nightly only)" in shown("wheels/releases", wheels)


def test_a_mac_s_wheel_is_not_called_cpu_only(wheels: Wheels) -> None:
    assert {release.macos for release in wheels.releases} == {"mps"}
    assert "CPU and MPS" in shown("wheels/pip", wheels)
    assert "CPU 和 MPS" in shown("wheels/pip", wheels, "zh")


@pytest.mark.parametrize("tag", ["cu128", "cu129"])
def test_a_driver_older_than_the_card_is_not_offered_for_it(wheels: Wheels, tag: str) -> None:
    """CUDA 12 builds run from R525 on, but no driver before R570 knows Blackwell."""
    rows = re.findall(r"<tr>.*?</tr>", shown("wheels/compatibility", wheels))
    found = [row for row in rows if f">{tag}<" in row and "Blackwell" in row]
    assert found and all("≥ 525 (Blackwell ≥ 570)" in row for row in found)


@pytest.mark.parametrize(
    ("cuda", "system", "capability", "expected"),
    [
        ("13.0", "linux_aarch64", "8.7", False),
        ("13.2", "linux_aarch64", "8.7", True),
        ("13.0", "linux_aarch64", "11.0", True),
        ("13.0", "linux_x86_64", "8.9", True),
    ],
)
def test_a_jetson_runs_other_code_from_cuda_13_2_on(
    wheels: Wheels, cuda: str, system: str, capability: str, expected: bool
) -> None:
    (build,) = (b for b in wheels.builds if (b.torch, b.cuda) == ("2.15", cuda))
    assert wheels.covers(build, capability, system) is expected


@pytest.mark.parametrize(
    ("machine", "tag", "below", "reason"),
    [
        (Machine("linux_x86_64", "3.12", "570.86", ("12.0",)), "cu128", "", ""),
        (Machine("linux_x86_64", "3.12", "570.86", ("12.0",)), "cu130", "", "needs driver 580"),
        (Machine("linux_x86_64", "3.12", "565.57", ("12.0",)), "cu128", "", "needs driver 570"),
        (Machine("linux_x86_64", "3.12", "580.95", ("6.1",)), "cu130", "", "no code for 6.1"),
        (Machine("linux_x86_64", "3.12", "580.95", ("7.0",)), "cu128", "", "no code for 7.0"),
        (Machine("linux_x86_64", "3.12", "580.95", ("7.0",)), "cu128", "2.11", ""),
        (Machine("linux_x86_64", "3.15", "580.95", ("6.1",)), "cu126", "", "no torch for Python"),
        (Machine("windows", "3.12", "527.0", ("8.6",)), "cu126", "", "needs driver 528.33"),
        (Machine("linux_x86_64", "3.12", "527.0", ("8.6",)), "cu126", "", ""),
        (Machine("linux_x86_64", "3.12", "527.0", ("8.6",), True), "cu126", "", "528.33"),
        (Machine("macos", "3.12", "580.95", ("8.6",)), "cu130", "", "not for macos"),
        (Machine("linux_x86_64", "3.12", "", ("8.6",)), "cu130", "", "no driver"),
    ],
)
def test_what_the_data_say_against_a_command(
    wheels: Wheels, machine: Machine, tag: str, below: str, reason: str
) -> None:
    found = objections(wheels, machine, tag, below)
    assert bool(found) == bool(reason)
    assert reason in " ".join(found)


def test_the_chinese_of_the_data_is_set_well() -> None:
    assert not check_yaml(HERE.wheels.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("archs", "capability", "expected"),
    [
        (("8.0", "8.6"), "8.6", True),
        (("8.0", "8.6"), "8.9", True),
        (("8.6",), "8.0", False),
        (("8.0", "9.0"), "10.0", False),
        (("12.0",), "12.1", True),
        (("9.0+PTX",), "12.0", True),
        (("12.0+PTX",), "9.0", False),
        ((), "9.0", False),
    ],
)
def test_code_runs_on_its_major_version_and_ptx_on_anything_newer(
    archs: tuple[str, ...], capability: str, expected: bool
) -> None:
    assert runs(archs, capability) is expected


def test_windows_builds_have_no_ptx() -> None:
    assert not runs(("9.0+PTX",), "12.0", ptx=False)


PREVIOUS = {
    "2.6": {"11.8", "12.4", "12.6"},
    "2.7": {"11.8", "12.6", "12.8"},
    "2.8": {"12.6", "12.8", "12.9"},
    "2.9": {"12.6", "12.8", "13.0"},
}
"""The CUDA builds that https://pytorch.org/get-started/previous-versions has commands for."""


@pytest.mark.parametrize("torch", PREVIOUS)
def test_an_older_release_has_the_builds_that_pytorch_s_own_page_names(
    wheels: Wheels, torch: str
) -> None:
    builds = [b for b in wheels.builds if b.torch == torch and b.published]
    assert {build.cuda for build in builds} == PREVIOUS[torch]
    assert all(build.x86_64 for build in builds), "without them nobody is offered the build"


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("P106-100", "6.1"),
        ("NVIDIA P104-101", "6.1"),
        ("NVIDIA P102-100", "6.1"),
        ("NVIDIA CMP 30HX", "7.5"),
        ("NVIDIA CMP 40HX", "7.5"),
        ("NVIDIA CMP 50HX", "7.5"),
        ("NVIDIA CMP 70HX", "8.6"),
        ("NVIDIA CMP 90HX", "8.6"),
        ("NVIDIA CMP 170HX", "8.0"),
        ("NVIDIA CMP 100-210", "7.0"),
        ("Tesla P100-PCIE-16GB", "6.0"),
        ("Tesla V100-SXM2-32GB", "7.0"),
    ],
)
def test_cards_that_were_made_for_mining_are_known_by_name(
    wheels: Wheels, name: str, capability: str
) -> None:
    found = [series.capability for series in wheels.series if re.search(series.names, name)]
    assert found == [capability]


# --- malformed files -----------------------------------------------------------------------------


def test_a_small_file_is_read(tmp_path: Path) -> None:
    wheels = load_wheels(guide(tmp_path, TEXTS["wheels"]))
    assert wheels.builds[0].aarch64 == () and wheels.builds[0].unchecked == ("aarch64",)
    assert wheels.releases[0].read.isoformat() == "2026-11-21"
