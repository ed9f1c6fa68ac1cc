"""Sections that pages ever had: each id is still there, or leads to where its words went.

`PYTHONPATH=. python tests/pages/test_anchors.py` notes the ids of today.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from gpu_guide.checks import _sections_gone
from gpu_guide.data import addresses
from gpu_guide.pages.page import load_pages
from gpu_guide.project import HERE, Project

NOTED = Path(__file__).parents[1] / "data" / "anchors.yml"
"""By page, the ids that it ever had."""


def present(language: str) -> dict[str, set[str]]:
    pages = load_pages(HERE)[0][language].values()
    return {page.address.removesuffix(".md"): {id for id, _ in page.ids} for page in pages}


def noted() -> dict[str, set[str]]:
    found = yaml.safe_load(NOTED.read_text(encoding="utf-8"))
    return {page: set(ids.split()) for page, ids in found.items()}


@pytest.mark.parametrize("language", sorted(HERE.languages))
def test_an_old_link_to_a_section_finds_its_words(language: str) -> None:
    here, gone = present(language), addresses.sections(HERE.addresses)
    lost = {
        f"{page}#{id}"
        for page, ids in noted().items()
        if page in here  # the hash of a page that moved is taken along
        for id in ids - here[page]
        if f"{page}#{id}" not in gone
    }
    assert lost == set()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("check/index#log: check/index#log", "is no section that went away"),
        ("check/gone#old: check/index#log", "is no section that went away"),
        ("check/index#old: check/index#other", "leads to 'check/index#other', no section"),
        ("check/index#old:", "leads to '', no section"),
        ("check/index#old: check/index#log", ""),
    ],
)
def test_what_leads_nowhere_is_told(tmp_path: Path, line: str, told: str) -> None:
    for file, language in (("mkdocs.yml", "zh"), ("mkdocs.en.yml", "en")):
        (tmp_path / file).write_text(f"docs_dir: docs/{language}\n", encoding="utf-8")
        page = tmp_path / "docs" / language / "check" / "index.md"
        page.parent.mkdir(parents=True)
        page.write_text("# T\n\n## Log { #log }\n", encoding="utf-8")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "addresses.yml").write_text(f"{line}\n", encoding="utf-8")
    found = {problem.what for problem in _sections_gone(Project(tmp_path))}
    assert all(told and told in what for what in found) and bool(found) == bool(told)


def _note() -> None:
    ids = noted() if NOTED.is_file() else {}
    for page, here in present(HERE.languages[0]).items():
        ids[page] = ids.get(page, set()) | here
    lines = (f"{page}: {' '.join(sorted(ids[page]))}\n" for page in sorted(ids) if ids[page])
    NOTED.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    _note()
