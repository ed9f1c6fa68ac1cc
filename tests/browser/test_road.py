"""How far a reader is in the book: ticked in a chapter, shown at home, forgotten at will."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

FIRST, SECOND = "start/", "learn/two-memories/"


@pytest.mark.parametrize(
    ("language", "words"), [("en", "You are at step 3 of 34"), ("zh", "你走到了第 3 步，共 34 步")]
)
def test_a_chapter_that_is_ticked_is_done_at_home(
    page: Page, address: str, language: str, words: str
) -> None:
    page.goto(f"{address}{language}/")
    expect(page.locator(".road")).to_be_hidden()
    page.goto(f"{address}{language}/{FIRST}")
    page.locator(".road input").last.check()
    page.goto(f"{address}{language}/")
    expect(page.locator(".road")).to_contain_text(words)
    assert page.locator(".road a").get_attribute("href").endswith(SECOND)
    page.goto(f"{address}{language}/{FIRST}")
    expect(page.locator(".road input").last).to_be_checked()


def test_the_table_of_contents_marks_what_is_done_and_forgets_it(page: Page, address: str) -> None:
    for chapter in (FIRST, SECOND):
        page.goto(f"{address}en/{chapter}")
        page.locator(".road input").last.check()
    page.goto(f"{address}en/learn/")
    marked = page.locator("td:has(.road-done)")
    expect(marked).to_have_text(["✓ First six steps", "✓ Two memories and a queue"])
    page.locator(".road button").click()
    expect(marked).to_have_count(0)
    expect(page.locator(".road")).to_be_hidden()
    page.reload()
    expect(page.locator(".road")).to_be_hidden()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_step_of_a_chapter_is_ticked_where_the_second_begins(
    page: Page, address: str, language: str
) -> None:
    page.goto(f"{address}{language}/{SECOND}")
    assert page.locator(".road:has(input) + h2").get_attribute("id") == "queue"
    assert page.locator(".minutes a").get_attribute("href") == "#queue"
    page.locator(".road input").first.check()
    page.goto(f"{address}{language}/learn/")
    expect(page.locator("td:has(.road-done)")).to_have_count(1)
    expect(page.locator(".road-done")).to_have_text("½ ")
    page.goto(f"{address}{language}/{FIRST}")
    page.locator(".road input").last.check()
    page.goto(f"{address}{language}/")
    assert page.locator(".road a").get_attribute("href").endswith(f"{SECOND}#queue")


def test_a_chapter_done_before_it_had_two_steps_is_done(page: Page, address: str) -> None:
    """What browsers remember of former editions: the address of the chapter, and nothing else."""
    page.goto(f"{address}en/{SECOND}")
    page.evaluate(f"localStorage.setItem('pytorch-gpu-guide.road', '[\"{SECOND}\"]')")
    page.reload()
    boxes = page.locator(".road input")
    expect(boxes.first).to_be_checked()
    expect(boxes.last).to_be_checked()
    boxes.first.uncheck()
    page.reload()
    expect(boxes.first).not_to_be_checked()
    expect(boxes.last).not_to_be_checked()


def test_all_chapters_done_is_said(page: Page, address: str) -> None:
    page.goto(f"{address}en/learn/")
    steps = page.evaluate("JSON.parse(document.querySelector('.road').dataset.road).steps")
    assert len(steps) == 18
    done = [url for url, *_ in steps]
    page.evaluate(
        "done => localStorage.setItem('pytorch-gpu-guide.road', JSON.stringify(done))", done
    )
    page.reload()
    expect(page.locator(".road")).to_contain_text("You've done all 34 steps.")


def test_what_is_not_ours_in_the_browser_does_no_harm(page: Page, address: str) -> None:
    page.goto(f"{address}en/{FIRST}")
    page.evaluate("localStorage.setItem('pytorch-gpu-guide.road', '{')")
    page.reload()
    expect(page.locator(".road input").last).not_to_be_checked()
    page.locator(".road input").last.check()
    page.goto(f"{address}en/")
    expect(page.locator(".road")).to_contain_text("step 3")
