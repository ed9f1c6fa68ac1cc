"""Dry runs beside what others measured: the file, the record, and how far they are off."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide.dry_run.published import (
    Figure,
    Peak,
    Source,
    compared,
    error,
    load_published,
    median_error,
)
from gpu_guide.dry_run.samples import hash_of
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.render.named_tables import named_tables
from gpu_guide.render.words import Words

ENTRY = """- id: somebody
  source: https://example.org/table
  title: Somebody
  read: 2026-11-28
  script: small
  needs: []
  card: a100
  kind: driver
  context: 1000
  figures:
    - {setting: "batch 8", arguments: "--batch 8", memory: 3000 MiB}
"""


@pytest.fixture
def guide(tmp_path: Path) -> Callable[[str], Project]:
    """A guide with one published figure."""

    def make(data: str = ENTRY) -> Project:
        script = "tests/data/dry_run_published/small.py"
        return begin(tmp_path, files={"data/dry_run_published.yml": data, script: "1\n"})

    return make


def test_at_least_25_figures_are_compared_and_half_are_within_3_percent() -> None:
    pairs = compared(HERE)
    assert len(pairs) >= 25
    assert median_error(pairs) < 0.03


def test_each_script_is_used_and_each_package_has_its_version() -> None:
    used = {figure.by.script for figure in load_published(HERE)}
    assert used == {file.stem for file in HERE.dry_run_scripts.glob("*.py")}
    for figure, peak in compared(HERE):
        assert set(peak.packages) == {"torch", *figure.by.needs}, figure.id
        assert all(peak.packages.values()), figure.id


def test_the_page_counts_the_rows_that_are_near() -> None:
    off = [abs(error(*pair)) for pair in compared(HERE)]
    counted = [len(off), sum(one < 0.01 for one in off), sum(one < 0.03 for one in off)]
    for language, words in (
        ("en", r"Of the (\d+) rows, (\d+) are within 1% and (\d+) within 3%"),
        ("zh", r"(\d+) 行里，(\d+) 行相差不到 1%，(\d+) 行不到 3%"),
    ):
        page = (HERE.docs / language / "memory/dry-run.md").read_text(encoding="utf-8")
        assert [int(one) for one in re.findall(words, page)[0]] == counted, language


def test_each_kind_of_figure_has_its_own_comparison(guide: Callable[[str], Project]) -> None:
    (figure,) = load_published(guide(ENTRY))
    peak = Peak("", {}, "2026-11-28", allocated=1500 * 2**20, reserved=2600 * 2**20)
    assert figure.bytes == 3000 * 2**20
    assert error(figure, peak) == pytest.approx(0.2)
    assert peak.of(replace(figure, kind="reserved")) == 2600 * 2**20
    assert peak.of(replace(figure, kind="allocated")) == 1500 * 2**20


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("3000 MiB", "3000", r":1: memory: '3000' — write it as 19\.73 GB"),
        ("kind: driver", "kind: all", r":1: kind: 'all' — it is one of allocated, reserved"),
        ("script: small", "script: large", r":1: script: no 'large' — name one"),
        ("setting:", "with: 1, setting:", r":1: with: unknown — the keys are setting"),
        ("  figures:\n", "  figures: 3\n  other:\n", r":1: figures: not a list"),
        ("title: Somebody", "titel: Somebody", r":1: unknown key 'titel'"),
    ],
)
def test_a_malformed_file_is_refused(
    guide: Callable[[str], Project], old: str, new: str, says: str
) -> None:
    with pytest.raises(GuideError, match=rf"dry_run_published\.yml{says}"):
        load_published(guide(ENTRY.replace(old, new)))


def test_a_setting_that_was_not_run_is_told_with_the_command(
    guide: Callable[[str], Project],
) -> None:
    project = guide(ENTRY)
    told = re.escape("small --batch 8: not recorded — run `python -m gpu_guide dry-run --published")
    with pytest.raises(GuideError, match=told):
        compared(project)
    _recorded(project, "old")
    with pytest.raises(GuideError, match="its script has changed since"):
        compared(project)
    _recorded(project, hash_of(project.dry_run_scripts / "small.py"))
    assert [figure.setting for figure, _ in compared(project)] == ["batch 8"]


def _recorded(project: Project, code: str) -> None:
    file = project.dry_run_records / "published.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    values = f'"code": "{code}", "packages": {{}}, "date": "", "allocated": 1, "reserved": 1'
    file.write_text(f'{{"small --batch 8": {{{values}}}}}', encoding="utf-8")


def test_the_median_counts_errors_either_way() -> None:
    by = Source("", "", "", date(2026, 11, 28), "s", (), "a100", "allocated")
    said = [Peak("", {}, "", allocated, 0) for allocated in (90, 100, 130)]
    pairs = [(Figure(by, "", "", 100, "allocated"), peak) for peak in said]
    assert median_error(pairs) == pytest.approx(0.1)


def test_each_row_of_the_table_has_as_many_cells_as_there_are_heads() -> None:
    html = str(named_tables(HERE, Words("en"))["dry-run/published"]())
    open_ended = 0
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    for row in rows:
        spans = [int(number) for number in re.findall(r'rowspan="(\d+)"', row)]
        cells = len(re.findall(r"<t[hd][ >]", row))
        assert cells + (1 if open_ended else 0) == 5, row
        open_ended = (spans[0] if spans else max(open_ended, 1)) - 1
    assert len(rows) == len(load_published(HERE)) + 1 and "-0.0 %" not in html
