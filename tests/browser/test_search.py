"""The search box of the built site, in a browser: what it finds, and when it loads its index."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browser import answers, computed, top_results
from built_site import LANGUAGES, SITE_URL, built_site, language_pages
from playwright.sync_api import Page, Route, expect

from gpu_guide import ROOT, fast_yaml
from gpu_guide.data.search_words import load_aliases, load_synonyms
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.site.search import ANSWERS, finish_index

QUERIES = fast_yaml.load((ROOT / "data" / "search_queries.yml").read_text(encoding="utf-8"))
BOX = ".md-search__input"
RESULT = ".md-search-result__item"
INDEX = "/search/search_index.json"
LATE = (INDEX, ANSWERS)


@pytest.fixture
def asked(page: Page) -> list[str]:
    """The addresses that the page has asked for."""
    found: list[str] = []
    page.context.on("request", lambda request: found.append(request.url))
    return found


def late(asked: list[str]) -> set[str]:
    """What of the search has been asked for, besides the worker that waits."""
    return {name for name in LATE for url in asked if name in url}


# --- what is found -------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("language", LANGUAGES)
def test_search_finds_what_readers_type(page: Page, address: str, language: str) -> None:
    """All of the queries among the first three pages, nine of ten on top, none elsewhere."""
    root = urlsplit(address).path + language + "/"
    entries, first, missed, other = QUERIES[language], 0, {}, set()
    found_by_worker = answers(page, f"{address}{language}/", [one["query"] for one in entries])
    for entry, results in zip(entries, found_by_worker, strict=True):
        other |= {path for path in results if not path.startswith(root)}
        found = [path.removeprefix(root) for path in results[:3]]
        first += found[:1] != [] and found[0] in entry["pages"]
        if not set(found) & set(entry["pages"]):
            missed[entry["query"]] = found
    ratio = f"{language}: of {len(entries)} queries the right page is first for {first}"
    print(f"{ratio}, among the first three for {len(entries) - len(missed)}")
    assert missed == {}
    assert other == set()
    assert first >= 0.9 * len(entries), ratio


TYPED = """async ([language, question, others]) => {
  const index = await fetch(`${language}search/search_index.json`).then((found) => found.json());
  for (const read of [readWords, readPlaces, readHomes, readRanking, readMessages]) read(index);
  for (const other of others) answer(other);
  const said = [];
  for (let end = 1; end <= question.length; end++) said.push(answer(question.slice(0, end)));
  return said.map((one, at) => {
    readPlaces(index);  // forgets where the words of questions stand
    return JSON.stringify(one) === JSON.stringify(answer(question.slice(0, at + 1)));
  });
}"""


@pytest.mark.browser
@pytest.mark.parametrize(("language", "question"), [("zh", "锁页 gpus"), ("en", "pinned memry")])
def test_what_was_typed_before_changes_no_answer(
    page: Page, address: str, language: str, question: str
) -> None:
    """The worker remembers where words stand: those of so many questions that it forgets some."""
    site = f"{address}{language}/"
    page.goto(site)
    page.add_script_tag(url=f"{site}assets/search-answers.js")
    others = [f"{number}x" for number in range(450)]
    assert all(computed(page, TYPED, [site, question, others]))


@pytest.mark.build
def test_queries_and_aliases_lead_to_pages_of_the_site() -> None:
    site = built_site()
    for language in LANGUAGES:
        names = {name.removesuffix("index.html") for name in language_pages(site, language)}
        assert {page for entry in QUERIES[language] for page in entry["pages"]} <= names
        assert {place.partition("#")[0] for place in load_aliases(HERE, language)} <= names


def test_an_alias_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("mkdocs.yml", "mkdocs.en.yml"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    aliases = "zh:\n  to/: 移动\nen:\n  to/#gone: moves\n"
    (tmp_path / "data" / "search_aliases.yml").write_text(aliases, encoding="utf-8")
    index = tmp_path / "index.json"
    index.write_text('{"docs": [{"location": "to/", "title": "x", "text": ""}]}', encoding="utf-8")
    finish_index(index, Project(tmp_path), "zh")
    assert "移动" in index.read_text(encoding="utf-8")
    with pytest.raises(GuideError, match=r"data/search_aliases\.yml:4: 'to/#gone' is no page or"):
        finish_index(index, Project(tmp_path), "en")


# --- when it is loaded ---------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("open_box", ["/", "click", "pointer", "touch"])
def test_the_index_is_loaded_once_somebody_is_about_to_search(
    page: Page, address: str, asked: list[str], language: str, open_box: str
) -> None:
    if open_box == "touch":
        page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{address}{language}/start/", wait_until="networkidle")
    assert late(asked) == set()
    if open_box == "pointer":
        with page.expect_response(f"**{INDEX}"):
            page.hover(".md-search")
        return
    if open_box == "touch":
        page.click("header label[for=__search]")
    elif open_box == "click":
        page.click(BOX)
    else:
        page.keyboard.press("/")
    page.keyboard.insert_text("pinned")
    expect(page.locator(RESULT).first).to_be_visible()
    assert late(asked) == set(LATE)
    assert len([url for url in asked if INDEX in url]) == 1


@pytest.mark.browser
def test_what_was_typed_before_the_index_came_is_answered(page: Page, address: str) -> None:
    held: list[Route] = []
    page.route(f"**{INDEX}", lambda route: held.append(route))
    page.goto(f"{address}en/start/")
    with page.context.expect_event("request", lambda one: one.url.endswith(ANSWERS)):
        page.keyboard.press("/")  # the worker gets ready while the index is on its way
    page.keyboard.type("to_empty")
    expect(page.locator(".md-search-result__meta")).to_have_text("Initializing search")
    # What Enter does where the theme is not ready for it: it must not load the page anew.
    page.evaluate("document.forms.search.requestSubmit()")
    held[0].continue_()
    link = page.locator(f"{RESULT} > a").first
    expect(link).to_have_attribute("href", f"{address}en/device/meta/?h=to_empty")


@pytest.mark.browser
@pytest.mark.parametrize(("language", "query"), [("zh", "锁页内存"), ("en", "pinned memory")])
def test_a_link_to_a_search_searches_and_a_found_page_marks_the_words(
    page: Page, address: str, language: str, query: str
) -> None:
    page.goto(f"{address}{language}/start/?q={query.replace(' ', '+')}")
    expect(page.locator(BOX)).to_have_value(query)
    result = page.locator(f"{RESULT} > a").first
    expect(result).to_be_visible()
    page.goto(result.get_attribute("href") or "")
    assert urlsplit(page.url).path.endswith(f"/{language}/to/pinned-memory/")
    expect(page.locator("article mark").first).to_be_visible()


@pytest.mark.browser
def test_escape_closes_the_search_and_enter_leads_to_the_first_result(
    page: Page, address: str
) -> None:
    for key in ("Escape", "Enter"):
        page.goto(f"{address}en/start/")
        page.keyboard.press("s")
        page.keyboard.type("fully_shard")
        # Results of what was typed so far may be there before.
        first = page.locator(f"{RESULT} a").first
        expect(first).to_have_attribute("href", re.compile("/multi-gpu/fsdp2/"))
        page.keyboard.press(key)
        if key == "Escape":
            expect(page.locator(RESULT).first).to_be_hidden()
            assert page.url == f"{address}en/start/"
    page.wait_for_url(f"{address}en/multi-gpu/fsdp2/*")


@pytest.mark.browser
def test_parts_and_search_work_where_the_theme_swaps_pages(page: Page, address: str) -> None:
    """The theme's instant navigation, which replaces the content and keeps the scripts."""

    def instant(route: Route) -> None:
        answer = route.fetch()
        text = answer.text().replace('"features":[', '"features":["navigation.instant",')
        route.fulfill(response=answer, body=text.replace(SITE_URL, address))

    page.route(lambda url: url.endswith(("/", "sitemap.xml")), instant)
    page.goto(f"{address}en/memory/", wait_until="networkidle")
    page.evaluate("window.kept = true")
    page.click("nav a[href$='/memory/caching-allocator/']")
    expect(page.locator(".allocator[data-ready]")).to_be_visible()
    page.click("nav a[href$='/multi-gpu/']")
    page.click("nav a[href$='/multi-gpu/costs/']")
    expect(page.locator(".calculator[data-ready]")).to_be_visible()
    expect(page.locator(".calculator__inputs")).to_have_css("display", "grid")
    page.click(".md-tabs a[href$='/reference/diagnose/']")
    expect(page.locator(".diagnose[data-ready]")).to_be_visible()
    page.keyboard.press("/")
    assert top_results(page, "to_empty")[0].endswith("/en/device/meta/")
    assert page.evaluate("window.kept")


