"""A build that fails says why, and touches no folder that no build made."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from built_site import SITE_URL
from inline_build import InThisProcess
from small_guides import append

from gpu_guide import ROOT
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.site.build import MARKER, _write_root_pages, build
from gpu_guide.site.mkdocs import locate


@pytest.mark.build
def test_broken_links_fail_the_build_and_leave_the_old_site(
    small_project: Path, tmp_path: Path
) -> None:
    (small_project / "docs" / "zh" / "extra.md").write_text(
        "# 导航里没有的页面\n", encoding="utf-8"
    )
    line = append(
        small_project / "docs" / "en" / "start.md", "[x](nowhere.md) [y](index.md#no-such-id)"
    )
    out = tmp_path / "out"
    for folder in ("zh", "en"):
        (out / folder).mkdir(parents=True)
    (out / MARKER).touch()
    with pytest.raises(GuideError) as failure:
        build(Project(small_project), out, workers=InThisProcess())
    message = str(failure.value)
    assert f"docs/en/start.md:{line}: Doc file 'start.md' contains a link 'nowhere.md'" in message
    assert "index.md#no-such-id" in message
    assert "extra.md" in message
    assert sorted(path.name for path in out.iterdir()) == [MARKER, "en", "zh"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "project"]


@pytest.mark.build
def test_an_unknown_snippet_fails_the_build(small_project: Path, tmp_path: Path) -> None:
    append(small_project / "docs" / "zh" / "start.md", "```snippet\nno/such_snippet\n```")
    with pytest.raises(GuideError) as failure:
        build(Project(small_project), tmp_path / "out", workers=InThisProcess())
    assert "no/such_snippet" in str(failure.value)
    assert "start.md" in str(failure.value)
    assert "Traceback" not in str(failure.value)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that goes through in no time: what is tested is which folder it replaces."""

    def build_all(out: Path, *_: object) -> list[str]:
        out.mkdir()
        _write_root_pages(out, HERE, SITE_URL)
        return []

    monkeypatch.setattr("gpu_guide.site.build._build_all", build_all)
    monkeypatch.setattr("gpu_guide.pages.translations.stale", lambda project: {})


def tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Somebody's folders: a project, another bilingual site, a book."""
    for file in (
        "guide/docs/zh/a.md",
        "guide/docs/en/a.md",
        "guide/snippets/a.py",
        "guide/.git/HEAD",
        "other/zh/a.md",
        "other/en/a.md",
        "other/index.html",
        "thesis/thesis.tex",
        "file",
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("years of work", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("out", "why"),
    [
        ("guide/docs", "belongs to docs of the project"),
        ("guide/docs/new", "belongs to docs of the project"),
        ("guide/docs/../snippets", "belongs to snippets of the project"),
        ("guide/.git", "belongs to .git of the project"),
        ("guide", "the project lies in it"),
        (".", "the project lies in it"),
        ("other", "holds something other than a built site"),
        ("thesis", "holds something other than a built site"),
        ("file", "holds something other than a built site"),
    ],
)
def test_a_folder_that_no_build_made_is_not_touched(
    home: Path, written: None, out: str, why: str
) -> None:
    before = tree(home)
    with pytest.raises(GuideError, match=rf"{re.escape(why)}.* — choose "):
        build(Project(home / "guide"), home / out)
    assert tree(home) == before


def test_every_folder_of_the_project_is_a_source() -> None:
    """A new one has to be named, or a build could be told to replace it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a clone of the repository")
    folders = {name.partition("/")[0] for name in listed.stdout.split("\0") if "/" in name}
    assert {name for name in folders if not name.startswith(".")} <= HERE.own_folders


@pytest.mark.parametrize("first", ["nothing", "empty", "built"])
def test_a_new_an_empty_and_a_built_folder_are_built_into(
    home: Path, written: None, first: str
) -> None:
    out = home / "guide" / "site"
    if first == "empty":
        out.mkdir()
    if first == "built":
        build(Project(home / "guide"), out)
        (out / "page-that-is-gone.html").touch()
    build(Project(home / "guide"), out)
    assert (out / "index.html").is_file() and not (out / "page-that-is-gone.html").exists()


@pytest.mark.parametrize("url", ["example.org/guide", "ftp://example.org/", "https://e.org/?a"])
def test_a_site_url_that_is_no_folder_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(GuideError, match="not the address of a folder"):
        build(HERE, tmp_path / "out", url)


def test_a_message_without_a_link_is_left_alone(tmp_path: Path) -> None:
    assert locate("something else", tmp_path) == "something else"
