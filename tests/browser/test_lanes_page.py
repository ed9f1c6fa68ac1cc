"""The training loop on three lanes: the page plans what the model plans, and shows it."""

from __future__ import annotations

import random
import re
from itertools import product
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import faults_on_a_phone, location
from lanes_model import planned, whole
from playwright.sync_api import Page, expect

from gpu_guide.pictures.timeline import Span, Task, schedule
from gpu_guide.project import HERE

PATH = "speed/asynchronous/"
CHOICES = list(product([False, True], repeat=3))


def told(spans: list[Span]) -> list[dict[str, Any]]:
    """Spans as the page writes them."""
    return [
        {"lane": one.task.lane, "do": one.task.do, "start": one.start, "end": one.end}
        for one in spans
    ]


def test_what_waits_is_what_the_page_says() -> None:
    """Each line helps where the page says so, and none of them does once `.item()` is there."""
    ends = {choice: whole(planned(*choice))[0] for choice in CHOICES}
    assert ends[False, False, False] > ends[False, True, False] > ends[False, True, True]
    assert len({end for choice, end in ends.items() if choice[0]}) == 1
    assert min(end for choice, end in ends.items() if choice[0]) > ends[False, False, False]
    assert ends[False, False, True] == ends[False, False, False]


@pytest.mark.parametrize(("language", "yes"), [("zh", "是"), ("en", "yes")])
def test_the_table_on_the_page_is_that_of_the_model(language: str, yes: str) -> None:
    text = (HERE.root / "docs" / language / f"{PATH.strip('/')}.md").read_text(encoding="utf-8")
    box = text.partition('<div class="lanes" markdown>')[2].partition("</div>")[0]
    rows = [re.findall(r"[^|]+", line) for line in box.splitlines() if line.endswith("% |")]
    assert len(rows) == 6
    for row in rows:
        *on, end, part = (cell.strip() for cell in row)
        all_of_it, busy = whole(planned(*(one == yes for one in on)))
        assert (float(end), part) == (all_of_it, f"{round(100 * busy / all_of_it)} %")


def random_tasks(rng: random.Random) -> list[Task]:
    """Tasks on a few lanes, each waiting for some that stand before it."""
    tasks: list[Task] = []
    for number in range(rng.randrange(1, 25)):
        names = [task.id for task in tasks]
        picks = [tuple(rng.sample(names, min(len(names), rng.randrange(3)))) for _ in range(3)]
        tasks.append(Task(rng.choice("abc"), f"t{number}", rng.randrange(5), *picks))
    return tasks


@pytest.mark.browser
def test_random_tasks_are_planned_as_in_python(opened: Page) -> None:
    rng = random.Random(5)
    for _ in range(60):
        tasks = random_tasks(rng)
        rng.shuffle(tasks)
        try:
            wanted: Any = told(schedule(tasks))
        except ValueError:
            wanted = "waits for itself"
        sent = [
            {"lane": one.lane, "do": one.do, "takes": one.takes}
            | {key: list(getattr(one, key)) for key in ("after", "along", "until")}
            for one in tasks
        ]
        seen = opened.evaluate(
            """tasks => {
              try { return document.querySelector('.lanes').schedule(tasks); }
              catch (error) { return error.message.replace(/^.* waits/, 'waits'); }
            }""",
            sent,
        )
        assert seen == wanted


@pytest.mark.browser
def test_every_choice_is_planned_as_in_python(opened: Page) -> None:
    for item, pinned, stream in CHOICES:
        for steps in (1, 4, 7):
            on = {"item": item, "pinned": pinned, "stream": stream}
            seen = opened.evaluate(
                "([on, steps]) => document.querySelector('.lanes').plan(on, steps)", [on, steps]
            )
            assert seen == told(planned(item, pinned, stream, steps))


@pytest.mark.browser
def test_it_is_switched_by_keyboard_and_kept_in_the_address(opened: Page) -> None:
    said = opened.locator(".lanes__said")
    expect(opened.locator(".lanes [name=stream]")).to_be_disabled()
    for name in ("pinned", "stream", "item"):
        opened.locator(f".lanes [name={name}]").press("Space")
    on = {"item": True, "pinned": True, "stream": True}
    for name in ("item", "stream", ""):
        end, busy = whole(planned(**on))
        expect(said).to_have_attribute("data-end", f"{end:g}")
        expect(said).to_have_attribute("data-busy", f"{busy:g}")
        if name:
            on[name] = False
            opened.locator(f".lanes [name={name}]").press("Space")
    assert urlsplit(location(opened)).query == "pinned=1"  # a heading may stand behind it
    opened.goto(location(opened))
    expect(opened.locator(".lanes [name=pinned]")).to_be_checked()
    shown = opened.locator(".lanes__times tbody tr").evaluate_all(
        "all => all.map(row => [3, 4].map(at => Number(row.cells[at].textContent)))"
    )
    assert shown == [[one.start, one.end] for one in planned(False, True, False)]


@pytest.mark.browser
def test_it_fits_a_phone_and_can_be_read_by_everyone(opened: Page) -> None:
    opened.locator(".lanes [name=item]").press("Space")
    opened.locator(".lanes summary").first.press("Enter")
    assert faults_on_a_phone(opened, ".lanes") == []


@pytest.mark.browser
def test_without_javascript_there_is_the_table(plain: Page, address: str) -> None:
    plain.goto(f"{address}en/{PATH}")
    expect(plain.locator(".lanes table")).to_be_visible()
