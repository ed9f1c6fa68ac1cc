"""The guide many times over: as many pages as asked for, each with its links and in the navigation.

The build of a thousand pages is measured by `make bench` and is in no test.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu_guide.cli import main
from gpu_guide.pages import nav
from gpu_guide.pages.page import load_pages
from gpu_guide.project import HERE
from gpu_guide.site.scale import larger


def test_pages_are_copied_with_links_that_lead_somewhere(tmp_path: Path) -> None:
    own = len(list((HERE.docs / "en").rglob("*.md")))
    grown = larger(HERE, tmp_path / "guide", own + 1)
    for language, found in load_pages(grown)[0].items():
        assert own < len(found) < 2 * own
        copies = {name for name in found if name.startswith("copy-1/")}
        assert "copy-1/memory/index.md" in copies and "copy-1/reference/glossary.md" not in copies
        sections = nav.sections(grown.configs[language])
        assert set(sections["Copy 1"]) == copies
        docs, links = grown.docs / language, 0
        for name in copies:
            text = (docs / name).read_text(encoding="utf-8")
            for target in links_to_pages(text):
                assert (docs / name).parent.joinpath(target).is_file(), f"{name}: {target}"
                links += 1
        assert links > 100


def links_to_pages(text: str) -> list[str]:
    """The links of a page to other pages, without their anchors."""
    return re.findall(r"\]\((?!\w+:)([^)#\s]+\.(?:md|ipynb))", text)


def test_an_unknown_part_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "larg"]) == 1
    assert "no part 'larg'" in capsys.readouterr().err
