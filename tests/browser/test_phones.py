"""Every page on a phone: code, tables and length."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import WINDOW, resize
from built_site import page_paths
from playwright.sync_api import Page, expect

from gpu_guide.project import HERE
from gpu_guide.snippets.model import load_snippets

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
SCREENS = 20
SEEN = """() => {
  const shown = (one) => one.getClientRects().length > 0;
  const wide = (one) => one.scrollWidth > one.clientWidth + 1;
  const all = (names) => [...document.querySelectorAll(names)].filter(shown);
  return {
    code: all("article pre:not(.drawn) > code").filter(wide).map((one) => one.textContent),
    tables: all("article table[style]").map((one) => one.parentElement).filter(wide)
      .map((one) => one.innerText),
    screens: document.documentElement.scrollHeight / innerHeight,
  };
}"""


def test_no_page_is_long_and_no_code_and_no_card_scrolls(
    page: Page, address: str, site: Path
) -> None:
    resize(page, PHONE)
    found = []
    for path in page_paths(site):
        page.goto(address + path)
        seen = page.evaluate(SEEN)
        found += [f"{path}: code scrolls: {code[:60]}" for code in seen["code"]]
        found += [f"{path}: a table scrolls: {table[:60]}" for table in seen["tables"]]
        if seen["screens"] > SCREENS:
            found.append(f"{path}: {seen['screens']:.1f} screens, more than {SCREENS}")
    assert found == []


def test_wrapped_code_shows_where_and_is_copied_as_it_was_written(
    page: Page, address: str
) -> None:
    """By the button and by selection, folded or not."""
    resize(page, PHONE)
    page.goto(f"{address}en/speed/precision/")
    figure = page.locator("figure.snippet:has(.w1):has(.snippet__all)").first
    snippet = load_snippets(HERE)[figure.get_attribute("data-snippet")]
    lines = snippet.code("en").split("\n")
    code = "\n".join(one for one in lines if not one.lstrip().startswith("#>")).rstrip()
    block = figure.locator("pre code").first
    line = block.locator(".w0, .w1").first
    assert "↩" in line.evaluate("one => getComputedStyle(one, '::after').content")
    for opened in (False, True):
        figure.locator(".snippet__all").set_checked(opened)
        block.evaluate("code => getSelection().selectAllChildren(code)")
        page.keyboard.press("Control+c")
        assert page.evaluate("navigator.clipboard.readText()").rstrip() == code
        page.evaluate("navigator.clipboard.writeText('')")
        figure.locator(".md-code__button").first.click()
        page.wait_for_function("async () => await navigator.clipboard.readText() !== ''")
        assert page.evaluate("navigator.clipboard.readText()") == code
        assert (figure.locator("pre").first.bounding_box()["height"] > 400) == opened
    resize(page, WINDOW)


def test_a_folded_section_is_open_on_a_wide_screen_and_for_who_follows_a_link(
    page: Page, address: str
) -> None:
    page.goto(f"{address}en/reference/errors/driver/#no-cuda-gpus")
    section = page.locator("#no-nvidia-driver + .fold")
    linked = page.locator("#no-cuda-gpus + .fold")
    expect(section.locator("p").first).to_be_visible()
    expect(section.locator("summary")).to_be_hidden()
    resize(page, PHONE)
    expect(section.locator("p").first).to_be_hidden()
    expect(linked.locator("p").first).to_be_visible()
    section.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(section.locator("p").first).to_be_visible()
    page.goto(f"{address}en/reference/apis/#torch.cuda.current_device")
    expect(page.locator("[id='torch.cuda.current_device']")).to_be_in_viewport()


def test_a_table_of_three_columns_is_cards_that_name_their_columns(
    page: Page, address: str
) -> None:
    page.goto(f"{address}en/reference/gpus/")
    table = page.locator("table[style]").first
    name = table.locator("th").nth(1).inner_text()
    expect(table.locator("thead")).to_be_visible()
    resize(page, PHONE)
    expect(table.locator("thead")).to_be_hidden()
    label = table.locator("tbody td").first.evaluate("c => getComputedStyle(c, '::before').content")
    assert name in label
