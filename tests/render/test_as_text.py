"""Pages as Markdown: what machines and readers who copy a page are given."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from built_site import SITE_URL, built_site, language_pages

from gpu_guide.data.pictures import load_pictures
from gpu_guide.labs import notebook
from gpu_guide.pages.fences import GUIDE_FENCES
from gpu_guide.pages.lines import scan
from gpu_guide.pages.page import load_pages
from gpu_guide.project import HERE
from gpu_guide.records.evidence import pinned_torch, runs
from gpu_guide.records.store import load_records
from gpu_guide.render.as_text import PageText, address_of
from gpu_guide.render.html_text import markdown_of
from gpu_guide.snippets.model import load_snippets

ROOT = "https://guide.example/"


@pytest.fixture(scope="module", params=HERE.languages)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def text(language: str) -> PageText:
    return PageText(HERE, language, ROOT)


@pytest.fixture(scope="module")
def every(language: str, text: PageText) -> dict[str, str]:
    """Each page of the language as Markdown, by its source."""
    found = {}
    for page in load_pages(HERE)[0][language].values():
        source = page.named
        if source.endswith(".ipynb"):
            markdown = notebook.page_markdown(notebook.read(page.path.with_suffix(".ipynb")))
        else:
            markdown = page.path.read_text(encoding="utf-8")
        found[source] = text(markdown.split("\n---\n", 1)[1], source)
    return found


@pytest.mark.slow
def test_nothing_is_left_that_only_this_site_knows(every: dict[str, str]) -> None:
    assert len(every) > 80
    for source, shown in every.items():
        lines, fences = scan(shown, front=False)
        assert not [fence for fence in fences if fence.language in GUIDE_FENCES], source
        prose = "\n".join(line.text for line in lines if line.kind == "prose")
        prose = re.sub(r"(`+).*?\1", "", prose)
        left_over = r"%[A-Z]+%|^ *(!!!|\?\?\?|===) |\{ ?#|</?(div|svg|a)\b"
        assert not re.search(left_over, prose, re.MULTILINE), source
        for target in re.findall(r"\]\(([^)\s]*)", prose):
            assert re.match(r"https?://|mailto:", target), (source, target)


@pytest.mark.slow
def test_every_snippet_of_a_page_stands_there_with_its_outputs(
    language: str, every: dict[str, str]
) -> None:
    snippets, records = load_snippets(HERE), load_records(HERE)
    shown = 0
    for page in load_pages(HERE)[0][language].values():
        text = every[page.named]
        for use in page.snippets:
            assert f"{ROOT}snippets/{use.name}.py" in text, (page.named, use.name)
            if not use.options:
                found = snippets[use.name]
                first = runs(found, records, pinned_torch(HERE.constraints))[0]
                assert found.code(language, first.prints) in text, (page.named, use.name)
                shown += 1
    assert shown > 300


def test_blocks_are_readable_without_this_site(text: PageText, language: str) -> None:
    shown = text(
        "# T { #t }\n\n"
        '!!! warning "W"\n\n    Do not.\n\n    ```bash\n    a  b\n    ```\n\n'
        '=== "Linux"\n\n    ```text\n    === "no tab" { #x }\n    ```\n\n'
        "Then [a page](../to/copies.md#x), [here](#y), `[no](link.md) { #z }`.\n\n"
        "<!-- hidden -->\n",
        "check/index.md",
    )
    assert shown == (
        "# T\n\n> **W**\n>\n> Do not.\n>\n> ```bash\n> a  b\n> ```\n\n"
        '**Linux**\n\n```text\n=== "no tab" { #x }\n```\n\n'
        f"Then [a page]({ROOT}{language}/to/copies/#x), [here]({ROOT}{language}/check/#y), "
        "`[no](link.md) { #z }`.\n"
    )


def test_a_term_is_linked_once_and_neither_in_code_nor_in_a_heading() -> None:
    shown = PageText(HERE, "en", ROOT)(
        "# Wheel\n\nA `wheel`, a wheel and a wheel.\n\n```text\nwheel\n```\n", "check/index.md"
    )
    link = f"[wheel]({ROOT}en/reference/glossary/#wheel)"
    assert shown == f"# Wheel\n\nA `wheel`, a {link} and a wheel.\n\n```text\nwheel\n```\n"


def test_a_picture_is_its_words(every: dict[str, str], language: str) -> None:
    words = load_pictures(HERE)
    shown = "\n".join(every.values())
    used = [
        fence.content[0].strip()
        for page in load_pages(HERE)[0][language].values()
        for fence in page.fences
        if fence.language == "picture"
    ]
    assert used
    for name in used:
        assert words[name].texts[language]["text"] in shown, name


@pytest.mark.parametrize(
    ("target", "leads"),
    [
        ("copies.md", "to/copies/"),
        ("index.md#a", "to/#a"),
        ("../index.md", ""),
        ("../labs/leak.ipynb#b", "labs/leak/#b"),
        ("#c", "to/modules/#c"),
    ],
)
def test_addresses_are_those_of_the_site(target: str, leads: str) -> None:
    assert address_of(f"{ROOT}en/to/modules.md", target) == f"{ROOT}en/{leads}"


def test_html_of_a_table_says_each_cell_of_a_row() -> None:
    html = (
        "<table><thead><tr><th>a</th><th><code>b</code></th></tr></thead><tbody>"
        '<tr><th>1</th><td rowspan="2">x | y</td></tr><tr><th>2</th></tr></tbody></table>'
        '<p><small>From <a href="https://e.org/">E &amp; F</a></small></p><script>no()</script>'
        "<form><label>no<textarea></textarea></label></form>"
    )
    assert markdown_of(html) == (
        "| a | `b` |\n| --- | --- |\n| 1 | x \\| y |\n| 2 | x \\| y |\n\n"
        "From [E & F](https://e.org/)"
    )
    drawn = "<figure><svg><title>T</title><desc>D</desc><text>no</text></svg></figure>"
    assert markdown_of(drawn) == "T\n\nD"


# --- the built site ------------------------------------------------------------------------------


@pytest.mark.build
@pytest.mark.parametrize("lang", HERE.languages)
def test_each_page_lies_beside_its_html_and_is_linked(lang: str) -> None:
    site = built_site()
    # A message's own page has nothing that the page of its group does not have.
    own = "reference/message/"
    pages = [name for name in language_pages(site, lang) if not name.startswith(own)]
    for name in pages:
        html = site / lang / name
        address = f"{SITE_URL}{lang}/{name.removesuffix('index.html')}"
        assert 'type="text/markdown" href="index.md"' in html.read_text(encoding="utf-8"), name
        text = html.with_name("index.md").read_text(encoding="utf-8")
        assert text.startswith("# ") and f"<{address}>" in text, name
    assert len(list((site / lang).rglob("index.md"))) == len(pages)


@pytest.mark.build
@pytest.mark.parametrize("lang", HERE.languages)
def test_lists_name_every_page_once(lang: str) -> None:
    site: Path = built_site()
    listed = re.findall(r"\]\((.*?)\)", (site / lang / "llms.txt").read_text(encoding="utf-8"))
    files = [site / address.removeprefix(SITE_URL) for address in listed]
    assert all(file.is_file() for file in files)
    pages = [file for file in files if file.name == "index.md"]
    assert len(pages) == len(set(pages)) and set(pages) == set((site / lang).rglob("index.md"))
