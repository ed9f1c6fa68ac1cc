"""The box that reads CUDA_VISIBLE_DEVICES: it reads what the model reads, and shows it."""

from __future__ import annotations

import random
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browser import computed, faults_on_a_phone, location
from playwright.sync_api import Page, expect
from visible_values import UUIDS, machine, random_value

from gpu_guide.pictures.visible_devices import read
from gpu_guide.project import HERE

PATH = "current-device/visible-devices/"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_table_on_the_page_is_that_of_the_model(language: str) -> None:
    text = (HERE.root / "docs" / language / f"{PATH.strip('/')}.md").read_text(encoding="utf-8")
    box = text.partition('<div class="visible" markdown>')[2].partition("</div>")[0]
    rows = re.findall(r"^\| ([^|]+) \| (\d) \| ([^|]+) \|$", box, re.MULTILINE)
    assert len(rows) == 9
    for value, count, cards in rows:
        reading = read(value.strip("`") if value.startswith("`") else None, UUIDS[:4])
        names = ", ".join(f"GPU {card}" for card in reading.seen) or "–"
        assert (count, cards) == (str(reading.count), names)


@pytest.mark.browser
def test_random_values_are_read_as_in_python(opened: Page) -> None:
    assert opened.evaluate("() => document.querySelector('.visible').uuids") == UUIDS
    rng = random.Random(11)
    cases = [(random_value(rng, uuids), uuids) for uuids in (machine(rng) for _ in range(3000))]
    seen = computed(
        opened,
        """cases => cases.map(([value, uuids]) => {
          const { count, entries } = document.querySelector('.visible').read(value, uuids);
          return [count, entries.map(one => [one.text, one.fate, one.card ?? null])];
        })""",
        cases,
    )
    for (value, uuids), shown in zip(cases, seen, strict=True):
        reading = read(value, uuids)
        entries = [[entry.text, entry.fate, entry.card] for entry in reading.entries]
        assert shown == [reading.count, entries], (value, uuids)


@pytest.mark.browser
def test_it_is_filled_in_by_keyboard_and_kept_in_the_address(opened: Page) -> None:
    said = opened.locator(".visible__said")
    field = opened.locator(".visible [name=visible]")
    expect(said).to_contain_text("2")
    field.fill("3,1,9")
    expect(said).to_contain_text("cuda:1")
    expect(opened.locator(".visible__entries tbody tr")).to_have_count(3)
    names = opened.locator(".visible__cards span")
    assert names.all_text_contents()[1::2] == ["cuda:1", "cuda:0"]
    opened.locator(".visible [name=count]").select_option("2")
    expect(opened.locator(".visible__cards li")).to_have_count(2)
    expect(said).to_contain_text(" 0")
    asked = parse_qs(urlsplit(location(opened)).query)
    assert asked == {"visible": ["3,1,9"], "count": ["2"]}
    opened.goto(location(opened))
    expect(field).to_have_value("3,1,9")
    opened.locator(".visible__tries button").nth(3).press("Enter")
    expect(field).to_have_value("1,1")
    opened.locator(".visible [name=set]").press("Space")
    expect(field).to_be_disabled()
    expect(names).to_have_text(["cuda:0", "cuda:1"])
    expect(opened.locator(".visible__entries")).to_be_hidden()


@pytest.mark.browser
def test_it_fits_a_phone_and_can_be_read_by_everyone(opened: Page) -> None:
    opened.locator(".visible [name=visible]").fill("0," + UUIDS[1])
    opened.locator(".visible summary").first.press("Enter")
    assert faults_on_a_phone(opened, ".visible") == []


@pytest.mark.browser
def test_without_javascript_there_is_the_table(plain: Page, address: str) -> None:
    plain.goto(f"{address}en/{PATH}")
    expect(plain.locator(".visible table")).to_be_visible()
