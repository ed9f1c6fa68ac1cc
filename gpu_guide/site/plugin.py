"""The MkDocs plugin `gpu-guide`, which mkdocs.yml names.

`mkdocs build -f mkdocs.yml` makes the same pages as `make build`, which builds both languages and
the files next to them.
"""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from typing import Any

import jieba
import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from gpu_guide.pages import translations
from gpu_guide.project import Project
from gpu_guide.render.as_text import PageText
from gpu_guide.render.words import Words
from gpu_guide.site import both_builders, cache, llms_txt, message_pages, notebooks, social_cards
from gpu_guide.site.json_ld import structured
from gpu_guide.site.known_terms import without_known
from gpu_guide.site.narrow import folded, narrow
from gpu_guide.site.search import OF_THE_THEME, finish_index
from gpu_guide.site.small_pages import small
from gpu_guide.site.social_cards import Cards
from gpu_guide.site.untranslated import add_notices


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
        self._shell = ""
        self._cards = Cards(project, language, config.site_name)
        config.extra |= both_builders.template_settings(
            project, language, config.extra, self._cards
        )
        config.copyright = both_builders.with_edition(project, config.copyright, config.extra)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """The files with a notice for each page that only the other language has, and the shell of
        the messages' pages, without the search engine of the theme."""
        project, language = _place(config)
        for file in [file for file in files if file.src_uri.startswith(OF_THE_THEME)]:
            files.remove(file)
        if config.extra["messages"]:
            message_pages.add_shell(files, config)
        missing = translations.unwritten(project, language).values()
        return add_notices(files, config, project.other_than(language), missing)

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
        if config.extra["published"] and _written(page):
            context["structured"] = structured(page, config, *_place(config))
        return context

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """The page, fit for phones and without the blanks that templates leave; "" for the shell,
        so that MkDocs does not write it."""
        if page.file.src_uri == message_pages.SHELL:
            self._shell = small(narrow(output))
            return ""
        output = without_known(output, page)
        for place, ids in config.extra.get("folded", {}).items():
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
        out, texts = Path(config.site_dir), [_text(p) for p in self._nav.pages if _written(p)]
        about = config.site_name, config.site_description or "", config.site_url or ""
        llms_txt.write(texts, out, _place(config)[1], *about)
        if config.extra["published"] and self._cards.font:
            for text in texts:
                self._cards.write(text.title, out / text.address / social_cards.NAME)
        both_builders.finish_files(
            Path(config.site_dir), *_place(config), config.extra["site_root"]
        )

    def _text_of(self, page: Page) -> str:
        if page.meta.get("unwritten"):
            return ""
        return self._text(page.markdown or "", page.file.src_uri)


def _written(page: Page) -> bool:
    """Whether the page has Markdown: a notice of a page in the other language has none, and the
    shell of the messages' pages is no page."""
    return bool(getattr(page, "as_text", "")) and not page.meta.get("shell")


def _text(page: Page) -> llms_txt.Text:
    section = page.ancestors[-1].title if page.ancestors else ""
    described = page.meta.get("description", "")
    return llms_txt.Text(str(page.title), page.url, section, described, page.as_text)


def _place(config: MkDocsConfig) -> tuple[Project, str]:
    """The project of the settings, and the language of their pages."""
    docs = Path(config.docs_dir)
    return Project(docs.parent.parent), docs.name
