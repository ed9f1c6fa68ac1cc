"""The search index holds what the theme would put there, in one language."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from built_site import LANGUAGES, language_pages
from material.plugins.search.plugin import SearchIndex

from gpu_guide.site.cache import Site
from gpu_guide.snippets.model import HAN


@pytest.mark.build
def test_the_search_index_holds_what_the_theme_itself_would_put_there(site: Path) -> None:
    """Although it is not given the colours of code."""
    settings = {"lang": ["en"], "separator": r"\s", "pipeline": [], "fields": {}}
    theirs = SearchIndex(**settings)
    ours = Site().search_index(theirs)
    html = (
        '<h1 id="a">A <span class="k">b</span></h1>'
        '<p>one <span lang="en">two</span>\n<em> </em></p>'
        "<p><span data-search-exclude>hidden</span> three</p>"
        '<pre><code><span class="k">def</span><span class="w"> </span>f(\n\n<span class="c1">\n'
        "</span>  <span>x</span></code></pre>"
    )
    pages = [html, *(path.read_text("utf-8") for path in site.glob("en/to/**/index.html"))]
    for number, content in enumerate(pages):
        one = SimpleNamespace(meta={}, toc=[], title="A", url=f"{number}/", content=content)
        one.file = SimpleNamespace(src_uri=f"{number}.md")
        for index in (ours, theirs):
            index.add_entry_from_context(one)
        assert one.content == content
    assert len(ours.entries) > len(pages)
    assert [one for one in ours.entries if one not in theirs.entries] == []


@pytest.mark.build
def test_search_index_is_utf8_and_of_one_language(site: Path) -> None:
    raw = {code: (site / code / "search/search_index.json").read_bytes() for code in LANGUAGES}
    entries = {code: json.loads(raw[code])["docs"] for code in LANGUAGES}
    assert len(raw["zh"]) < len(json.dumps(entries["zh"]))
    zh, en = (language_pages(site, code) for code in LANGUAGES)
    alone = {name.removesuffix("index.html") for name in zh.keys() ^ en.keys()}
    places = [
        [e["location"] for e in entries[code] if e["location"].partition("#")[0] not in alone]
        for code in LANGUAGES
    ]
    assert places[0] == places[1]
    assert not [e["title"] for e in entries["en"] if HAN.search(e["title"])]
    assert [e["title"] for e in entries["zh"] if HAN.search(e["title"])]
