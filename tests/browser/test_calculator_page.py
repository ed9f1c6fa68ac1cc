"""The calculator of multi-gpu/ in a browser: the numbers of a ring that is played step by step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import ring_model
from browser import (
    Watch,
    faults_on_a_phone,
    location,
)
from built_site import built_site
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

FIRST = {
    "parameters": 1,
    "blocks": 24,
    "hidden": 2048,
    "tokens": 16384,
    "microbatches": 1,
    "bandwidth": 25,
    "gpus": 8,
    "gradient": 4,
    "weight": 2,
    "reduced": 4,
    "group": 8,
    "activation": 2,
    "one": 200,
    "two": 320,
}
CASES = [
    {},
    {"gpus": 2, "group": 2, "parameters": 0.35, "gradient": 2, "reduced": 2},
    {"gpus": 64, "group": 4, "blocks": 32, "hidden": 4096, "tokens": 8192, "microbatches": 8},
    {"parameters": 70, "bandwidth": 0.5, "weight": 4, "activation": 4, "one": 5, "two": 5},
]
SET = """values => {
  for (const [name, value] of Object.entries(values)) {
    const field = document.querySelector(`.calculator [name=${name}]`);
    field.value = value;
    field.dispatchEvent(new Event('input', {bubbles: true}));
  }
}"""
READ = """() => ({
  inputs: Object.fromEntries([...document.querySelectorAll('.calculator input')]
    .map(field => [field.name, +field.value])),
  bytes: [...document.querySelectorAll('.calculator [data-bytes]')].map(e => +e.dataset.bytes),
  rows: [...document.querySelectorAll('.calculator tbody tr')]
    .map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent)),
  throughput: +document.querySelector('.calculator p').dataset.throughput,
  said: document.querySelector('.calculator p').textContent,
})"""
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "ms": 1e-3, "s": 1}


@pytest.fixture(params=["zh", "en"])
def page(tab: tuple[Page, Watch, str], request: pytest.FixtureRequest) -> Iterator[Page]:
    page, watch, address = tab
    page.goto(f"{address}{request.param}/multi-gpu/costs/")
    yield page
    assert watch.take() == []


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_numbers_are_those_of_the_ring(page: Page, case: dict[str, float]) -> None:
    assert page.evaluate(READ)["inputs"] == FIRST
    page.evaluate(SET, case)
    seen = page.evaluate(READ)
    v = FIRST | case
    parameters, parts = v["parameters"] * 1e9, v["microbatches"]
    expected = [
        ring_model.ddp(v["gpus"], parameters, v["gradient"]),
        ring_model.fsdp(v["gpus"], parameters, v["weight"], v["reduced"], parts),
        parts
        * ring_model.split(v["group"], v["blocks"], v["tokens"], v["hidden"], v["activation"]),
    ]
    assert seen["bytes"] == pytest.approx(expected)
    for row, size in zip(seen["rows"], expected, strict=True):
        shown = [float(number) * UNITS[unit] for number, unit in map(str.split, row)]
        wanted = [size, size / v["tokens"] / parts, size / v["bandwidth"] / 1e9]
        assert shown == pytest.approx(wanted, rel=0.01)
    step = ring_model.step_time(v["gpus"], v["one"], v["two"])
    assert seen["throughput"] == pytest.approx(v["gpus"] * v["one"] / step)
    gpus, time, times, share = re.findall(r"\d+(?:\.\d+)?(?: ms| s)?", seen["said"])[:4]
    seconds, unit = time.split()
    assert int(gpus) == v["gpus"] and float(seconds) * UNITS[unit] == pytest.approx(
        step / 1e3, rel=0.01
    )
    assert float(times.split()[0]) == pytest.approx(seen["throughput"], rel=0.01)
    assert float(share) == pytest.approx(100 * v["one"] / step, rel=0.01)


@pytest.mark.parametrize(
    "wrong", [{"gpus": 1}, {"gpus": 2.5}, {"group": 9}, {"tokens": ""}, {"two": 199}], ids=str
)
def test_a_wrong_entry_shows_no_number(page: Page, wrong: dict[str, Any]) -> None:
    page.evaluate(SET, wrong)
    seen = page.evaluate(READ)
    assert {cell for row in seen["rows"] for cell in row} == {"–"}
    assert not re.search(r"\d", seen["said"])


def test_it_fits_a_phone_and_can_be_read_by_everyone(page: Page) -> None:
    assert faults_on_a_phone(page, ".calculator") == []


def test_its_state_is_in_the_address(page: Page, tab: tuple[Page, Watch, str]) -> None:
    """What is filled in can be linked to, and what a link has wrong is left out."""
    own = {"parameters": 7, "gpus": 16, "two": 250.5}
    page.evaluate(SET, own)
    seen, link = page.evaluate(READ), location(page)
    assert dict(re.findall(r"(\w+)=([\d.]+)", link)) == {k: str(v) for k, v in own.items()}
    page.goto("about:blank")
    page.goto(link)
    assert page.evaluate(READ) == seen
    page.evaluate(SET, {name: FIRST[name] for name in own})
    assert "?" not in location(page)
    page.goto(link.replace("gpus=16", "gpus=1&group=x&__proto__=1&tokens=<b>"))
    assert page.evaluate(READ)["inputs"] == FIRST | own | {"gpus": FIRST["gpus"]}


def test_from_a_file_and_by_keyboard(tab: tuple[Page, Watch, str]) -> None:
    """Without a server, and with Tab and arrows alone."""
    page, _, _ = tab
    plain = page.context.browser.new_page()
    plain.goto((built_site() / "en/multi-gpu/costs/index.html").as_uri())
    before = plain.evaluate(READ)
    plain.locator(".calculator input").first.focus()
    for _ in range(6):
        plain.keyboard.press("Tab")
    assert plain.evaluate("document.activeElement.name") == "gpus"
    plain.keyboard.press("ArrowUp")
    after = plain.evaluate(READ)
    assert after["inputs"] == before["inputs"] | {"gpus": 9}
    assert after["bytes"][0] > before["bytes"][0]
    plain.close()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_without_javascript_there_is_a_table(
    tab: tuple[Page, Watch, str], plain: Page, language: str
) -> None:
    """With the numbers that the calculator shows at first."""
    page, _, address = tab
    page.goto(f"{address}{language}/multi-gpu/costs/")
    wanted = page.evaluate(READ)["rows"]
    plain.goto(f"{address}{language}/multi-gpu/costs/")
    rows = plain.locator(".calculator tbody tr").all()
    assert [row.locator("td").all_inner_texts() for row in rows] == wanted
    assert all(row.locator("th").inner_text() for row in rows)
