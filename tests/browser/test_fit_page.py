"""The calculator of memory/fit in a browser: the numbers of the formulas in Python."""

from __future__ import annotations

import json
import random
import re
from dataclasses import asdict, replace
from typing import Any

import pytest
from browser import Watch, computed, faults_on_a_phone, location, resize
from built_site import built_site
from playwright.sync_api import Page, expect

from gpu_guide.data.models import load_models
from gpu_guide.fit.terms import Setting, fullest, moments
from gpu_guide.project import HERE
from gpu_guide.render.fit_tables import ANSWERED, FIRST, FIRST_MODEL, gib

pytestmark = pytest.mark.browser

VECTORS = json.loads((HERE.tests / "data/fit_vectors.json").read_text(encoding="utf-8"))
MODELS = load_models(HERE)
COMPUTE = """vectors => {
  const {compute} = document.querySelector('.fit__calculator');
  return vectors.map(([model, setting]) => compute(model, setting));
}"""
SHOWN = """() => ({
  bytes: +document.querySelector('.fit__said').dataset.bytes,
  moment: document.querySelector('.fit__said').dataset.moment,
  terms: [...document.querySelectorAll('.fit__terms [data-bytes]')].map(e => +e.dataset.bytes),
  pieces: document.querySelectorAll('.fit__piece').length,
})"""
PATH = "memory/fit/"


def told(page: Page) -> tuple[str, int, list[int]]:
    """The fullest moment that the page shows, its bytes, and those of its terms."""
    shown: dict[str, Any] = page.evaluate(SHOWN)
    assert shown["pieces"] == len(shown["terms"])
    return shown["moment"], shown["bytes"], shown["terms"]


def expected(name: str, on: Setting) -> tuple[str, int, list[int]]:
    """The same by the formulas in Python; the page begins with 0.7 GiB for the context."""
    on = replace(on, context=round(0.7 * 2**30))
    moment, terms = fullest(MODELS[name].model, on)
    return moment, sum(terms.values()), [size for size in terms.values() if size]


def test_every_vector_gives_the_numbers_of_python(tab: tuple[Page, Watch, str]) -> None:
    page, _, address = tab
    page.goto(f"{address}en/memory/fit/")
    asked = [[one["model"], asdict(Setting(**one["setting"]))] for one in VECTORS]
    wanted = [[one["parameters"], one["moment"], one["bytes"]] for one in VECTORS]
    assert computed(page, COMPUTE, asked) == wanted


def random_setting(rng: random.Random) -> Setting:
    """Any choice with any other."""
    task = rng.choice(["full", "lora", "qlora", "predict"])
    low = ["bfloat16", "float32", "int8", "int4"]
    return Setting(
        task,
        rng.choice(low if task == "predict" else ["mixed", "float32", "bfloat16"]),
        rng.choice(["adamw", "momentum", "sgd"]),
        fused=rng.random() < 0.5,
        batch=rng.randrange(1, 9),
        sequence=rng.randrange(1, 9000),
        accumulate=rng.random() < 0.5,
        first_step=rng.random() < 0.5,
        fused_attention=rng.random() < 0.5,
        checkpoint=rng.random() < 0.5,
        pieces=rng.choice([1, 2, 8, 5000]),
        offload=rng.choice(["none", "activations", "state"]),
        split=rng.choice(["ddp", "fsdp", "tensor"]),
        gpus=rng.choice([1, 2, 3, 8]),
        reshard=rng.choice([0, 1, 4]),
        rank=rng.choice([4, 16]),
        everywhere=rng.random() < 0.5,
        context=rng.randrange(2**30),
    )


def test_every_moment_of_a_random_step_is_that_of_python(tab: tuple[Page, Watch, str]) -> None:
    page, _, address = tab
    page.goto(f"{address}en/memory/fit/")
    rng = random.Random(17)
    tried = [(MODELS[rng.choice(list(MODELS))].model, random_setting(rng)) for _ in range(300)]
    asked = [[asdict(model), asdict(on)] for model, on in tried]
    found = computed(
        page,
        """all => {
          const {moments} = document.querySelector('.fit__calculator');
          return all.map(([model, setting]) => moments(model, setting));
        }""",
        asked,
    )
    for (model, on), seen in zip(tried, found, strict=True):
        wanted = [[name, list(terms.values())] for name, terms in moments(model, on).items()]
        assert seen == wanted, (model, on)


