"""The pipeline schedules in the page: the orders and the times of the model."""

from __future__ import annotations

import random
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browser import faults_on_a_phone, location
from pipeline_model import (
    KINDS,
    Pair,
    Pipeline,
    Step,
    idle,
    kept,
    local_stages,
    name,
    order,
    parts,
    planned,
)
from playwright.sync_api import Page, expect

from gpu_guide.project import HERE

PATH = "multi-gpu/tensor-and-pipeline-parallel/"


def written(steps: list[Step]) -> str:
    """As the page writes them, which numbers the microbatches from 1."""
    return " ".join(
        "+".join(f"{one.stage}{one.do}{one.microbatch + 1}" for one in parts(step))
        for step in steps
    )


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_table_on_the_page_is_that_of_the_model(language: str) -> None:
    text = (HERE.root / "docs" / language / f"{PATH.strip('/')}.md").read_text(encoding="utf-8")
    box = text.partition('<div class="schedules" markdown>')[2].partition("</div>")[0]
    lines = box.replace(" %", "%").splitlines()  # with a space in Chinese, without it in English
    rows = [re.findall(r"[^| ]+", line) for line in lines if "%" in line]
    wanted = []
    for kind in KINDS:
        pipe = Pipeline(4, local_stages(kind, 2), 8)
        orders = order(kind, pipe)
        end, share = idle(planned(orders, pipe.stages), 4)
        most = max(kept(orders, pipe.local))
        wanted.append([kind, f"{pipe.local}", f"{end:g}", f"{100 * share:.0f}%", f"{most:g}"])
    assert rows == wanted


@pytest.mark.browser
def test_random_pipelines_are_planned_as_in_python(opened: Page) -> None:
    rng = random.Random(8)
    for kind in KINDS * 6:
        local = local_stages(kind, rng.randint(2, 3))
        pipe = Pipeline(rng.randint(2, 6), local, rng.randint(1, 16))
        asked = {"ranks": pipe.ranks, "local": local, "microbatches": pipe.microbatches}
        seen = opened.evaluate(
            """([kind, pipe]) => {
              const box = document.querySelector('.schedules');
              const orders = box.order(kind, pipe);
              return orders && [orders, box.kept(orders, pipe.local),
                box.plan(orders, pipe.ranks * pipe.local).map(
                  all => all.map(one => [one.start, one.end]))];
            }""",
            [kind, asked],
        )
        orders = order(kind, pipe)
        if orders is None:
            assert seen is None
            continue
        times = [[] for _ in orders]
        for span in planned(orders, pipe.stages):
            times[int(span.task.lane)].append([span.start, span.end])
        steps = [
            [[*map(list, one)] if isinstance(one, Pair) else list(one) for one in orders[rank]]
            for rank in orders
        ]
        assert seen == [steps, pytest.approx(kept(orders, local)), times], (kind, pipe)


@pytest.mark.browser
def test_it_is_changed_by_keyboard_and_kept_in_the_address(opened: Page) -> None:
    said = opened.locator(".schedules__said")
    local = opened.locator(".schedules [name=local]")
    expect(said).to_have_attribute("data-end", "33")
    expect(local).to_be_disabled()
    opened.locator(".schedules [name=kind]").select_option("InterleavedZeroBubble")
    opened.locator(".schedules [name=ranks]").select_option("3")
    local.select_option("3")
    pipe = Pipeline(3, 3, 8)
    orders = order("InterleavedZeroBubble", pipe)
    end, share = idle(planned(orders, pipe.stages), 3)
    expect(said).to_have_attribute("data-end", f"{end:g}")
    expect(said).to_contain_text(re.compile(rf" {round(100 * share)}\s?%"))
    expect(opened.locator(".schedules svg text")).to_have_count(3 * 3 * 8 * 3)
    asked = parse_qs(urlsplit(location(opened)).query)
    assert asked == {"kind": ["InterleavedZeroBubble"], "ranks": ["3"], "local": ["3"]}
    opened.goto(location(opened))
    expect(said).to_have_attribute("data-end", f"{end:g}")
    cells = opened.locator(".schedules__orders tbody td:last-child").all_text_contents()
    assert cells == [written(steps) for steps in orders.values()]
    opened.locator(".schedules [name=microbatches]").select_option("7")
    expect(said).to_contain_text("ValueError")
    expect(opened.locator(".schedules__grid")).to_be_hidden()
    expect(opened.locator(".schedules summary").first).to_be_hidden()


@pytest.mark.browser
def test_a_forward_and_a_backward_at_once_are_one_bar_of_two_halves(opened: Page) -> None:
    opened.locator(".schedules [name=kind]").select_option("DualPipeV")
    expect(opened.locator(".schedules [name=local]")).to_be_disabled()
    pipe = Pipeline(4, 2, 8)
    orders = order("DualPipeV", pipe)
    ends = {span.task.id: (span.start, span.end) for span in planned(orders, pipe.stages)}
    drawn = opened.locator(".schedules svg rect:not(.schedules__idle)").evaluate_all(
        """all => all.map(one => [one.classList[0].at(-1),
          ...['x', 'y', 'width', 'height'].map(name => Number(one.getAttribute(name)))])"""
    )
    end = max(end for _, end in ends.values())
    unit = opened.locator(".schedules svg").evaluate("one => one.width.baseVal.value") / end
    wanted = []
    for rank, steps in orders.items():
        for step in steps:
            start, stop = ends[f"{rank} {name(step)}"]
            high = 26 / len(parts(step))
            for row, one in enumerate(parts(step)):
                place = [start * unit, rank * 30 + row * high, (stop - start) * unit - 1, high]
                wanted.append([one.do, *place])
    assert drawn == wanted
    assert opened.locator(".schedules__pair").count() == 1
    cells = opened.locator(".schedules__orders tbody td:last-child").all_text_contents()
    assert cells == [written(steps) for steps in orders.values()]
    assert "4F5+3B1" in cells[3].split()
    opened.locator(".schedules [name=microbatches]").select_option("7")
    expect(opened.locator(".schedules__said")).to_contain_text(
        re.compile("at least as many microbatches as stages|不能少于阶段数")
    )


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["InterleavedZeroBubble", "DualPipeV"])
def test_it_fits_a_phone_and_can_be_read_by_everyone(opened: Page, kind: str) -> None:
    opened.locator(".schedules [name=kind]").select_option(kind)
    opened.locator(".schedules summary").first.press("Enter")
    assert faults_on_a_phone(opened, ".schedules") == []


@pytest.mark.browser
def test_without_javascript_there_is_the_table(plain: Page, address: str) -> None:
    plain.goto(f"{address}en/{PATH}")
    expect(plain.locator(".schedules table")).to_be_visible()
