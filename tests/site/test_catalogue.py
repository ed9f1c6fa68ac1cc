"""snippets.json and the llms.txt of the whole site."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from built_site import SITE_URL, built_site

from gpu_guide.pages.page import load_pages
from gpu_guide.project import HERE
from gpu_guide.site import catalogue
from gpu_guide.snippets.model import load_snippets


def test_every_snippet_is_listed_with_what_it_is() -> None:
    entries = json.loads(catalogue.written(HERE, SITE_URL))["snippets"]
    snippets = load_snippets(HERE)
    assert [entry["name"] for entry in entries] == list(snippets)
    by_name = {entry["name"]: entry for entry in entries}
    for name, entry in by_name.items():
        snippet = snippets[name]
        assert (HERE.root / entry["path"]).read_text(encoding="utf-8") == snippet.source
        assert entry["title"].keys() == set(HERE.languages) and all(entry["title"].values())
        assert entry["sha256"] == snippet.sha256 and entry["needs"] == str(snippet.needs)
        assert entry["url"] == f"{SITE_URL}snippets/{name}.py"
        kinds = [one["on"] for one in entry["verified"]]
        assert ("cpu" in kinds) == (snippet.needs.kind != "cuda"), name
        assert set(kinds) <= {"cpu", "gpu", "stand-in", "cuda-build"}
        assert all(one["torch"] for one in entry["verified"])


def test_a_snippet_names_each_page_that_shows_it() -> None:
    entries = {
        one["name"]: one for one in json.loads(catalogue.written(HERE, SITE_URL))["snippets"]
    }
    for language, pages in load_pages(HERE)[0].items():
        for use in pages["check/index.md"].snippets:
            assert f"{SITE_URL}{language}/check/" in entries[use.name]["pages"][language]


def test_the_list_of_all_has_a_section_for_each_language(tmp_path: Path) -> None:
    for language, title in (("de", "Eins"), ("ja", "二")):
        (tmp_path / language).mkdir()
        text = f"# {title}\n\n> x\n\n## Teil\n\n- [a](b)\n"
        (tmp_path / language / "llms.txt").write_text(text, encoding="utf-8")
    for name in ("snippets.json", "ja/answers.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    assert catalogue.list_of_all(tmp_path, ["de", "ja"], "https://e.org/") == (
        "# Eins · 二\n\n- [snippets.json](https://e.org/snippets.json)\n"
        "- [ja/answers.json](https://e.org/ja/answers.json)\n\n"
        "## Eins\n\n> x\n\n### Teil\n\n- [a](b)\n\n## 二\n\n> x\n\n### Teil\n\n- [a](b)\n"
    )


@pytest.mark.build
def test_the_site_has_both_and_every_address_in_them_is_there() -> None:
    site = built_site()
    listed = re.findall(r"\]\((.*?)\)", (site / "llms.txt").read_text(encoding="utf-8"))
    entries = json.loads((site / "snippets.json").read_text(encoding="utf-8"))["snippets"]
    listed += [entry["url"] for entry in entries]
    listed += [page for entry in entries for pages in entry["pages"].values() for page in pages]
    assert len(listed) > 500
    for address in listed:
        path = site / address.removeprefix(SITE_URL)
        assert path.is_file() or (path / "index.html").is_file(), address
