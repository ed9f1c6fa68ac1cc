"""What both builders tell the pages, in `extra` of the settings, and what they do with the files
that browsers load."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rcssmin import cssmin
from rjsmin import jsmin

from gpu_guide.data import addresses
from gpu_guide.data.addresses import url_of
from gpu_guide.pages import translations
from gpu_guide.pages.nav import entries
from gpu_guide.pages.page import load_pages
from gpu_guide.pages.steps import on_road, steps
from gpu_guide.project import Project
from gpu_guide.records.evidence import pinned_torch
from gpu_guide.render import diagnosis
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.term_links import explanations
from gpu_guide.site import editors, for_programs, message_pages, social_cards
from gpu_guide.site.json_ld import published
from gpu_guide.site.page_topics import covered
from gpu_guide.site.search import join_scripts
from gpu_guide.site.sections import sections
from gpu_guide.site.social_cards import Cards
from gpu_guide.site.theme_styles import used_names, without_unused
from gpu_guide.site.version import Edition, edition, feed
from gpu_guide.snippets.model import load_snippets


def template_settings(
    project: Project, language: str, given: dict[str, Any], cards: Cards
) -> dict[str, Any]:
    """What templates read besides what mkdocs.yml gives them; pages are named by their addresses.

    Raises GuideError for a page that cannot be read.
    """
    site_root, other = given["site_root"], project.other_than(language)
    alone = [*translations.unwritten(project, language), *translations.unwritten(project, other)]
    named = sections(project, language) if given.get("pdf_folder") else ()
    return {
        "scope": urlsplit(site_root).path,  # both share the choice of light or dark
        "stale": [_url(page) for page in translations.stale(project)[language]],
        "covered": {_url(page): one for page, one in covered(project, language).items()},
        "messages": message_pages.addresses(project),
        "one_language": [_url(page) for page in alone],
        "pdfs": {one.pages[0]: f"{one.name}-{language}.pdf" for one in named},
        "published": published(site_root),
        "card": social_cards.NAME if cards.font else "",
        "sections_gone": _sections_gone(project),
        "machine": _machine(project, edition(project)),
        **_road(project, language),
    }


def _sections_gone(project: Project) -> dict[str, dict[str, str]]:
    """By page, ids that it had once, and where their words are, below the language's folder."""
    found: dict[str, dict[str, str]] = {}
    if project.addresses.is_file():
        for name, (target, _) in addresses.sections(project.addresses).items():
            page, _, id = name.partition("#")
            there, _, section = target.partition("#")
            found.setdefault(url_of(page), {})[id] = f"{url_of(there)}#{section}"
    return found


def _road(project: Project, language: str) -> dict[str, Any]:
    """The chapters of the book in their order: address, title, and the section with which the
    second step begins. And by address, what a chapter says of its steps."""
    pages = loaded(load_pages, project, project.docs)[0][language]
    snippets = loaded(load_snippets, project, project.snippets)
    order = [entry.address for entry in entries(project.configs[language])]
    chapters = [pages[one] for one in order if one in pages and on_road(pages[one])]
    found = {_url(page.address): steps(page, language, snippets) for page in chapters}
    titled = zip(found.items(), chapters, strict=True)
    return {
        "road": [(url, page.title, cut.half) for (url, cut), page in titled],
        "steps": {
            url: {"half": cut.half, "section": cut.section, "minutes": cut.said}
            for url, cut in found.items()
        },
    }


def with_edition(project: Project, text: str | None, given: dict[str, Any]) -> str | None:
    """The line at the foot of each page, with the guide's version and date."""
    here, said = edition(project), given.get("words", {}).get("edition")
    if not (here.version and here.date and said):
        return text
    return " · ".join(filter(None, (text, said.format(version=here.version, date=here.date))))


def finish_files(out: Path, project: Project, language: str, site_root: str) -> None:
    """Write the scripts that are made of data, the feed, and the files of programs and editors;
    make style sheets and scripts small. The Markdown of the pages lies in `out`.

    Raises GuideError.
    """
    assets = out / "assets"
    for sheet in assets.glob("*.css"):
        write(sheet, cssmin(sheet.read_text(encoding="utf-8")))
    used = used_names(out)
    sheets = sorted((assets / "stylesheets").glob("*.css"))
    texts = [sheet.read_text(encoding="utf-8") for sheet in sheets]
    for sheet, smaller in zip(sheets, without_unused(texts, used), strict=True):
        write(sheet, smaller)
    write(assets / "terms.js", explanations(project, language))
    for name, data in diagnosis.scripts(project, language).items():
        write(assets / name, data)
    join_scripts(assets)
    for script in assets.glob("*.js"):
        write(script, jsmin(script.read_text(encoding="utf-8")))
    if not published(site_root):
        for name in ("sitemap.xml", "sitemap.xml.gz"):
            (out / name).unlink(missing_ok=True)
    if text := feed(project, language, site_root):
        write(out / "changes.xml", text)
    if project.constraints.is_file():
        write(out / "errors.json", for_programs.errors(project, language, site_root))
        write(out / "answers.json", for_programs.answers(project, language, site_root, out))
        for name, text in editors.files(project, language).items():
            (out / name).parent.mkdir(exist_ok=True)
            write(out / name, text)


def write(path: Path, text: str) -> None:
    """Write a file of the site, with the same line ends on each system."""
    path.write_text(text, encoding="utf-8", newline="\n")


def _url(page: str) -> str:
    return url_of(page.removesuffix(".md").removesuffix(".ipynb"))


def _machine(project: Project, here: Edition) -> str:
    """The content of a report's field that asks for the reader's machine: the versions of the
    guide, and the command whose output belongs there."""
    guide = " ".join(filter(None, ("guide", here.version, here.date)))
    torch = f", torch {pinned_torch(project.constraints)}" if project.constraints.is_file() else ""
    return f"{guide}{torch}\n\npython doctor.py --json:\n"
