"""The box with which the home page begins: an answer below it, without another click."""

from __future__ import annotations

import re

import pytest
from browser import faults_on_a_phone
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

BOX = ".door textarea"
FIRST = ".door__result > ol > li:first-child"
LANGUAGES = ["zh", "en"]
TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 1\n' * 4
LOST = "RuntimeError: No CUDA GPUs are available"


@pytest.mark.parametrize(
    ("language", "typed", "leads_to"),
    [
        ("zh", "CUDA error: no kernel image is available for execution on the device", "install/"),
        ("en", "RuntimeError: CUDA error: device-side assert triggered", "speed/debugging/"),
        ("zh", "torch.cuda.Stream", "speed/streams/"),
        ("en", ".cuda()", "to/#short-forms"),
        ("zh", "炸显存了怎么办", "memory/out-of-memory/"),
        ("en", "is my gpu used", "check/#in-use"),
    ],
)
def test_what_is_typed_is_answered_below(
    page: Page, address: str, language: str, typed: str, leads_to: str
) -> None:
    """Of a message, with its cause and its remedy."""
    page.goto(f"{address}{language}/")
    page.fill(BOX, typed)
    link = page.locator(f"{FIRST} > a")
    expect(link).to_have_attribute("href", re.compile(re.escape(leads_to)))
    expect(page.locator(f"{FIRST} > div")).not_to_be_empty()


def test_enter_asks_and_then_opens_the_first_answer(page: Page, address: str) -> None:
    page.goto(f"{address}en/")
    page.focus(BOX)
    page.keyboard.type("to_empty")
    expect(page.locator(f"{FIRST} > a")).to_have_attribute("href", re.compile("device/meta/"))
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}en/device/meta/*")


def test_what_is_asked_before_the_index_is_there_is_answered_when_it_comes(
    page: Page, address: str
) -> None:
    held = []
    page.route("**/search/search_index.json", lambda route: held.append(route))
    page.goto(f"{address}en/")
    with page.expect_request("**/search/search_index.json"):
        page.fill(BOX, "torch.cuda.Stream")
    expect(page.locator(".door__result")).to_contain_text("Loading")
    held[0].continue_()
    expect(page.locator(f"{FIRST} > a")).to_have_attribute("href", re.compile("speed/streams/"))


def test_a_long_text_is_handed_to_the_diagnosis(page: Page, address: str) -> None:
    page.goto(f"{address}en/")
    page.fill(BOX, TRACEBACK + LOST)
    expect(page.locator(FIRST)).to_contain_text("No CUDA GPUs are available")
    page.click(".door__diagnose")
    page.wait_for_url("**/reference/diagnose/")
    expect(page.locator(".diagnose__result")).to_have_attribute("data-cause", "no-device")
    assert page.url.endswith("/reference/diagnose/")  # the text is in no address


def test_without_javascript_it_leads_to_the_diagnosis(plain: Page, address: str) -> None:
    plain.goto(f"{address}en/")
    plain.fill(BOX, LOST)
    plain.click(".door button")
    plain.wait_for_url("**/reference/diagnose/?")
    assert "CUDA" not in plain.url
    expect(plain.locator("#causes")).to_be_visible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_fits_a_phone_and_can_be_read_by_everyone(
    page: Page, address: str, language: str
) -> None:
    page.goto(f"{address}{language}/")
    page.fill(BOX, TRACEBACK + LOST)
    expect(page.locator(FIRST)).to_be_visible()
    assert faults_on_a_phone(page, ".door") == []


def test_nothing_of_the_search_is_loaded_before_somebody_turns_to_it(
    page: Page, address: str
) -> None:
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}en/", wait_until="networkidle")
    assert not [url for url in asked if "search_index" in url or "search-answers" in url]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_narrow_phone_shows_the_whole_example(page: Page, address: str, language: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{address}{language}/")
    cut = "box => (box.value = box.placeholder, box.scrollHeight > box.clientHeight)"
    assert not page.locator(BOX).evaluate(cut)
