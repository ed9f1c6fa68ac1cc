"""A page that is behind its other half, or lacks one, says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from built_site import LANGUAGES, SITE_URL, check_site, read_pages
from inline_build import InThisProcess
from small_guides import append

from gpu_guide.project import HERE, Project
from gpu_guide.site.build import build


@pytest.mark.build
def test_a_stale_page_says_so_and_only_that_page(small_project: Path, tmp_path: Path) -> None:
    for page in (small_project / "docs").rglob("*.md"):
        if page == small_project / "docs" / "zh" / "start.md":
            text = page.read_text(encoding="utf-8").replace("---\n", "---\ntwin: older\n", 1)
            page.write_text(text, encoding="utf-8")
    build(Project(small_project), tmp_path / "out", workers=InThisProcess())
    noticed = {
        name
        for name in read_pages(tmp_path / "out")
        if 'class="stale-notice"' in (tmp_path / "out" / name).read_text(encoding="utf-8")
    }
    assert noticed == {"zh/start/index.html"}


NEW = """---
title: 只有中文的页面
description: 这一页只有中文，用来看英文站在它的位置上显示什么。
---

# 只有中文的页面

见[开头](start.md)。

## 先看 `device` { #first-look }

正文。
"""


@pytest.mark.build
def test_a_page_in_one_language_fails_nothing_and_the_other_site_says_so(
    small_project: Path, tmp_path: Path
) -> None:
    docs = small_project / "docs"
    for language in LANGUAGES:
        append(docs / language / "start.md", "[a new page](new.md#first-look)")
        append(docs / language / "start.md", "[a new lab](labs/new.ipynb)")
    (docs / "zh/new.md").write_text(NEW, encoding="utf-8")
    (docs / "zh/labs").mkdir()
    for suffix in (".md", ".ipynb"):
        text = (HERE.root / f"docs/zh/labs/transfers{suffix}").read_text(encoding="utf-8")
        text = re.sub(r"twin: .*\n", "", text).replace("transfers", "new")
        text = re.sub(r'((?:title|description)"?: "?)', r"\1只有中文的实验，", text)
        text = re.sub(r"\[([^]\"\n]*)\]\([^)\"\n]*\.(?:md|ipynb)[^)\"\n]*\)", r"\1", text)
        (docs / f"zh/labs/new{suffix}").write_text(text, encoding="utf-8")
    config = small_project / "mkdocs.yml"
    text = config.read_text(encoding="utf-8")
    nav = "- start.md\n  - new.md\n  - labs/new.ipynb"
    config.write_text(text.replace("- start.md", nav), encoding="utf-8")
    project = Project(small_project)
    assert build(project, tmp_path / "out", SITE_URL, workers=InThisProcess()) == []
    problems = check_site(tmp_path / "out", SITE_URL)
    # But for pages that the theme and the lab lead to, and that two pages do not have.
    assert [one for one in problems if not one.endswith("which is not there")] == []

    pages = read_pages(tmp_path / "out")
    written, notice = pages["zh/new/index.html"], pages["en/new/index.html"]
    assert not written.noindex and written.canonical == f"{SITE_URL}zh/new/"
    assert notice.noindex and not notice.canonical and notice.lang == "en"
    assert written.alternates == notice.alternates == {}
    assert "只有中文的页面" in notice.title and "first-look" in notice.ids
    text = (tmp_path / "out" / "en/new/index.html").read_text(encoding="utf-8")
    (aside,) = re.findall(r'<aside class="stale-notice">.*?</aside>', text, re.DOTALL)
    assert "not written in English yet" in aside and "../../zh/new/" in aside
    switches = [link.target for link in written.links if link.target.endswith("/en/new/")]
    assert switches, "the language switch leads to the notice"
    assert "/new/" not in (tmp_path / "out" / "en/sitemap.xml").read_text(encoding="utf-8")
    assert '"new/' not in (tmp_path / "out" / "en/search/search_index.json").read_text("utf-8")
    assert '"new/' in (tmp_path / "out" / "zh/search/search_index.json").read_text("utf-8")
    assert pages["en/start/index.html"].alternates  # and no other page lost its other half
    assert "stale-notice" not in (tmp_path / "out" / "zh/new/index.html").read_text("utf-8")

    lab, notice = (pages[f"{language}/labs/new/index.html"] for language in ("zh", "en"))
    assert not lab.noindex and notice.noindex and lab.alternates == notice.alternates == {}
    assert "只有中文的实验" in notice.title and notice.lang == "en" and "stopwatch" in notice.ids
    assert (tmp_path / "out" / "zh/labs/new.ipynb").is_file()
    assert not (tmp_path / "out" / "en/labs/new.ipynb").exists()