# --- words that mean the same --------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_stands_twice_in_a_group_of_synonyms(language: str) -> None:
    groups = load_synonyms(HERE, language)
    assert all(len(set(group)) == len(group) > 1 and all(group) for group in groups)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("query", "right", "first"),
    [
        ("memmory in use", "memory in use", "memory/"),
        ("vram fragmentation", "memory fragmentation", "memory/fragmentation/"),
        ("graident acumulation", "gradient accumulation", "memory/save/"),
        ("CUDNN_STATUS_NOT_INITALIZED", "CUDNN_STATUS_NOT_INITIALIZED", "answers/memory/"),
        ("CUBLAS_STATUS_NOT_INITIALISED", "CUBLAS_STATUS_NOT_INITIALIZED", "answers/memory/"),
        ("RuntimeErorr CUDA eror no kernel image", "no kernel image is", "install/compatibility/"),
        ("ModuleNotFoundErorr No module named torch", "No module named 'torch'", "install/repair/"),
    ],
)
def test_who_types_a_synonym_or_misspells_a_word_finds_the_same(
    page: Page, address: str, query: str, right: str, first: str
) -> None:
    page.goto(f"{address}en/start/")
    page.keyboard.press("/")
    found = top_results(page, right)[0]
    assert found.startswith(f"{urlsplit(address).path}en/{first}")
    assert top_results(page, query)[0] == found


