"""The MkDocs plugin `gpu-guide`, which mkdocs.yml names.

`mkdocs build -f mkdocs.yml` makes the same pages as `make build`, which builds both languages and
the files next to them.
"""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jieba
import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from rcssmin import cssmin
from rjsmin import jsmin

from gpu_guide.pages import translations
from gpu_guide.project import Project
from gpu_guide.records.evidence import pinned_torch
from gpu_guide.render import diagnosis
from gpu_guide.render.as_text import PageText
from gpu_guide.render.term_links import explanations
from gpu_guide.render.words import Words
from gpu_guide.site import cache, llms_txt, message_pages, notebooks, social_cards
from gpu_guide.site.json_ld import published, structured
from gpu_guide.site.narrow import folded, narrow
from gpu_guide.site.page_topics import covered
from gpu_guide.site.search import OF_THE_THEME, finish_index, join_scripts
from gpu_guide.site.sections import sections
from gpu_guide.site.small_pages import small
from gpu_guide.site.social_cards import Cards
from gpu_guide.site.theme_styles import used_names, without_unused
from gpu_guide.site.untranslated import add_notices
from gpu_guide.site.version import Edition, edition, feed


class GuidePlugin(BasePlugin):
    """The site of the language whose pages lie in `docs_dir`, with the other one next to it."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Keep jieba from telling how long its dictionary took to load."""
        jieba.setLogLevel(logging.WARNING)

    @event_priority(-100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Set the addresses of this site, and add the pages that lead to the other language.

        After the search plugin, whose index is made here. Raises GuideError for a page that cannot
        be read.
        """
        project, language = _place(config)
        options = config.mdx_configs.setdefault("gpu_guide.render", {})
        options |= {"root": str(project.root), "language": language}
        self._site = cache.site_of(config.config_file_path)
        self._text = PageText(project, language, config.extra["site_root"])
        search = config.plugins["material/search"]
        search.search_index = self._site.search_index(search.search_index)
        site_root = config.extra["site_root"]
        config.site_url = f"{site_root}{language}/"
        config.extra["scope"] = urlsplit(site_root).path  # both share the choice of light or dark
        config.extra["stale"] = translations.stale(project)[language]
        config.extra["covered"] = covered(project, language)
        config.extra["messages"] = message_pages.addresses(project)
        if config.extra.get("pdf_folder"):
            named = sections(project, language)
            config.extra["pdfs"] = {one.pages[0]: f"{one.name}-{language}.pdf" for one in named}
        self._shell = ""
        config.extra["published"] = published(site_root)
        self._cards = Cards(project, language, config.site_name)
        config.extra["card"] = social_cards.NAME if self._cards.font else ""
        here = edition(project)
        config.extra["machine"] = _machine(project, here)
        if here.version and here.date and (said := config.extra.get("words", {}).get("edition")):
            dated = said.format(version=here.version, date=here.date)
            config.copyright = " · ".join(filter(None, (config.copyright, dated)))
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """The files with a notice for each page that only the other language has, and the shell of
        the messages' pages, without the search engine of the theme."""
        project, language = _place(config)
        for file in [file for file in files if file.src_uri.startswith(OF_THE_THEME)]:
            files.remove(file)
        other = project.other_than(language)
        missing, alone = (translations.unwritten(project, lang) for lang in (language, other))
        config.extra["one_language"] = [*missing, *alone]
        if config.extra["messages"]:
            message_pages.add_shell(files, config)
        return add_notices(files, config, other, missing.values())

    @event_priority(-100)
    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        """After mkdocs-jupyter: a notebook is rendered as Markdown, and what has not changed since
        the last build is taken over."""
        page = notebooks.as_markdown(page)
        page.render = partial(self._site.render, page, self._text_of)
        return page

    @event_priority(-100)
    def on_env(
        self, env: jinja2.Environment, *, config: MkDocsConfig, files: Files
    ) -> jinja2.Environment:
        """After all others, which would only say the same of it again. With what the templates of
        Zensical can and Jinja cannot, so that main.html is for both."""
        env.filters["lines"] = str.splitlines
        env.tests["endingwith"] = str.endswith
        return self._site.templates(env)

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Keeps the order of the pages, which llms.txt has, too."""
        self._nav = nav
        return nav

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """The Markdown of a notebook. Raises GuideError for one that `make lab` has not written."""
        return notebooks.source(page)

    def on_page_content(
        self, html: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str | None:
        """The lists of messages, each with the link to its own page."""
        project, language = _place(config)
        if not page.file.src_uri.startswith("reference/errors/") or not config.extra["messages"]:
            return None
        return message_pages.with_copy_links(html, project, Words(language))

    def on_page_context(
        self, context: dict[str, Any], *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> dict[str, Any]:
        """Add what search engines read of the page, where the site's address is known."""
        if config.extra["published"] and llms_txt.written(page):
            context["structured"] = structured(page, config, *_place(config))
        return context

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """The page, fit for phones and without the blanks that templates leave; "" for the shell,
        so that MkDocs does not write it."""
        if page.file.src_uri == message_pages.SHELL:
            self._shell = small(narrow(output))
            return ""
        for place, ids in config.extra["folded"].items():
            if page.file.src_uri.startswith(place):
                output = folded(output, ids, config.extra["words"]["folded"])
        return small(narrow(output))

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """After the search plugin: its index, all style sheets and the feed, as readers get them.

        Raises GuideError.
        """
        index = Path(config.site_dir, "search", "search_index.json")
        finish_index(index, *_place(config))
        if self._shell:
            message_pages.write(self._shell, Path(config.site_dir), *_place(config))
        for sheet in Path(config.site_dir, "assets").glob("*.css"):
            smaller = cssmin(sheet.read_text(encoding="utf-8"))
            sheet.write_text(smaller, encoding="utf-8", newline="\n")
        used = used_names(Path(config.site_dir))
        sheets = sorted(Path(config.site_dir, "assets", "stylesheets").glob("*.css"))
        texts_of_sheets = [sheet.read_text(encoding="utf-8") for sheet in sheets]
        for sheet, smaller in zip(sheets, without_unused(texts_of_sheets, used), strict=True):
            sheet.write_text(smaller, encoding="utf-8", newline="\n")
        terms = Path(config.site_dir, "assets", "terms.js")
        terms.write_text(explanations(*_place(config)), encoding="utf-8", newline="\n")
        for name, data in diagnosis.scripts(*_place(config)).items():
            at = Path(config.site_dir, "assets", name)
            at.write_text(data, encoding="utf-8", newline="\n")
        join_scripts(Path(config.site_dir, "assets"))
        for script in Path(config.site_dir, "assets").glob("*.js"):
            smaller = jsmin(script.read_text(encoding="utf-8"))
            script.write_text(smaller, encoding="utf-8", newline="\n")
        llms_txt.write(self._nav, config)
        if not config.extra["published"]:
            for name in ("sitemap.xml", "sitemap.xml.gz"):
                Path(config.site_dir, name).unlink(missing_ok=True)
        elif self._cards.font:
            for page in filter(llms_txt.written, self._nav.pages):
                picture = Path(config.site_dir, page.file.dest_uri).with_name(social_cards.NAME)
                self._cards.write(str(page.title), picture)
        if text := feed(*_place(config), config.extra["site_root"]):
            Path(config.site_dir, "changes.xml").write_text(text, encoding="utf-8", newline="\n")

    def _text_of(self, page: Page) -> str:
        if page.meta.get("unwritten"):
            return ""
        return self._text(page.markdown or "", page.file.src_uri)


def _machine(project: Project, here: Edition) -> str:
    """The content of a report's field that asks for the reader's machine: the versions of the
    guide, and the command whose output belongs there."""
    guide = " ".join(filter(None, ("guide", here.version, here.date)))
    torch = f", torch {pinned_torch(project.constraints)}" if project.constraints.is_file() else ""
    return f"{guide}{torch}\n\npython doctor.py --json:\n"


def _place(config: MkDocsConfig) -> tuple[Project, str]:
    """The project of the settings, and the language of their pages."""
    docs = Path(config.docs_dir)
    return Project(docs.parent.parent), docs.name
