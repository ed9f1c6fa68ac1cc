"""The ring in the page: the steps of the model, and the bytes of a ring that adds numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from urllib.parse import parse_qs, urlsplit

import pytest
from browser import (
    Watch,
    axe,
    launched,
    load_axe,
    resize,
    served,
    too_wide,
    uncolour_code,
    use_scheme,
)
from built_site import SITE_URL, built_site
from playwright.sync_api import Page, expect
from ring import shares

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


@pytest.fixture(scope="module")
def tab() -> Iterator[tuple[Page, Watch, str]]:
    with launched() as browser, served(built_site(), SITE_URL) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        page.set_default_timeout(10_000)
        yield page, Watch(page, address), address


@pytest.fixture(params=["zh", "en"])
def opened(tab: tuple[Page, Watch, str], request: pytest.FixtureRequest) -> Iterator[Page]:
    page, watch, address = tab
    page.goto(f"{address}{request.param}/{PATH}")
    yield page
    assert watch.take() == []


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
    asked = parse_qs(urlsplit(opened.url).query)
    assert asked == {"ranks": ["3"], "size": ["300"], "step": ["2"]}
    opened.goto(opened.url)
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
    uncolour_code(opened)
    load_axe(opened)
    resize(opened, {"width": 360, "height": 740})
    opened.locator(".ring-steps [name=ranks]").select_option("8")
    for _ in range(6):
        opened.locator(".ring-steps button").last.press("Enter")
    for scheme in ("default", "slate"):
        use_scheme(opened, scheme)
        assert [*axe(opened), *too_wide(opened)] == []
    wide = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
    assert opened.locator(".ring-steps__held td").evaluate_all(wide) == 0
    resize(opened, {"width": 1280, "height": 800})


@pytest.mark.browser
def test_without_javascript_there_is_the_table(tab: tuple[Page, Watch, str]) -> None:
    page, _, address = tab
    assert page.context.browser
    context = page.context.browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{address}en/{PATH}")
    expect(plain.locator(".ring-steps table")).to_be_visible()
    context.close()
