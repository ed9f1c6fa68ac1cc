"""The ring in the page: the steps of the model, and the bytes of a ring that adds numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from urllib.parse import parse_qs, urlsplit

import pytest
from browser import PHONE, WINDOW, faults_on_a_phone, location, resize
from playwright.sync_api import Page, expect
from ring_model import shares

from gpu_guide.pictures.ring import all_reduce
from gpu_guide.project import HERE

PATH = "multi-gpu/collectives/"
RANKS = range(2, 9)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_table_on_the_page_is_that_of_a_ring_played(language: str) -> None:
    text = (HERE.root / "docs" / language / f"{PATH.strip('/')}.md").read_text(encoding="utf-8")
    box = text.partition('<div class="ring-steps" markdown>')[2].partition("</div>")[0]
    rows = re.findall(r"^\| (\d) \| (\d+) \| ([\d/]+) \| ([\d.]+) \|$", box, re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(RANKS)
    for ranks, steps, one, whole in rows:
        sent = shares(int(ranks))["allreduce"]
        assert float(whole) == pytest.approx(sent, abs=0.006)
        assert int(steps) * Fraction(one) == pytest.approx(sent)


@pytest.mark.browser
def test_every_step_is_that_of_the_model(opened: Page) -> None:
    for ranks in RANKS:
        seen = opened.evaluate("n => document.querySelector('.ring-steps').steps(n)", ranks)
        wanted = [
            {
                "phase": step.phase,
                "held": [[sorted(who) for who in parts] for parts in step.held],
                "arrived": sorted(map(list, step.arrived)),
            }
            for step in all_reduce(ranks)
        ]
        assert [one | {"arrived": sorted(one["arrived"])} for one in seen] == wanted


@pytest.mark.browser
def test_what_is_sent_is_what_a_ring_played_sends(opened: Page) -> None:
    said = opened.locator(".ring-steps__said")
    step = opened.locator(".ring-steps [name=step]")
    for ranks in RANKS:
        opened.locator(".ring-steps [name=ranks]").select_option(str(ranks))
        step.press("End")
        assert float(said.get_attribute("data-sent")) == pytest.approx(shares(ranks)["allreduce"])
        expect(opened.locator(".ring-steps td.ring-steps__whole")).to_have_count(ranks**2)
        expect(opened.get_by_role("button", name=re.compile("Next|下一步"))).to_be_disabled()


@pytest.mark.browser
def test_it_is_walked_by_keyboard_and_kept_in_the_address(opened: Page) -> None:
    said = opened.locator(".ring-steps__said")
    back, onward = opened.locator(".ring-steps button").all()
    expect(back).to_be_disabled()
    opened.locator(".ring-steps [name=ranks]").select_option("3")
    opened.locator(".ring-steps [name=size]").fill("300")
    for _ in range(3):
        onward.press("Enter")
    back.press("Enter")
    expect(said).to_contain_text("reduce-scatter")
    expect(said).to_contain_text("100 MiB")
    expect(said).to_contain_text("200 MiB")
    asked = parse_qs(urlsplit(location(opened)).query)
    assert asked == {"ranks": ["3"], "size": ["300"], "step": ["2"]}
    opened.goto(location(opened))
    expect(said).to_contain_text("200 MiB")
    cells = opened.locator(".ring-steps__held tbody tr").evaluate_all(
        "all => all.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )
    held = all_reduce(3)[2].held
    for part, row in enumerate(cells):
        for rank, text in enumerate(row):
            who = held[rank][part]
            assert text in ("sum", "总和") if len(who) == 3 else text == "+".join(map(str, who))


@pytest.mark.browser
def test_it_fits_a_phone_and_can_be_read_by_everyone(opened: Page) -> None:
    opened.locator(".ring-steps [name=ranks]").select_option("8")
    for _ in range(6):
        opened.locator(".ring-steps button").last.press("Enter")
    assert faults_on_a_phone(opened, ".ring-steps") == []
    resize(opened, PHONE)
    wide = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
    assert opened.locator(".ring-steps__held td").evaluate_all(wide) == 0
    resize(opened, WINDOW)


@pytest.mark.browser
def test_without_javascript_there_is_the_table(plain: Page, address: str) -> None:
    plain.goto(f"{address}en/{PATH}")
    expect(plain.locator(".ring-steps table")).to_be_visible()