# --- what the list shows -------------------------------------------------------------------------


@pytest.mark.browser
def test_of_a_place_that_part_is_shown_in_which_the_words_stand(page: Page, address: str) -> None:
    """With the words marked, in code too, and told which of them the place has not."""
    page.goto(f"{address}en/start/")
    page.keyboard.press("/")
    top_results(page, "max_split_size_mb zebra")
    first = page.locator(RESULT).first
    place = first.locator(".md-search-result__link").nth(1)
    marks = set(place.locator("mark").all_inner_texts())
    assert {mark.lower() for mark in marks} == {"max_split_size_mb"}
    assert place.locator("p, pre, ul, ol").count() <= 3
    assert all(text.count("\n") < 8 for text in place.locator("pre").all_inner_texts())
    expect(place.locator(".md-search-result__terms")).to_contain_text("zebra")
    assert "h=max_split_size_mb" in (place.get_attribute("href") or "")


@pytest.mark.browser
def test_the_end_of_a_word_is_suggested_and_taken_by_the_right_arrow(
    page: Page, address: str
) -> None:
    page.goto(f"{address}en/start/")
    page.keyboard.press("/")
    page.keyboard.type("fragm")
    expect(page.locator(".md-search__suggest")).to_have_text("fragmentation")
    page.keyboard.press("ArrowRight")
    expect(page.locator(BOX)).to_have_value("fragmentation")


@pytest.mark.build
def test_the_theme_s_search_engine_is_not_in_the_site() -> None:
    assert not [*built_site().rglob("lunr*"), *built_site().rglob("workers")]
