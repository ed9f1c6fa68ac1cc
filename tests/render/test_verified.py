"""The page that says where each snippet has run, held against the snippets and the records."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browser import faults_on_a_phone
from fake_environments import GPU
from playwright.sync_api import Locator, Page, expect
from rendering import rendered
from small_guides import begin

from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.records.store import Entry, Record, load_records, write
from gpu_guide.render.verified_table import VerifiedTable
from gpu_guide.render.words import Words
from gpu_guide.snippets.model import load_snippets

PATH = "reference/verified/"
SNIPPETS = load_snippets(HERE)


def convert(text: str) -> str:
    return rendered(text, "en", "attr_list", "md_in_html", "tables")


def test_each_snippet_has_one_row_and_says_what_the_records_say() -> None:
    page = (HERE.docs / "en/reference/verified.md").read_text("utf-8")
    html = convert(page.partition("{ #verified }")[2].partition("## ")[2])
    rows = {}
    for row in re.findall(r"<tr>\n<td>.*?</tr>", html, re.DOTALL):
        name, *cells = re.findall(r"<td>(.*?)</td>", row)
        rows[re.sub("<.*?>", "", name)] = cells
    assert list(rows) == list(SNIPPETS)
    heads = re.findall(r"<th>(.*?)</th>", html)[1 : len(next(iter(rows.values()))) + 1]
    for record in load_records(HERE):
        if record.environment.stand_in:
            column = heads.index(f"stand-in {record.environment.torch[:4]}")
            passed = {name for name, cells in rows.items() if cells[column] == "passed"}
            assert passed == {name for name in SNIPPETS if record.fresh(SNIPPETS[name])}
    for name, snippet in SNIPPETS.items():
        assert (rows[name][0] == "passed") is (snippet.needs.kind != "cuda")
    hardware = [one for one in load_records(HERE) if one.environment.has_gpu]
    if all(one.environment.stand_in for one in hardware):
        assert {cells[-1] for cells in rows.values()} == {"not run"}


def test_a_topic_without_snippets_is_told() -> None:
    with pytest.raises(GuideError, match=r"no snippets of 'memori'.*did you mean 'memory'"):
        convert("```verified\nmemori\n```\n")


BAR = re.compile(r'<tr>\n<td>(.*?)</td>\n<td>(.*?)</td>\n<td><progress value="(\d+)" max="(\d+)">')


def bars(html: str) -> dict[str, tuple[str, int, int]]:
    """By place what is said, how many have passed, and how many are meant to run there."""
    return {
        re.sub("<.*?>", "", place): (said, int(passed), int(meant))
        for place, said, passed, meant in BAR.findall(html)
    }


def test_the_bars_say_how_many_have_passed_where() -> None:
    found = bars(convert("```verified\neverything\n```\n"))
    on_cpu = [one for one in SNIPPETS.values() if one.needs.kind != "cuda"]
    assert found["CPU"] == (f"{len(on_cpu)} of {len(on_cpu)}", len(on_cpu), len(on_cpu))
    for record in load_records(HERE):
        if record.environment.stand_in:
            passed = sum(record.fresh(one) is not None for one in SNIPPETS.values())
            meant = sum(one.needs.kind == "cuda" for one in SNIPPETS.values())
            place = f"stand-in {record.environment.torch[:4]}"
            assert found[place][1:] == (passed, meant)
    hardware = [one for one in load_records(HERE) if not one.environment.stand_in]
    hardware = [one for one in hardware if one.environment.has_gpu]
    ran = {name for one in hardware for name in SNIPPETS if one.fresh(SNIPPETS[name])}
    assert found["GPU"][1:] == (len(ran), len(SNIPPETS))
    sentence = convert("```verified\nsentence\n```\n")
    assert [int(one) for one in re.findall(r"\d+", sentence)] == [
        len(SNIPPETS),
        len(ran),
        len(on_cpu),
    ]


def test_a_record_of_a_gpu_makes_its_bar_longer_and_old_code_is_told(tmp_path) -> None:
    files = {
        f"snippets/t/{name}.py": f'"""Title.\n\n标题。\n"""\n# needs: cuda\n\nprint("{name}")\n'
        f"#> {name}\n"
        for name in "abc"
    }
    guide = begin(tmp_path, files=files)
    snippets = load_snippets(guide)
    entries = {"t/a": Entry(snippets["t/a"].sha256, (), 0.1), "t/b": Entry("0" * 64, (), 0.1)}
    write(Record(GPU, entries), guide.records)
    text = VerifiedTable(guide, Words("en"))("everything")
    assert '| GPU | 1 of 3, 1 stale | <progress value="1" max="3"></progress> |' in text
    assert "| CPU | 0 of 0 |" in text


ROWS = "article table tbody tr:not(.coverage tr)"


@pytest.mark.browser
def test_the_filter_leaves_what_has_not_passed_and_the_address_says_so(opened: Page) -> None:
    rows, headings = opened.locator(ROWS), opened.locator("article h2")
    told, select = opened.locator(".verified-filter output"), opened.get_by_role("combobox")
    assert rows.count() == len(SNIPPETS)
    expect(told).to_contain_text(str(len(SNIPPETS)))
    for option in select.locator("option").all()[1:]:
        place = option.get_attribute("value")
        assert place
        select.select_option(place)
        assert parse_qs(urlsplit(opened.url).query) == {"not-passed": [place]}
        shown = [row for row in rows.all() if row.is_visible()]
        expect(told).to_contain_text(str(len(shown)))
        assert 0 < len(shown) <= len(SNIPPETS)
        assert all(heading.is_visible() is _has_rows(heading) for heading in headings.all())
    opened.reload()
    assert select.input_value() == place
    assert len([row for row in rows.all() if row.is_visible()]) == len(shown)
    select.select_option("")
    assert rows.count() == len([row for row in rows.all() if row.is_visible()])
    assert "not-passed" not in opened.url


def _has_rows(heading: Locator) -> bool:
    """Whether the table below a heading shows any row."""
    found = heading.evaluate(
        """heading => {
          let below = heading.nextElementSibling;
          while (!below.matches("table, :has(table)")) below = below.nextElementSibling;
          return [...below.querySelectorAll("tbody tr")].some(row => !row.hidden);
        }"""
    )
    return bool(found)


@pytest.mark.browser
def test_without_the_script_the_tables_are_whole(plain: Page, address: str) -> None:
    plain.goto(f"{address}en/reference/verified/")
    assert plain.locator(ROWS).count() == len(SNIPPETS)
    assert all(row.is_visible() for row in plain.locator(ROWS).all()[:40])


@pytest.mark.browser
def test_it_fits_a_phone(opened: Page) -> None:
    for part in (".coverage", ".verified-filter"):
        assert faults_on_a_phone(opened, part) == []
