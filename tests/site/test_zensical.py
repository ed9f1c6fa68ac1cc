"""The second builder: Zensical, which follows Material for MkDocs, makes the same small guide.

Once a week .ci/weekly/zensical builds the whole one with both.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from built_site import SITE_URL
from inline_build import InThisProcess
from small_guides import append, two_pages

from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.site import zensical
from gpu_guide.site.build import Workers, build
from gpu_guide.site.compare_builds import differences, lost, table

pytestmark = pytest.mark.build


def test_a_small_guide_is_the_same_and_says_what_is_wrong(tmp_path: Path) -> None:
    two_pages(tmp_path)
    project = Project(tmp_path)
    build(project, tmp_path / "mkdocs", SITE_URL, workers=InThisProcess())
    build(project, tmp_path / "zensical", SITE_URL, workers=Workers(zensical.build_language))
    for language in project.languages:
        found = differences(tmp_path / "mkdocs" / language, tmp_path / "zensical" / language)
        assert not lost(found), table(found, "mkdocs", "zensical")
        for name in ("404.html", "index.html"):
            html = (tmp_path / "zensical" / language / name).read_text(encoding="utf-8")
            assert ("noindex" in html) == (name == "404.html")
    line = append(project.docs / "en" / "start.md", "[nowhere](nowhere.md)")
    with pytest.raises(GuideError, match=r"nowhere") as failed:
        build(project, tmp_path / "again", workers=Workers(zensical.build_language))
    assert "[en]" in str(failed.value) and str(line) in str(failed.value)
