"""The page that diagnoses, in a browser: it finds what Python finds, and takes any text."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from browser import computed, faults_on_a_phone, location
from built_site import built_site, read_pages
from playwright.sync_api import Browser, Page, expect

from gpu_guide import fast_yaml
from gpu_guide.data.diagnosis import load_diagnosis
from gpu_guide.data.errors import LONGEST, load_errors
from gpu_guide.diagnosis.engine import diagnose
from gpu_guide.diagnosis.understood import to_paste, understood
from gpu_guide.project import HERE
from gpu_guide.render.diagnosis import rules, scripts
from gpu_guide.render.template import backquoted

pytestmark = pytest.mark.browser

KNOWN = load_diagnosis(HERE)
MESSAGES = load_errors(HERE)
SAMPLES = fast_yaml.load((HERE.tests / "data/diagnosis_samples.yml").read_text("utf-8"))
FRESH = fast_yaml.load((HERE.tests / "data/diagnosis_fresh.yml").read_text("utf-8"))
TEXTS = [one["text"] for one in [*SAMPLES, *FRESH]]
SEED = 20261122
MAX_SCRIPT = 26 * 1024
BOX = ".diagnose textarea"
RESULT = ".diagnose__result"
JUDGE = """texts => texts.map(text => {
  const {kind, main, others, notes, reading} = guideDiagnosis.diagnose(text, known);
  const all = findings => findings.map(one => [one.id, one.lines]);
  return {kind, found: all([...(main ? [main] : []), ...others]), notes: all(notes),
          facts: Object.fromEntries(reading.facts), next: reading.next,
          table: reading.table ?? null, 
          understood: guideDiagnosis.understood(reading, known.understands)};
})"""


@pytest.fixture(scope="module")
def engine(browser: Browser) -> Iterator[Page]:
    """An empty page with the scripts and the rules."""
    page = browser.new_page()
    for name in ("errors.js", "diagnose.js"):
        page.add_script_tag(path=HERE.theme / "assets" / name)
    page.evaluate("rules => { window.known = rules; }", rules(HERE, "en"))
    yield page
    page.close()


@pytest.fixture
def page(page: Page, address: str) -> Page:
    page.goto(f"{address}en/reference/diagnose/")
    return page


# --- two engines ---------------------------------------------------------------------------------


def in_python(text: str) -> dict[str, Any]:
    verdict = diagnose(text, KNOWN, MESSAGES)
    reading, table = verdict.reading, verdict.reading.table
    findings = [*([verdict.main] if verdict.main else []), *verdict.others]
    return {
        "kind": verdict.kind,
        "found": [[one.id, list(one.lines)] for one in findings],
        "notes": [[one.id, list(one.lines)] for one in verdict.notes],
        "facts": {name: [list(one) for one in values] for name, values in reading.facts.items()},
        "next": reading.next,
        "table": vars(table) if table else None,
        "understood": {
            "found": [list(pair) for pair in understood(reading)],
            "paste": to_paste(reading),
        },
    }


def compare(engine: Page, texts: list[str]) -> None:
    for text, found in zip(texts, computed(engine, JUDGE, texts), strict=True):
        assert found == in_python(text), text


def test_browser_and_python_say_the_same_of_every_sample(engine: Page) -> None:
    compare(engine, TEXTS)


def test_browser_and_python_say_the_same_of_every_wording(engine: Page) -> None:
    says = [wording for cause in KNOWN.causes for wording in cause.says]
    says += [wording for message in MESSAGES.values() for wording in message.says]
    compare(engine, [f"torch\nError: {one.replace('…', ' 17 of x ')}\n" for one in says])


def test_browser_and_python_say_the_same_of_pieces_of_samples(engine: Page) -> None:
    print(f"seed {SEED}")
    dice = random.Random(SEED)
    texts = [made_up(dice) for _ in range(400)]
    kinds = [diagnose(text, KNOWN, MESSAGES).kind for text in texts]
    assert min(kinds.count(kind) for kind in ("fault", "healthy", "unknown")) > 10
    compare(engine, texts)


ODD = ["\x1b[31m", "\t", "\u3000", "İ", "字", "\x85", "x" * 500, "|", "1", "\x00"]


def made_up(dice: random.Random) -> str:
    """Lines of some samples, cut, doubled and with other blanks and characters in between."""
    lines = [""]
    for text in dice.sample(TEXTS, dice.choice([1, 1, 2, 3])):
        some = text.split("\n")
        lines += some[dice.randrange(3) :] if dice.random() < 0.7 else dice.sample(some, 1)
    for _ in range(dice.randrange(4)):
        at = dice.randrange(len(lines))
        odd = dice.choice(ODD)
        cut = dice.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:cut] + odd + lines[at][cut:]
    return dice.choice(["\n", "\r\n", "\r"]).join(lines)


HARD = [
    "\x00\xff\x7f\x80",
    "| 0 a",
    "==NVSMI LOG==\n a : b\n",
    '{"diagnosis":[',
    "\u202eשלום\n",
    " \n",
]


@pytest.mark.parametrize("unit", HARD, ids=range(len(HARD)))
def test_browser_and_python_look_at_the_same_of_a_huge_text(engine: Page, unit: str) -> None:
    text = TEXTS[0] + unit * (400_000 // len(unit)) + "\nNo CUDA GPUs are available"
    compare(engine, [text])


# --- the page ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["calculator", "diagnose", "fit", "form", "wheel-chooser"])
def test_the_script_of_a_tool_is_small(name: str) -> None:
    assert len((built_site() / f"zh/assets/{name}.js").read_bytes()) < MAX_SCRIPT


@pytest.mark.parametrize("language", HERE.languages)
def test_a_pasted_error_gets_its_cause_its_lines_and_what_to_run(
    page: Page, address: str, language: str
) -> None:
    page.goto(f"{address}{language}/reference/diagnose/")
    page.fill(BOX, "Traceback:\n\nAssertionError: Torch not compiled with CUDA enabled\n")
    result = page.locator(RESULT)
    cause = next(cause for cause in KNOWN.causes if cause.id == "cpu-only-build")
    expect(result).to_contain_text(cause.means[language].replace("`", ""))
    expect(result.locator("pre").first).to_have_text(
        "AssertionError: Torch not compiled with CUDA enabled"
    )
    expect(result).to_contain_text(cause.run[0])
    href = result.locator("a").first.evaluate("link => link.href")
    assert href == f"{address}{language}/check/not-available/#cpu-only-build"


@pytest.mark.parametrize("language", HERE.languages)
def test_a_list_of_what_to_do_is_a_list_and_names_are_code(
    page: Page, address: str, language: str
) -> None:
    page.goto(f"{address}{language}/reference/diagnose/")
    message = MESSAGES["offloaded-to-cpu"]
    page.fill(BOX, message.says[0])
    items = [line[2:] for line in message.fix[language].split("\n") if line.startswith("- ")]
    assert len(items) > 1
    expect(page.locator(f"{RESULT} li")).to_have_text([item.replace("`", "") for item in items])
    expect(page.locator(f"{RESULT} p > code").first).to_have_text('device_map="auto"')


def test_every_link_that_the_page_may_show_leads_somewhere(address: str) -> None:
    pages = read_pages(built_site())
    for language in HERE.languages:
        known = rules(HERE, language)
        for _, url in known["places"].values():
            path, _, anchor = url.partition("#")
            found = pages[f"{language}/{path}index.html"]
            assert not anchor or anchor in found.ids, url


def test_it_says_that_it_does_not_know(page: Page) -> None:
    page.fill(BOX, "my training is slow")
    expect(page.locator(RESULT)).to_contain_text("I don't know")
    expect(page.locator(RESULT)).to_contain_text("doctor.py")
    page.locator(".diagnose button", has_text="Clear").click()
    expect(page.locator(RESULT)).to_be_empty()
    expect(page.locator(BOX)).to_be_focused()


def test_a_table_is_shown_back_field_by_field(page: Page) -> None:
    sample = next(one for one in SAMPLES if one["id"] == "smi-mig-with-instances")
    page.fill(BOX, sample["text"])
    fields = page.locator(".diagnose__fields")
    expect(fields.locator("caption")).to_have_text(
        ["First line", "GPU 0", "MIG instance: GPU 0", "MIG instance: GPU 0", "Processes"]
    )
    row = fields.locator("tr", has_text="MIG M.")
    expect(row.locator("td").first).to_have_text("Enabled")
    (meaning,) = (one for one in KNOWN.fields if one.id == "mig" and one.value == "Enabled")
    expect(row.locator("td").last).to_have_text(meaning.text["en"])
    empty = fields.locator("td:last-child").evaluate_all("all => all.filter(e => !e.textContent)")
    assert empty == []


def test_the_doctor_s_own_commands_are_shown(page: Page) -> None:
    page.fill(BOX, next(one for one in SAMPLES if one["id"] == "doctor-json")["text"])
    expect(page.locator(RESULT)).to_contain_text("systemctl enable --now nvidia-fabricmanager")
    expect(page.locator(RESULT)).to_contain_text("Error 802")


HOSTILE = {
    "HTML": "<img src=x onerror='harmed=1'><script>harmed=1</script> CUDA error: out of memory",
    "entities": "&lt;img src=x onerror=window.harmed=1&gt; CUDA error: out of memory",
    "colours": "\x1b[31mCUDA error\x1b[0m: out of memory",
    "right to left": "\u202eשלום\u202c CUDA error: out of memory",
    "name of a GPU": "| NVIDIA-SMI 580.1 Driver Version: 580.1 |\n"
    "| 0 <img src=x onerror=harmed=1> On | 00000000:01:00.0 Off | 0 |\nCUDA error: out of memory",
    "doctor": '{"diagnosis": {"code": "<img src=x onerror=harmed=1>", "next": ["<b>"]}}'
    " CUDA error: out of memory",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_whatever_is_pasted_becomes_no_part_of_the_page(page: Page, kind: str) -> None:
    page.fill(BOX, HOSTILE[kind])
    expect(page.locator(RESULT)).to_have_attribute("data-verdict", "fault")
    assert page.locator(f"{RESULT} :is(img, script, b)").count() == 0
    assert not page.evaluate("window.harmed")


def test_of_five_megabytes_the_box_keeps_what_is_looked_at(page: Page) -> None:
    page.focus(BOX)
    page.eval_on_selector(
        BOX,
        """(box, said) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", "a line of a log\\n".repeat(330_000) + said);
          box.dispatchEvent(new ClipboardEvent("paste", {clipboardData, cancelable: true}));
        }""",
        "CUDA error: out of memory",
    )
    expect(page.locator(RESULT)).to_contain_text("only its first and last 100,000 characters")
    expect(page.locator(RESULT)).to_have_attribute("data-cause", "out-of-memory")
    assert page.eval_on_selector(BOX, "box => box.value.length") <= 2 * LONGEST + 1


def test_a_short_text_can_be_put_into_a_link_and_a_long_one_cannot(page: Page) -> None:
    link = page.get_by_role("button", name="Copy a link with this text")
    expect(link).to_be_disabled()
    said = "显存：CUDA out of memory. Tried to allocate 2 GiB <b>"
    page.fill(BOX, said)
    link.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == location(page) and "#text=" in copied
    page.fill(BOX, "x" * 1501)
    expect(link).to_be_disabled()
    other = page.context.new_page()
    other.goto(copied)
    expect(other.locator(BOX)).to_have_value(said)
    expect(other.locator(RESULT)).to_have_attribute("data-cause", "out-of-memory")
    other.close()


@pytest.mark.parametrize("code", ["text=", "text=%%%", "text=AAAA////", "text=_-_", "causes"])
def test_a_broken_link_does_nothing(page: Page, code: str) -> None:
    page.goto("about:blank")
    page.go_back()
    page.evaluate("code => { location.hash = code; }", code)
    expect(page.locator(".diagnose[data-ready]")).to_be_visible()


def test_it_works_from_a_file(browser: Browser) -> None:
    page = browser.new_page()
    page.goto((built_site() / "en/reference/diagnose/index.html").as_uri())
    page.fill(BOX, "CUDA error: out of memory")
    expect(page.locator(RESULT)).to_have_attribute("data-cause", "out-of-memory")
    page.close()


@pytest.mark.parametrize("language", HERE.languages)
def test_it_fits_a_phone_and_can_be_read_by_everyone(
    page: Page, address: str, language: str
) -> None:
    page.goto(f"{address}{language}/reference/diagnose/")
    page.fill(BOX, next(one for one in SAMPLES if one["id"] == "smi-memory-full")["text"])
    expect(page.locator(".diagnose__fields")).to_be_visible()
    assert faults_on_a_phone(page, ".diagnose") == []


def test_without_javascript_the_table_is_there(plain: Page, address: str) -> None:
    plain.goto(f"{address}en/reference/diagnose/")
    expect(plain.locator(".diagnose noscript p")).to_be_visible()
    expect(plain.locator(".diagnose__box")).to_be_hidden()
    rows = plain.locator("#causes ~ * table tbody tr, #causes ~ table tbody tr")
    assert rows.count() == sum(cause.level != "healthy" for cause in KNOWN.causes)


def test_the_search_box_leads_there_from_a_long_text(page: Page, address: str) -> None:
    page.goto(f"{address}en/start/")
    page.fill(".md-search__input", "a line of a log\n" * 40 + "CUDA error: out of memory")
    links = page.locator(".md-search-result__item > a, .md-search-result__item a:first-of-type")
    expect(links.first).to_be_attached()
    hrefs = page.locator(".md-search-result__item").evaluate_all(
        "all => all.map(one => one.querySelector('a').href.split('?')[0])"
    )
    assert f"{address}en/reference/diagnose/" in hrefs[:3]


def test_what_is_pasted_before_the_rules_are_there_is_answered_when_they_come(
    browser: Browser, address: str
) -> None:
    """They come after the page, which has the box without them."""
    page, held = browser.new_page(), []
    page.route("**/diagnosis-rules.js", lambda route: held.append(route))
    page.goto(f"{address}en/reference/diagnose/")
    page.fill(BOX, "RuntimeError: No CUDA GPUs are available")
    page.wait_for_function("() => document.querySelector('script[src$=\"diagnosis-rules.js\"]')")
    expect(page.get_by_role("button", name="Copy a link")).to_be_enabled()  # the text was read
    expect(page.locator(f"{RESULT}[data-verdict]")).to_have_count(0)
    held[0].continue_()
    expect(page.locator(RESULT)).to_have_attribute("data-cause", "no-device")
    page.close()


def test_what_is_typed_before_the_scripts_are_there_is_answered_when_they_come(
    browser: Browser, address: str
) -> None:
    """They are asked for when the page has been drawn, and the box is in the page."""
    page, held = browser.new_page(), []
    page.route("**/diagnose.js", lambda route: held.append(route))
    page.goto(f"{address}en/reference/diagnose/", wait_until="load")
    page.fill(BOX, "RuntimeError: No CUDA GPUs are available")
    page.wait_for_function("() => document.querySelector('script[src$=\"/diagnose.js\"]')")
    expect(page.locator(".diagnose[data-ready]")).to_have_count(0)
    held[0].continue_()
    expect(page.locator(RESULT)).to_have_attribute("data-cause", "no-device")
    page.close()


def test_its_scripts_are_asked_for_when_the_page_has_loaded(browser: Browser, address: str) -> None:
    page, held, asked = browser.new_page(), [], []
    page.route("**/guide.js", lambda route: held.append(route))
    page.route("**/diagnose.js", lambda route: (asked.append(1), route.continue_()))
    page.goto(f"{address}en/reference/diagnose/", wait_until="commit")
    page.locator(".md-footer").wait_for()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")
    assert not asked
    held[0].continue_()
    expect(page.locator(".diagnose[data-ready]")).to_be_visible()
    assert asked
    page.close()


def test_the_texts_come_when_somebody_turns_to_the_box_and_again_if_they_did_not(
    browser: Browser, address: str
) -> None:
    page, asked = browser.new_page(), []
    page.route("**/diagnosis-texts.js", lambda route: (asked.append(1), route.abort()))
    page.goto(f"{address}en/reference/diagnose/")
    page.wait_for_function("() => typeof guideRules !== 'undefined'")
    assert not asked
    with page.expect_event("requestfailed"):
        page.fill(BOX, "RuntimeError: No CUDA GPUs are available")
    page.unroute("**/diagnosis-texts.js")
    page.fill(BOX, "RuntimeError: No CUDA GPUs are available\n")
    expect(page.locator(RESULT)).to_have_attribute("data-cause", "no-device")
    page.close()


@pytest.mark.parametrize("language", HERE.languages)
def test_what_is_told_is_told_once(language: str) -> None:
    """The page loads the rules for all who open it, and the texts only for those who paste."""
    judged, told = scripts(HERE, language).values()
    for cause in KNOWN.causes:
        means = json.dumps(backquoted(cause.means[language]), ensure_ascii=False)
        assert means in told and means not in judged
    assert len(judged) < len(told)
