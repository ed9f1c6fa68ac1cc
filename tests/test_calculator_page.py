"""The calculator of multi-gpu/ in a browser: the same numbers as the snippets with the formulas."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from collections.abc import Iterator
from typing import Any

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
from playwright.sync_api import Page

from gpu_guide.snippets import SNIPPETS

pytestmark = pytest.mark.browser

FIRST = {
    "gpus": 8,
    "parameters": 1,
    "itemsize": 4,
    "blocks": 24,
    "hidden": 2048,
    "tokens": 16384,
    "bandwidth": 25,
    "serial": 5,
}
CASES = [
    {},
    {"gpus": 2, "parameters": 0.35, "itemsize": 2},
    {"gpus": 64, "blocks": 32, "hidden": 4096, "tokens": 8192, "serial": 20},
    {"parameters": 70, "bandwidth": 0.5, "serial": 0},
]
SET = """values => {
  for (const [name, value] of Object.entries(values)) {
    const field = document.querySelector(`.calculator [name=${name}]`);
    field.value = value;
    field.dispatchEvent(new Event('input', {bubbles: true}));
  }
}"""
READ = """() => ({
  bytes: [...document.querySelectorAll('.calculator [data-bytes]')].map(e => +e.dataset.bytes),
  cells: [...document.querySelectorAll('.calculator td')].map(e => e.textContent),
  speedup: +document.querySelector('.calculator p').dataset.speedup,
  said: document.querySelector('.calculator p').textContent,
})"""


@pytest.fixture(scope="module")
def tab() -> Iterator[tuple[Page, Watch, str]]:
    with launched() as browser, served(built_site(), SITE_URL) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        page.set_default_timeout(10_000)
        yield page, Watch(page, address), address


@pytest.fixture(params=["zh", "en"])
def page(tab: tuple[Page, Watch, str], request: pytest.FixtureRequest) -> Iterator[Page]:
    page, watch, address = tab
    page.goto(f"{address}{request.param}/multi-gpu/")
    yield page
    assert watch.take() == []


def snippet(name: str) -> dict[str, Any]:
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(SNIPPETS / "multi_gpu" / f"{name}.py"))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_numbers_are_those_of_the_snippets(page: Page, case: dict[str, float]) -> None:
    page.evaluate(SET, case)
    seen = page.evaluate(READ)
    v = FIRST | case
    volume = snippet("communication_volume")
    parameters = v["parameters"] * 1e9
    expected = [
        volume["ddp"](v["gpus"], parameters, v["itemsize"]),
        volume["fsdp"](v["gpus"], parameters, v["itemsize"]),
        volume["tensor_parallel"](v["gpus"], v["blocks"], v["tokens"], v["hidden"], v["itemsize"]),
    ]
    assert seen["bytes"] == pytest.approx(expected)
    share = v["serial"] / 100
    assert seen["speedup"] == pytest.approx(snippet("amdahl")["speedup"](v["gpus"], share))
    units = {"MiB": 2**20, "GiB": 2**30, "ms": 1e-3, "s": 1}
    shown = [float(number) * units[unit] for number, unit in map(str.split, seen["cells"])]
    assert shown[::2] == pytest.approx(expected, rel=0.01)
    assert shown[1::2] == pytest.approx([b / v["bandwidth"] / 1e9 for b in expected], rel=0.01)
    said = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", seen["said"])]
    assert said[0] == pytest.approx(seen["speedup"], rel=0.01)
    assert said[1:] == ([pytest.approx(1 / share, rel=0.01)] if share else [])


@pytest.mark.parametrize("wrong", [{"gpus": 1}, {"gpus": 2.5}, {"tokens": ""}, {"serial": 101}])
def test_a_wrong_entry_shows_no_number(page: Page, wrong: dict[str, Any]) -> None:
    page.evaluate(SET, wrong)
    seen = page.evaluate(READ)
    assert set(seen["cells"]) == {"–"} and not re.search(r"\d", seen["said"])


def test_it_fits_a_phone_and_can_be_read_by_everyone(page: Page) -> None:
    uncolour_code(page)
    load_axe(page)
    resize(page, {"width": 360, "height": 740})
    for scheme in ("default", "slate"):
        use_scheme(page, scheme)
        assert [*axe(page), *too_wide(page)] == []


def test_without_javascript_the_page_says_what_to_run(tab: tuple[Page, Watch, str]) -> None:
    page, _, address = tab
    context = page.context.browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{address}en/multi-gpu/")
    assert "JavaScript" in plain.locator(".calculator").inner_text()
    context.close()
