"""Version, date, licences and feed: what the site and its files say of themselves agrees."""

from __future__ import annotations

import subprocess
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml

from gpu_guide import ROOT
from gpu_guide.project import HERE, Project
from gpu_guide.site.version import Edition, edition, feed

ATOM = "{http://www.w3.org/2005/Atom}"
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
SITE = "https://guide.example/"


def test_the_edition_is_the_projects_version_and_the_day_of_its_last_commit(tmp_path: Path) -> None:
    assert edition(Project(tmp_path)) == Edition("", "")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2"\n', encoding="utf-8")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@x"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    commit = [*git, "commit", "--quiet", "-m", "x"]
    day = {"GIT_COMMITTER_DATE": "2026-03-04T12:00:00", "HOME": str(tmp_path)}
    subprocess.run(commit, check=True, env=day | {"PATH": "/usr/bin:/bin:/usr/local/bin"})
    assert edition(Project(tmp_path)) == Edition("1.2", "2026-03-04")


def test_the_citation_names_the_version_of_the_project() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited["version"] == project["version"]
    assert cited["cff-version"] == "1.2.0" and cited["message"] and cited["authors"]
    assert "repository-code" not in cited  # nobody has said yet where it lies


@pytest.mark.parametrize("language", HERE.languages)
def test_the_feed_has_each_day_of_the_page_of_changes(language: str) -> None:
    root = ElementTree.fromstring(feed(HERE, language, SITE))
    page = (HERE.docs / language / "changes.md").read_text(encoding="utf-8")
    entries = root.findall(f"{ATOM}entry")
    assert len(entries) == page.count("\n## ")
    for entry in entries:
        anchor = entry.find(f"{ATOM}link").get("href").partition("#")[2]
        assert f"{{ #{anchor} }}" in page and entry.find(f"{ATOM}content").text
    days = [entry.find(f"{ATOM}updated").text for entry in entries]
    assert days == sorted(days, reverse=True) and root.find(f"{ATOM}updated").text == days[0]


def test_a_language_without_the_page_has_no_feed(tmp_path: Path) -> None:
    assert feed(Project(tmp_path), "en", SITE) is None


def test_texts_and_code_have_the_licences_that_the_pages_name() -> None:
    texts = {path.stem: path.read_text("utf-8") for path in (ROOT / "LICENSES").glob("*.txt")}
    assert texts.keys() == {"CC-BY-4.0", "MIT-0"}
    assert "Attribution 4.0 International" in texts["CC-BY-4.0"]
    assert "shall be included in all" not in texts["MIT-0"]
    for name in ("mkdocs.yml", "mkdocs.en.yml", "README.md", "README.zh.md"):
        said = (ROOT / name).read_text(encoding="utf-8")
        assert "CC BY 4.0" in said and "MIT-0" in said, name


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_speaks_both_languages_and_names_no_repository(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    form = yaml.safe_load(text)
    assert "github.com" not in text
    if path.stem == "config":
        return
    assert form["name"] and form["description"] and form["body"]
    for part in (part for part in form["body"] if part["type"] != "markdown"):
        label = part["attributes"]["label"]
        assert " · " in label or label == "GPU"
    ids = [part["id"] for part in form["body"] if "id" in part]
    assert len(ids) == len(set(ids))


def test_the_link_on_a_page_fills_in_a_field_of_the_form() -> None:
    template = (HERE.theme / "main.html").read_text(encoding="utf-8")
    assert "template=wrong-page.yml&amp;page=" in template
    form = yaml.safe_load((FORMS[0].parent / "wrong-page.yml").read_text(encoding="utf-8"))
    assert "page" in [part.get("id") for part in form["body"]]
