"""The local server builds what has changed, and keeps the last good version."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest
from built_site import LANGUAGES, SITE_URL
from inline_build import InThisProcess
from small_guides import append

from gpu_guide import ROOT
from gpu_guide.pages.translations import mark_in_line
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.site.build import Workers, build
from gpu_guide.site.cache import Memory
from gpu_guide.site.serve import Versions, rebuild, serve, watched


@pytest.mark.build
def test_a_failed_rebuild_keeps_the_last_good_version(
    small_project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = Versions(tmp_path / "scratch", "http://127.0.0.1:8000", Project(small_project))
    versions.build()
    good, server = versions.current, SimpleNamespace(root="")
    page = small_project / "docs" / "zh" / "start.md"
    whole = page.read_text(encoding="utf-8")
    append(page, "```snippet\nno/such_snippet\n```")
    rebuild(versions, server)
    assert "no/such_snippet" in capsys.readouterr().err
    assert versions.current == good
    assert (good / "zh" / "start" / "index.html").is_file()

    page.write_text(whole + "\n修好了。\n", encoding="utf-8")
    rebuild(versions, server)
    assert server.root == str(versions.current) != str(good)
    assert "修好了" in (versions.current / "zh/start/index.html").read_text(encoding="utf-8")
    assert good.is_dir()  # the server may still be reading it
    rebuild(versions, server)
    assert good.is_dir()  # nothing had changed, so nothing was built
    page.write_text(whole, encoding="utf-8")
    rebuild(versions, server)
    assert not good.exists()
    assert "没有这个页面".encode() in (versions.error_page(404) or b"")
    versions.close()


@pytest.fixture
def languages_built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The languages that MkDocs was asked to build, in a build that takes no time."""
    asked: list[str] = []

    def build_some(
        _: Project, out: Path, url: str, *, unchanged: dict[str, Path], **__: object
    ) -> list[str]:
        for language in LANGUAGES:
            (out / language).mkdir(parents=True)
            if language not in unchanged:
                asked.append(language)
        return []

    monkeypatch.setattr("gpu_guide.site.serve.build", build_some)
    return asked


def touch(path: Path, text: str = "\n") -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.build
def test_only_the_language_that_was_touched_is_built_anew(
    small_project: Path, tmp_path: Path, languages_built: list[str]
) -> None:
    (small_project / "gpu_guide" / "labs").mkdir(parents=True)
    (small_project / "gpu_guide" / "labs" / "cells.py").touch()
    mark_in_line(Project(small_project), "start.md")
    versions = Versions(tmp_path / "scratch", "http://127.0.0.1:8000", Project(small_project))

    def after(path: str, text: str = "\n") -> list[str]:
        touch(small_project / path, text)
        languages_built.clear()
        versions.build()
        return list(languages_built)

    both = ["zh", "en"]
    assert after("docs/en/start.md") == both  # the first build
    assert after("docs/zh/start.md", " \n") == ["zh"]
    assert after("docs/en/start.md", " \n") == ["en"]
    # The other half has to tell its readers that this one has changed, once.
    assert after("docs/zh/start.md", "又一句。\n") == both
    assert after("docs/zh/start.md", "再一句。\n") == ["zh"]
    for shared in ("theme/assets/guide.css", "mkdocs.yml", "data/wheels.yml"):
        assert after(shared) == both, shared
    assert after("gpu_guide/render/cells.py") == both
    assert after("gpu_guide/labs/__pycache__/cells.pyc") == []


@pytest.mark.slow
def test_a_saved_snippet_rebuilds_the_languages_that_show_it_otherwise(
    small_project: Path, tmp_path: Path, languages_built: list[str]
) -> None:
    versions = Versions(tmp_path / "scratch", "http://127.0.0.1:8000", Project(small_project))
    versions.build()
    (small_project / "snippets" / "t").mkdir(parents=True)
    shown, alone = small_project / "snippets/start/move.py", small_project / "snippets/t/alone.py"
    code = shown.read_text(encoding="utf-8")
    assert code.count("# zh: ") and code.count("# en: ")

    def after(file: Path, text: str) -> list[str]:
        file.write_text(text, encoding="utf-8")
        languages_built.clear()
        versions.build()
        return list(languages_built)

    assert after(shown, code.replace("# zh: ", "# zh: 先", 1)) == ["zh"]
    assert after(shown, code + "\n") == ["zh"]  # back again; a blank line at the end shows nowhere
    assert after(shown, code.replace("# en: ", "# en: First, ", 1)) == ["en"]
    assert after(shown, f"{code}print(1)\n#> 1\n") == ["zh", "en"]
    assert after(shown, "malformed") == ["zh", "en"]  # for the build to say so
    assert after(shown, code) == ["zh", "en"]
    # What no page shows can be downloaded, and no more.
    assert after(alone, code) == []
    download = versions.current / "snippets/t/alone.py"
    assert download.read_text(encoding="utf-8").endswith(code)  # below what it needs