def test_the_step_is_shown_moment_by_moment(opened: Page) -> None:
    opened.select_option(".fit [name=task]", "full")
    opened.check(".fit [name=first_step]")
    on = replace(FIRST, task="full", first_step=True)
    wanted = moments(MODELS["qwen2.5-7b"].model, on)
    rows = opened.locator(".fit__moments tbody tr")
    totals = rows.evaluate_all(
        "all => all.map(row => +row.querySelector('[data-total]').dataset.total)"
    )
    assert totals == [sum(terms.values()) for terms in wanted.values()]
    parts = rows.evaluate_all("all => all.map(row => row.querySelectorAll('.fit__part').length)")
    assert parts == [sum(1 for size in terms.values() if size) for terms in wanted.values()]
    fullest_row = opened.locator(".fit__fullest [data-total]")
    assert int(fullest_row.get_attribute("data-total") or 0) == max(totals)
    opened.locator(".fit__result details summary").press("Enter")
    cells = opened.locator(".fit__every tbody tr").evaluate_all(
        "all => all.map(row => [...row.querySelectorAll('td')].map(cell => +cell.dataset.part))"
    )
    by_term = [[terms[name] for terms in wanted.values()] for name in wanted["start"]]
    assert cells == [row for row in by_term if any(row)]
    assert "first_step=1" in location(opened)
    opened.goto(location(opened))
    expect(opened.locator(".fit [name=first_step]")).to_be_checked()


def test_a_choice_is_computed_and_kept_in_the_address(opened: Page) -> None:
    assert told(opened) == expected(FIRST_MODEL, FIRST)
    opened.select_option(".fit [name=model]", "llama-3.1-8b")
    opened.select_option(".fit [name=task]", "qlora")
    opened.fill(".fit [name=sequence]", "4096")
    opened.fill(".fit [name=pieces]", "8")
    opened.uncheck(".fit [name=checkpoint]")
    wanted = expected("llama-3.1-8b", Setting("qlora", sequence=4096, pieces=8))
    assert told(opened) == wanted
    assert "model=llama-3.1-8b" in location(opened) and "task=qlora" in location(opened)
    opened.goto(location(opened))
    assert told(opened) == wanted
    expect(opened.locator(".fit [name=checkpoint]")).not_to_be_checked()


@pytest.mark.parametrize(
    ("query", "model", "on"),
    [
        ("model=qwen2.5-7b", "qwen2.5-7b", Setting(sequence=2048)),
        ("model=gpt2&sequence=512", "gpt2", Setting(sequence=512)),
        ("model=qwen3-8b&task=lora&batch=2", "qwen3-8b", Setting("lora", batch=2, sequence=2048)),
        ("task=qlora&checkpoint=1", FIRST_MODEL, replace(FIRST, task="qlora")),
        ("utm_source=x", FIRST_MODEL, FIRST),
    ],
)
def test_an_address_of_before_means_what_it_meant(
    tab: tuple[Page, Watch, str], query: str, model: str, on: Setting
) -> None:
    """The form once began with training all weights of GPT-2, without checkpointing; what was as at
    first did not stand in the address."""
    page, _, address = tab
    page.goto(f"{address}en/memory/fit/?{query}")
    assert told(page) == expected(model, on)


def test_the_form_begins_with_the_settings_of_the_table(opened: Page) -> None:
    """Form and table on one page say the same of the same model."""
    row = opened.locator("tr", has_text=MODELS[FIRST_MODEL].name).filter(
        has=opened.locator("td:nth-child(6)")
    )
    cells = row.evaluate_all(
        "rows => rows.filter(row => row.cells.length === 6).map("
        "row => [...row.cells].map(cell => cell.innerText))"
    )
    (answers,) = [row for row in cells if row[1].endswith("GiB")]
    said = dict(zip(ANSWERED, answers[1:], strict=True))
    for task, name in (("lora", "lora"), ("qlora", "qlora"), ("full", "full_again")):
        button = opened.locator(f".fit__tasks [data-task={task}]")
        assert gib(int(button.get_attribute("data-bytes") or 0)) == said[name]
        button.click()
        assert gib(told(opened)[1]) == said[name]
    opened.uncheck(".fit [name=checkpoint]")
    assert gib(told(opened)[1]) == said["full"]
    opened.locator(".fit__tasks [data-task=predict]").click()
    opened.fill(".fit [name=sequence]", "8192")
    assert gib(told(opened)[1]) == said["predict"]


