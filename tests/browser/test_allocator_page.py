"""The allocator on its page, in a browser: the same traces, the same numbers as the model."""

from __future__ import annotations

import json

import pytest
from allocator_player import play
from allocator_programs import random_program
from allocator_traces import TRACES, as_step
from browser import (
    PHONE,
    SEEN_RULES,
    SIZES_AND_SCHEMES,
    axe,
    computed,
    load_axe,
    resize,
    too_wide,
    use_scheme,
)
from built_site import LANGUAGES
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


PATH = "memory/caching-allocator/"

# Types a program into the page, goes through its steps with the slider, and reads what is shown.
PLAY = """program => {
  const box = document.querySelector('.allocator');
  const send = (element, value) => {
    element.value = value;
    element.dispatchEvent(new Event('input', {bubbles: true}));
  };
  const number = name => Number(box.querySelector('.allocator__' + name).value);
  const slider = box.querySelector('input[type=range]');
  send(box.querySelector('textarea'), program);
  return Array.from({length: Number(slider.max)}, (_, index) => {
    send(slider, index + 1);
    return {
      do: box.querySelector('.allocator__step code').textContent,
      events: box.querySelector('.allocator__step').dataset.events.split(' ').filter(Boolean),
      allocated: number('allocated'),
      reserved: number('reserved'),
      requested: number('requested'),
      segments: [...box.querySelectorAll('.allocator__bar')].map(bar =>
        [...bar.children].map(one => [one.dataset.name ?? null, Number(one.dataset.size)])),
    };
  });
}"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_trace_gives_the_models_numbers(page: Page, address: str, language: str) -> None:
    page.goto(f"{address}{language}/{PATH}")
    for trace in TRACES:
        program = "\n".join(step["do"] for step in trace["steps"])
        assert computed(page, PLAY, program) == trace["steps"], trace["name"]


def test_random_programs_give_the_models_numbers(page: Page, address: str) -> None:
    page.goto(f"{address}en/{PATH}")
    for seed in range(60):
        program = random_program(seed, streams=1 + seed % 3, expandable=seed % 2 == 1)
        states = [json.loads(json.dumps(as_step(state))) for state in play(program)]
        assert computed(page, PLAY, program) == states, program


@pytest.mark.parametrize("language", LANGUAGES)
def test_scenes_are_those_of_the_tables(page: Page, address: str, language: str) -> None:
    page.goto(f"{address}{language}/{PATH}")
    box = page.locator(".allocator")
    scenes = box.locator("select option").all_inner_texts()
    assert len(scenes) == box.locator("details table").count() >= 4
    for index, name in enumerate(scenes):
        assert name == box.locator("details p > strong").nth(index).text_content()
        box.locator("select").select_option(index=index)
        table = box.locator("details table").nth(index)
        steps = table.locator("tbody tr td:first-child").all_text_contents()
        assert box.locator("textarea").input_value().split("\n") == steps
        expect(box.locator("input[type=range]")).to_have_value("0")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_line_is_named_and_the_rest_still_plays(
    page: Page, address: str, language: str
) -> None:
    page.goto(f"{address}{language}/{PATH}")
    box = page.locator(".allocator")
    for line, said in [("del b", "b"), ("b = 1.5 B", "1.5 B"), ("b 3", "b 3")]:
        box.locator("textarea").fill(f"a = 3 MiB\n{line}\nc = 3 MiB")
        expect(box.locator(".allocator__problem")).to_contain_text("2")
        expect(box.locator(".allocator__problem")).to_contain_text(said)
        expect(box.locator("input[type=range]")).to_have_attribute("max", "1")
    box.locator("textarea").fill("a = 3 MiB")
    expect(box.locator(".allocator__problem")).to_be_empty()


def test_keyboard_alone_plays_it(page: Page, address: str) -> None:
    page.goto(f"{address}en/{PATH}")
    box = page.locator(".allocator")
    box.locator("select").focus()
    page.keyboard.press("ArrowDown")
    expect(box.locator("textarea")).to_have_value(
        "a = 3 MiB\nb = 8 MiB\nc = 8.5 MiB\ndel b\nd = 8 MiB"
    )
    page.keyboard.press("Tab")  # to "Next": "Back" has nothing to go back to
    page.keyboard.press("Enter")
    expect(box.locator(".allocator__step")).to_contain_text("1/5")
    expect(box.locator(".allocator__reserved")).to_have_text("20 MiB")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    expect(box.locator(".allocator__step")).to_contain_text("5/5")
    expect(box.locator(".allocator__allocated")).to_have_text("20 MiB")
    page.keyboard.press("ArrowLeft")
    expect(box.locator(".allocator__allocated")).to_have_text("12 MiB")


def test_play_goes_to_the_end_by_itself(page: Page, address: str) -> None:
    page.goto(f"{address}en/{PATH}")
    box = page.locator(".allocator")
    box.locator("textarea").fill("a = 3 MiB\ndel a")
    box.get_by_role("button", name="Play").click()
    expect(box.get_by_role("button", name="Pause")).to_be_visible()
    expect(box.locator(".allocator__step")).to_contain_text("2/2")
    expect(box.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_that_axe_finds_in_any_state(page: Page, address: str, language: str) -> None:
    page.goto(f"{address}{language}/{PATH}")
    load_axe(page)
    box = page.locator(".allocator")
    problems = []
    for size, scheme in SIZES_AND_SCHEMES:
        resize(page, size)
        use_scheme(page, scheme)
        for index in range(box.locator("select option").count()):
            box.locator("select").select_option(index=index)
            box.locator("input[type=range]").press("End")
            found = [*axe(page, SEEN_RULES, ".allocator"), *too_wide(page)]
            problems += [f"{size} {scheme} {index}: {one}" for one in found]
    box.locator("textarea").fill("a = 3")
    problems += axe(page, where=".allocator")
    assert problems == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_javascript_the_scenes_are_tables(plain: Page, address: str, language: str) -> None:
    plain.goto(f"{address}{language}/{PATH}")
    tables = plain.locator(".allocator table")
    assert tables.count() >= 4
    expect(tables.first).to_be_visible()
    assert plain.locator(".allocator textarea").count() == 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["memory/", PATH, "memory/measure/"])
def test_text_of_the_picture_stays_inside(
    page: Page, address: str, language: str, path: str
) -> None:
    page.goto(f"{address}{language}/{path}")
    resize(page, PHONE)
    picture = page.locator("figure.picture svg")
    assert picture.locator("title").text_content() and picture.locator("desc").text_content()
    outside = picture.evaluate(
        """svg => [...svg.querySelectorAll('text')].filter(text => {
          const box = text.getBBox(), whole = svg.viewBox.baseVal;
          return box.x < 0 || box.x + box.width > whole.width || box.y + box.height > whole.height;
        }).map(text => text.textContent)"""
    )
    assert outside == []
    smallest = picture.evaluate(
        "svg => Math.min(...[...svg.querySelectorAll('text')].map(text =>"
        " parseFloat(getComputedStyle(text).fontSize))) * svg.clientWidth / 340"
    )
    assert smallest >= 10.5
