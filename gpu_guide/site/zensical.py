"""One Zensical build, of one language: Zensical follows Material for MkDocs after 2027-05-05.

It has no plugins, so that what our plugin does while MkDocs builds is done here before and after:
a copy of the pages, with notebooks and notices as Markdown, and settings that hold what templates
read. contributing/publishing.md lists what only MkDocs can do, each with a plan.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mkdocs.utils import yaml_load

from gpu_guide.data.addresses import url_of
from gpu_guide.labs.notebook import page_markdown, read
from gpu_guide.pages import nav, translations
from gpu_guide.pages.page import load_pages
from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.render.as_text import PageText
from gpu_guide.render.words import Words
from gpu_guide.site import both_builders, llms_txt, message_pages, social_cards
from gpu_guide.site.mkdocs import Report
from gpu_guide.site.narrow import narrow
from gpu_guide.site.small_pages import small
from gpu_guide.site.social_cards import Cards
from gpu_guide.site.untranslated import notice

_SETTINGS = "zensical.yml"  # JSON is YAML, too
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n+", re.DOTALL)


def build_language(language: str, project: Project, out: Path, site_url: str | None) -> Report:
    """Build the language's pages of the project into `out`, as that of mkdocs.py does."""
    with project.configs[language].open(encoding="utf-8") as file:
        given = yaml_load(file)
    site_root = given["extra"]["site_root"] = site_url or given["extra"]["site_root"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        try:
            if find_spec("zensical") is None:
                remedy = "run `python -m pip install zensical`"
                raise fault(None, None, "Zensical is missing", remedy)
            cards = Cards(project, language, given["site_name"])
            settings = _settings(project, language, given, cards)
            _copy(project, language, given, folder)
            (folder / _SETTINGS).write_text(json.dumps(settings), encoding="utf-8")
            problems = _run(folder)
            if not problems:
                shutil.copytree(folder / "site", out)
                _finish(out, project, language, given, cards)
        except GuideError as error:
            problems = [str(error)]
    said = tuple(f"[{language}] {problem}" for problem in problems)
    return Report(language, site_root, said, bool(said))


def _settings(
    project: Project, language: str, given: dict[str, Any], cards: Cards
) -> dict[str, Any]:
    """What differs from the language's own settings, which these inherit."""
    extra = both_builders.template_settings(project, language, given["extra"], cards)
    extra["covered"] = {page: asdict(one) for page, one in extra["covered"].items()}
    options = {"root": str(project.root), "language": language}
    site_root = given["extra"]["site_root"]
    return {
        "INHERIT": project.configs[language].name,
        "site_url": f"{site_root}{language}/",
        "copyright": both_builders.with_edition(project, given.get("copyright"), given["extra"]),
        "exclude_docs": "",
        "markdown_extensions": {"gpu_guide.render": options},
        "extra": extra | {"site_root": site_root, "as_text": True},
    }


def _copy(project: Project, language: str, given: dict[str, Any], folder: Path) -> None:
    """Write what Zensical builds into `folder`. Raises GuideError."""
    for config in project.configs.values():
        text = config.read_text(encoding="utf-8")
        (folder / config.name).write_text(text.replace(".ipynb\n", ".md\n"), encoding="utf-8")
    shutil.copytree(project.theme, folder / project.theme.name)
    docs = folder / project.docs.name / language
    shutil.copytree(project.docs / language, docs)
    for path in docs.rglob("*.ipynb"):
        path.with_suffix(".md").write_text(page_markdown(read(path)), encoding="utf-8")
        path.unlink()
    other = project.other_than(language)
    codes = {one["lang"]: one["hreflang"] for one in given["extra"]["alternate"]}
    for address, page in translations.unwritten(project, language).items():
        url = _url(address)
        text = notice(page, codes[other], f"{'../' * (url.count('/') + 1)}{other}/{url}")
        (docs / address).parent.mkdir(parents=True, exist_ok=True)
        (docs / address).write_text(text, encoding="utf-8")
    for path in docs.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"\.ipynb(?=[)#])", ".md", text), encoding="utf-8")
    if project.errors.is_dir():
        (docs / message_pages.SHELL).parent.mkdir(parents=True)
        (docs / message_pages.SHELL).write_text(message_pages.SHELL_TEXT, encoding="utf-8")


def _run(folder: Path) -> list[str]:
    """Build what lies in the folder; return what Zensical complains about."""
    command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", _SETTINGS]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    said = _COLOUR.sub("", done.stdout + done.stderr).strip()
    return [said or "Zensical stopped"] if done.returncode else []


def _finish(
    out: Path, project: Project, language: str, given: dict[str, Any], cards: Cards
) -> None:
    """What the plugin does after the build. Raises GuideError."""
    say, site_root = Words(language), given["extra"]["site_root"]
    for path in out.rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        if path.is_relative_to(out / "reference" / "errors") and project.errors.is_dir():
            html = message_pages.with_copy_links(html, project, say)
        both_builders.write(path, small(narrow(html)))
    shell = (out / message_pages.SHELL).with_suffix("") / "index.html"
    if shell.is_file():
        text = shell.read_text(encoding="utf-8")
        shutil.rmtree(shell.parent)
        message_pages.write(text, out, project, language)
    texts = list(_texts(project, language, site_root))
    about = given["site_name"], given.get("site_description", "")
    llms_txt.write(texts, out, language, *about, f"{site_root}{language}/")
    if both_builders.published(site_root) and cards.font:
        for one in texts:
            cards.write(one.title, out / one.address / social_cards.NAME)
    (out / "sitemap.xml.gz").write_bytes(gzip.compress((out / "sitemap.xml").read_bytes(), mtime=0))
    both_builders.finish_files(out, project, language, site_root)


def _texts(project: Project, language: str, site_root: str) -> Iterator[llms_txt.Text]:
    """The pages of the navigation as Markdown."""
    as_text = PageText(project, language, site_root)
    pages = {page.named: page for page in load_pages(project)[0][language].values()}
    settings = project.configs[language]
    alone = {entry.address for entry in nav.entries(settings) if not entry.sections}
    for section, addresses in nav.sections(settings).items():
        for address in addresses:
            page = pages[address]
            source = project.docs / language / address
            notebook = source.suffix == ".ipynb"
            text = page_markdown(read(source)) if notebook else source.read_text(encoding="utf-8")
            markdown = as_text(_FRONT_MATTER.sub("", text), address)
            title, inside = (section, "") if address in alone else (page.title, section)
            yield llms_txt.Text(title, _url(address), inside, page.description, markdown)


def _url(address: str) -> str:
    return url_of(re.sub(r"\.(?:md|ipynb)$", "", address))
