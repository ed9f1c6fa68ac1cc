"""Dry runs beside what a GPU showed: the records, and what the page says of them."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_environments import GPU
from small_guides import begin

from gpu_guide.dry_run.measured import (
    FOLDER,
    Measured,
    compared,
    load_settings,
    read_measured,
    write_measured,
)
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.render.named_tables import named_tables
from gpu_guide.render.words import Words

COUNTED = {
    "en": (
        r"We ran (\d+) training scripts.*that's (\d+) comparisons\. In allocated memory,"
        r" (\d+) are within 1% and (\d+) within 3%, with a median of (\S+)%\."
        r".* (\d+) are within 5%, again with a median of (\S+)%\."
        r".*from (\d+) to (\d+) MiB, and at least (\d+) MiB in half"
    ),
    "zh": (
        r"我们把 (\d+) 个训练脚本.*一共比了 (\d+) 次。已分配的显存，"
        r"(\d+) 次相差不到 1%，(\d+) 次不到 3%，中位数是 (\S+)%。"
        r".*：(\d+) 次不到 5%，中位数是 (\S+)%。"
        r".*实测从 (\d+) 到 (\d+) MiB 都有，一半的脚本至少 (\d+) MiB"
    ),
}
SCRIPT = "tests/data/dry_run_measured/small.py"
ENTRY = '- {script: small, zh: "batch 8", en: "batch 8", arguments: "--batch 8"}\n'


@pytest.fixture
def guide(tmp_path: Path) -> Callable[..., Project]:
    """A guide with one script, which a GPU has run."""

    def make(data: str = ENTRY, dry: dict[str, object] | None = None) -> Project:
        script = '"""A script."""\n\nx = 1\n'
        files = {"data/dry_run_measured.yml": data, SCRIPT: script}
        project = begin(tmp_path, files=files)
        if data == ENTRY:
            code = load_settings(project)["small --batch 8"].code(project)
            shown = Measured(code, {"torch": "2.11.0"}, 100, 200, 300)
            write_measured(project.records / FOLDER, GPU, {"small --batch 8": shown})
            if dry is not None:
                file = project.dry_run_records / "measured.json"
                file.parent.mkdir(parents=True, exist_ok=True)
                peak = {"code": code, "packages": {}, "date": "", "allocated": 90, "reserved": 210}
                file.write_text(json.dumps({"small --batch 8": peak | dry}), encoding="utf-8")
        return project

    return make


def test_a_dry_run_is_compared_with_what_the_gpu_showed(guide: Callable[..., Project]) -> None:
    (one,) = compared(guide(dry={}))
    assert one.by == GPU and one.setting.name == {"zh": "batch 8", "en": "batch 8"}
    assert [one.allocated, one.reserved] == pytest.approx([-0.1, 0.05])


def test_what_was_not_run_dry_as_it_is_is_told_with_the_command(
    guide: Callable[..., Project],
) -> None:
    told = re.escape("small --batch 8: not run dry as it is — run `python -m gpu_guide dry-run --m")
    for dry in (None, {"code": "old"}):
        with pytest.raises(GuideError, match=told):
            compared(guide(dry=dry))


def test_comments_keep_a_measurement_and_code_does_not(guide: Callable[..., Project]) -> None:
    project = guide(dry={})
    file = project.root / SCRIPT
    file.write_text('"""Another text."""\n\nx = 1  # one\n', encoding="utf-8")
    assert len(compared(project)) == 1
    file.write_text("x = 2\n", encoding="utf-8")
    assert compared(project) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("script: small", "script: large", r":1: script: no 'large' — name one"),
        ("zh:", "with: 1, zh:", r":1: unknown key 'with'"),
    ],
)
def test_a_malformed_file_is_refused(
    guide: Callable[..., Project], old: str, new: str, says: str
) -> None:
    with pytest.raises(GuideError, match=rf"dry_run_measured\.yml{says}"):
        load_settings(guide(ENTRY.replace(old, new)))


def test_every_script_has_been_run_both_ways() -> None:
    own = {one.script for one in load_settings(HERE).values() if one.is_own}
    assert own == {file.stem for file in HERE.dry_run_measured_scripts.glob("*.py")}
    assert {one.setting.id for one in compared(HERE)} == load_settings(HERE).keys()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_counts_what_is_near(language: str) -> None:
    found = compared(HERE)
    allocated = [abs(one.allocated) for one in found]
    reserved = [abs(one.reserved) for one in found]
    own = sum(one.setting.is_own for one in found)
    asked = [one.measured for one in found if one.measured.driver]
    context = [one.driver - one.reserved for one in asked]
    facts = (own, len(found), _near(allocated, 1), _near(allocated, 3), _near(reserved, 5))
    medians = [f"{100 * statistics.median(one):.2f}" for one in (allocated, reserved)]
    of_a_process = (min(context), max(context), statistics.median_low(context))
    mib = [str(one // 2**20) for one in of_a_process]
    page = (HERE.docs / language / "memory/dry-run.md").read_text(encoding="utf-8")
    said = re.search(COUNTED[language], page, re.DOTALL)
    own, all_, one, three, middle, five, of_reserved, *of_context = said.groups()
    assert [own, all_, one, three, five] == [str(fact) for fact in facts]
    assert [middle, of_reserved] == medians and of_context == mib


def test_published_scripts_are_off_by_what_the_page_says() -> None:
    for language, words in (("en", r"within (\S+)% of its dry run"), ("zh", r"都不到 (\S+)%")):
        page = (HERE.docs / language / "memory/dry-run.md").read_text(encoding="utf-8")
        assert re.findall(words, page) == ["0.1"], language
    others = [abs(one.allocated) for one in compared(HERE) if not one.setting.is_own]
    assert len(others) >= 25 and max(others) < 0.001


def _near(errors: list[float], percent: int) -> int:
    return sum(one < percent / 100 for one in errors)


def test_the_table_has_a_row_for_each_script_of_ours() -> None:
    html = str(named_tables(HERE, Words("en"))["dry-run/measured"]())
    own = [one for one in compared(HERE) if one.setting.is_own]
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)[1:]
    for one, row in zip(own, rows, strict=True):
        sizes = [float(size) for size in re.findall(r"(\d+\.\d+) GiB", row)]
        shown = [one.measured.allocated / 2**30, one.measured.reserved / 2**30]
        assert sizes == pytest.approx(shown, abs=0.0051), one.setting.id
        errors = re.findall(r"([+-]\d+\.\d) %", row)
        assert [float(error) for error in errors] == pytest.approx(
            [100 * one.allocated, 100 * one.reserved], abs=0.051
        )
    assert "-0.0 %" not in html


def test_a_record_of_something_else_is_refused(guide: Callable[..., Project]) -> None:
    project = guide(dry={})
    path = project.records / FOLDER / f"{GPU.id}.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"driver": 300', '"drive": 300'))
    with pytest.raises(GuideError, match="peaks"):
        read_measured(path)