@pytest.mark.parametrize("width", [1280, 390])
def test_lora_and_qlora_of_a_7b_are_answered_before_anything_is_filled_in(
    opened: Page, width: int
) -> None:
    resize(opened, {"width": width, "height": 844 if width == 390 else 800})
    opened.evaluate("scrollTo(0, 0)")
    for task in ("lora", "qlora"):
        found = opened.locator(f".fit__tasks [data-task={task}]")
        box = found.bounding_box()
        assert box and box["y"] + box["height"] <= opened.viewport_size["height"]
        assert re.search(r"\d+(\.\d+)? GiB", found.inner_text())
    assert opened.locator(".fit [name=model]").input_value() == FIRST_MODEL
    assert "7B" in MODELS[FIRST_MODEL].name


def test_on_a_phone_the_answer_is_in_sight_of_each_field(opened: Page) -> None:
    resize(opened, {"width": 390, "height": 844})
    opened.select_option(".fit [name=task]", "qlora")
    for name in ("model", "sequence", "pieces", "rank", "memory"):
        field = opened.locator(f".fit [name={name}]")
        field.scroll_into_view_if_needed()
        answer = opened.locator(".fit__said").bounding_box()
        box = field.bounding_box()
        assert answer and box, name
        assert answer["y"] >= 0 and answer["y"] + answer["height"] <= 844, name
        assert box["y"] >= answer["y"] + answer["height"], "the answer covers the field"
    resize(opened, {"width": 1280, "height": 800})


def test_a_button_makes_it_smaller(opened: Page) -> None:
    opened.select_option(".fit [name=model]", "llama-3.2-1b")
    opened.select_option(".fit [name=task]", "full")
    before = told(opened)[1]
    sizes = []
    for index in range(opened.locator(".fit li").count()):
        sizes.append(opened.locator(".fit li").nth(index).inner_text())
    assert len(sizes) > 3
    opened.locator(".fit li button").first.press("Enter")
    assert told(opened)[1] < before


def test_a_config_is_read(opened: Page) -> None:
    config = {
        "model_type": "qwen2",
        "hidden_size": 3584,
        "intermediate_size": 18944,
        "num_attention_heads": 28,
        "num_hidden_layers": 28,
        "num_key_value_heads": 4,
        "vocab_size": 152064,
        "tie_word_embeddings": False,
    }
    opened.locator(".fit__calculator > details > summary").click()
    opened.fill(".fit textarea", json.dumps(config))
    assert told(opened) == expected("qwen2.5-7b", FIRST)
    expect(opened.locator(".fit [name=model]")).to_have_value("own")
    url = location(opened)
    opened.goto(url)
    assert told(opened) == expected("qwen2.5-7b", FIRST)


@pytest.mark.parametrize(
    "text", ["{", "[]", "null", '{"model_type": "qwen3_moe", "num_experts": 128}', '{"a": 1}']
)
def test_a_config_that_is_not_covered_is_refused(opened: Page, text: str) -> None:
    opened.locator(".fit__calculator > details > summary").click()
    opened.fill(".fit textarea", text)
    expect(opened.locator(".fit__problem")).not_to_be_empty()


def test_a_wrong_entry_shows_no_number(opened: Page) -> None:
    opened.fill(".fit [name=batch]", "0")
    expect(opened.locator(".fit__terms")).to_be_hidden()
    assert not any(sign.isdigit() for sign in opened.locator(".fit__said").inner_text())


def test_it_fits_a_phone_and_can_be_read_by_everyone(opened: Page) -> None:
    opened.select_option(".fit [name=model]", "llama-3.1-8b")
    assert faults_on_a_phone(opened, ".fit") == []


def test_it_works_from_a_file_and_by_keyboard(tab: tuple[Page, Watch, str]) -> None:
    page = tab[0].context.browser.new_page()
    page.goto((built_site() / "en/memory/fit/index.html").as_uri())
    before = told(page)[1]
    page.focus(".fit [name=batch]")
    page.keyboard.press("ArrowUp")
    assert told(page)[1] > before
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "sequence"
    page.close()


def test_without_javascript_there_are_tables(plain: Page, address: str) -> None:
    plain.goto(f"{address}en/{PATH}")
    assert "8,030,261,248" in plain.locator(".fit").inner_text()
    assert plain.locator("table").count() >= 5
