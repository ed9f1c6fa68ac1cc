"""What a phone folds, wraps and sets otherwise; test_every_page.py looks at each page on one."""

from __future__ import annotations

from itertools import product

import pytest
from browser import WINDOW, resize
from phone import SIZE as PHONE
from phone import cramped
from playwright.sync_api import Page, expect

from gpu_guide.project import HERE
from gpu_guide.snippets.model import load_snippets

pytestmark = pytest.mark.browser

LONG_TITLES = ("cublas-alloc-failed", "conda-terms", "ops-not-built", "child-failed")
"""Messages whose pages have names in their titles that are as long as a line."""


def test_a_name_as_long_as_a_line_is_whole_in_the_title_of_its_message(
    page: Page, address: str
) -> None:
    resize(page, PHONE)
    for language, id in product(HERE.languages, LONG_TITLES):
        page.goto(f"{address}{language}/reference/message/{id}/")
        assert cramped(page) == [], id


def test_wrapped_code_shows_where_and_is_copied_as_it_was_written(page: Page, address: str) -> None:
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


def test_what_scrolls_in_a_section_is_reached_by_keyboard_once_it_is_unfolded(
    page: Page, address: str
) -> None:
    resize(page, PHONE)
    page.goto(f"{address}en/multi-gpu/fsdp2/")
    page.add_style_tag(content=".md-typeset td { min-width: 500px }")
    box = page.locator("#from-fsdp1 + .fold .md-typeset__scrollwrap")
    expect(box).not_to_have_attribute("tabindex", "0")
    page.locator("#from-fsdp1 + .fold > summary").click()
    expect(box).to_have_attribute("tabindex", "0")
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


def test_a_cell_of_several_rows_is_in_the_card_of_each(page: Page, address: str) -> None:
    resize(page, PHONE)
    page.goto(f"{address}en/install/compatibility/")
    cells = page.locator("table[style]:has([rowspan])").first.locator("td:nth-child(3)")
    assert cells.nth(0).inner_text() == cells.nth(1).inner_text() != ""
    resize(page, WINDOW)
    expect(cells.nth(1)).to_be_hidden()