@pytest.mark.slow
def test_a_process_that_builds_is_kept_until_it_may_know_what_is_no_longer_so(
    small_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[object] = []

    def build_none(*_: object, workers: object, **__: object) -> list[str]:
        used.append(workers)
        return []

    monkeypatch.setattr("gpu_guide.site.serve.build", build_none)
    (small_project / "gpu_guide" / "render").mkdir(parents=True)
    versions = Versions(tmp_path / "scratch", "http://127.0.0.1:8000", Project(small_project))
    versions.build()
    for path in ("docs/en/start.md", "snippets/start/move.py", "docs/zh/start.md"):
        touch(small_project / path, "\nprint(1)\n#> 1\n")
        versions.build()
        assert used[-1] is used[-2], path
    assert len(used) == 4
    for path in ("data/wheels.yml", "theme/main.html", "gpu_guide/render/plot.py", "mkdocs.yml"):
        touch(small_project / path)
        versions.build()
        assert used[-1] is not used[-2], path


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.mark.build
def test_a_process_that_builds_again_makes_what_a_new_one_makes(
    small_project: Path, tmp_path: Path
) -> None:
    """It takes over what it made of pages that are as they were; the others tell of each change."""
    page, snippet = small_project / "docs/zh/index.md", small_project / "snippets/start/move.py"
    with Workers() as workers:
        build(Project(small_project), tmp_path / "first", SITE_URL, workers=workers)
        text = re.sub("^title: ", "title: 改过的", page.read_text(encoding="utf-8"), flags=re.M)
        page.write_text(text, encoding="utf-8")
        append(small_project / "docs/en/start.md", "One sentence more.")
        code = snippet.read_text(encoding="utf-8")
        snippet.write_text(code.replace("# zh: ", "# zh: 改过的注释", 1), encoding="utf-8")
        build(Project(small_project), tmp_path / "second", SITE_URL, workers=workers)
    build(Project(small_project), tmp_path / "new", SITE_URL, workers=InThisProcess())
    first, second = files_of(tmp_path / "first"), files_of(tmp_path / "second")
    assert second == files_of(tmp_path / "new")
    changed = {name for name in second if first.get(name) != second[name]}
    for name, told in {
        "zh/index.html": "改过的注释",
        "zh/start/index.html": "改过的zh index",  # in its menu
        "en/start/index.html": "One sentence more.",
    }.items():
        assert name in changed and told in second[name].decode(), name


def test_what_was_made_of_the_same_is_not_made_again() -> None:
    made: list[str] = []

    def make() -> int:
        made.append("")
        return len(made)

    memory = Memory()
    for page, key, expected in (("a", 1, 1), ("a", 1, 1), ("b", 1, 2), ("a", 2, 3), ("b", 1, 2)):
        assert memory.of(page, key, make) == expected
    memory.forget("b")
    assert memory.of("b", 1, make) == 4


def test_the_packages_below_are_watched_but_not_what_a_build_writes() -> None:
    paths = dict(watched(HERE))
    for package in {file.parent for file in (ROOT / "gpu_guide").rglob("*.py")}:
        assert paths[package] is False, package
    for name in ("docs", "snippets", "labs", "theme", "data", "records"):
        assert paths[ROOT / name] is True, name


@pytest.mark.build
def test_a_language_that_did_not_change_is_taken_over(small_project: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier"
    (earlier / "labs").mkdir(parents=True)
    (earlier / "index.html").write_text("as it was", encoding="utf-8")
    (earlier / "llms.txt").write_text("# 指南\n", encoding="utf-8")
    out = tmp_path / "out"
    taken = {"zh": earlier}
    build(Project(small_project), out, SITE_URL, unchanged=taken, workers=InThisProcess())
    assert (out / "zh" / "index.html").read_text(encoding="utf-8") == "as it was"
    assert (out / "en" / "start" / "index.html").is_file()


def test_a_port_in_use_is_named_before_anything_is_built() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(GuideError, match=f"port {port} of 127.0.0.1 cannot be used"):
            serve(Project(Path("no", "such", "project")), port=port)
