"""Names in the search box: each has one home, which comes first, whatever else has its letters."""

from __future__ import annotations

import pytest
from browser import computed
from playwright.sync_api import Page, expect

from gpu_guide import fast_yaml
from gpu_guide.data.homes import load_homes
from gpu_guide.project import HERE
from gpu_guide.render.homes import homes
from gpu_guide.site.search import _address

pytestmark = pytest.mark.browser

LANGUAGES = ["zh", "en"]
NAMES = fast_yaml.load((HERE.tests / "data/queries/names.yml").read_text("utf-8"))
ENTERED = """async ([language, queries]) => {
  const index = await fetch(`${language}search/search_index.json`).then((found) => found.json());
  for (const read of [readWords, readPlaces, readHomes, readRanking, readMessages]) read(index);
  const highest = (item) => item.reduce((best, one) => (one.score > best.score ? one : best));
  const first = (query) => answer(query).items.slice(0, 1);
  return queries.map((query) => first(query).map((item) => highest(item).location)[0]);
}"""
"""What Enter opens: in the first entry of the list, the place with the highest score."""


def entered(page: Page, site: str, queries: list[str]) -> list[str]:
    page.goto(site)
    page.add_script_tag(url=f"{site}assets/search-answers.js")
    return computed(page, ENTERED, [site, queries])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_name_leads_to_its_home(page: Page, address: str, language: str) -> None:
    found = entered(page, f"{address}{language}/", [one["query"] for one in NAMES])
    missed = {
        one["query"]: place for one, place in zip(NAMES, found, strict=True) if place != one["home"]
    }
    assert missed == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_of_torch_and_stated_ones_are_found(page: Page, address: str, language: str) -> None:
    known = homes(HERE)
    names = [name for name in known if name.startswith("torch.") or name in load_homes(HERE)]
    names = names[LANGUAGES.index(language) :: 5]  # a fifth, because each takes its time
    found = entered(page, f"{address}{language}/", names)
    pairs = zip(names, found, strict=True)
    missed = {name: place for name, place in pairs if place != _address(known[name])}
    assert missed == {}


@pytest.mark.parametrize(
    ("query", "page_first"),
    [
        # words of a message that the name has not: the message, or what it means, comes first
        ("torch.cuda.is_available() False", "check/not-available/"),
        ("No module named 'flash_attn'", None),
    ],
)
def test_a_name_with_words_of_a_message_is_no_name(
    page: Page, address: str, query: str, page_first: str | None
) -> None:
    place = entered(page, f"{address}en/", [query])[0]
    if page_first:
        assert place.startswith(page_first)
    assert place != _address(homes(HERE).get(query, ""))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_of_apis_leads_to_the_same_homes(page: Page, address: str, language: str) -> None:
    page.goto(f"{address}{language}/reference/apis/")
    for name in ("torch.cuda.Stream", "torch.cuda.device", "torch.distributed.all_reduce"):
        entry = page.locator(f'dt[id="{name}"] + dd a').first
        expect(entry).to_have_attribute("href", f"../../{_address(homes(HERE)[name])}")
