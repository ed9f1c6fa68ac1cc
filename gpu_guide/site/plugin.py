"""What MkDocs is told of the guide: the plugin `gpu-guide` that mkdocs.yml names.

`mkdocs build -f mkdocs.yml` makes the same pages as `make build`, which builds both languages and
what lies beside them.
"""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import jieba
import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from rcssmin import cssmin
from rjsmin import jsmin

from gpu_guide.pages import twins
from gpu_guide.project import Project
from gpu_guide.render import diagnosis
from gpu_guide.render.term_links import explanations
from gpu_guide.site import notebooks, remembered
from gpu_guide.site.covered import covered
from gpu_guide.site.edition import edition, feed
from gpu_guide.site.search import finish_index
from gpu_guide.site.small_pages import small
from gpu_guide.site.theme_styles import used_classes, without_unused
from gpu_guide.site.unwritten import add_notices


class GuidePlugin(BasePlugin):
    """The site of the language whose pages lie in `docs_dir`, with the other one beside it."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Keep jieba from telling how long its dictionary took to load."""
        jieba.setLogLevel(logging.WARNING)

    @event_priority(-100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """The addresses of this site, and the pages that tell their reader of the other language.

        After the search plugin, whose index is made here. Raises GuideError for a page that cannot
        be read.
        """
        project, language = _place(config)
        options = config.mdx_configs.setdefault("gpu_guide.render", {})
        options |= {"root": str(project.root), "language": language}
        self._site = remembered.site_of(config.config_file_path)
        search = config.plugins["material/search"]
        search.search_index = self._site.search_index(search.search_index)
        site_root = config.extra["site_root"]
        config.site_url = f"{site_root}{language}/"
        config.extra["scope"] = urlsplit(site_root).path  # both share the choice of light or dark
        config.extra["stale"] = twins.stale(project)[language]
        config.extra["covered"] = covered(project, language)
        here = edition(project)
        if here.version and here.date and (said := config.extra.get("words", {}).get("edition")):
            dated = said.format(version=here.version, date=here.date)
            config.copyright = " · ".join(filter(None, (config.copyright, dated)))
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """The files with a notice for each page that only the other language has."""
        project, language = _place(config)
        other = project.other_than(language)
        missing, alone = (twins.unwritten(project, lang) for lang in (language, other))
        config.extra["one_language"] = [*missing, *alone]
        return add_notices(files, config, other, missing.values())

    @event_priority(-100)
    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        """After mkdocs-jupyter: a notebook is rendered as Markdown, and what has not changed since
        the last build is taken over."""
        page = notebooks.as_markdown(page)
        page.render = partial(self._site.render, page)
        return page

    @event_priority(-100)
    def on_env(
        self, env: jinja2.Environment, *, config: MkDocsConfig, files: Files
    ) -> jinja2.Environment:
        """After all others, which would only say the same of it again."""
        return self._site.templates(env)

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """The Markdown of a notebook. Raises GuideError for one that `make lab` has not written."""
        return notebooks.source(page)

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """The page without the blanks that templates leave."""
        return small(output)

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """After the search plugin: its index, all style sheets and the feed, as readers get them.

        Raises GuideError.
        """
        index = Path(config.site_dir, "search", "search_index.json")
        finish_index(index, *_place(config))
        for sheet in Path(config.site_dir, "assets").glob("*.css"):
            smaller = cssmin(sheet.read_text(encoding="utf-8"))
            sheet.write_text(smaller, encoding="utf-8", newline="\n")
        used = used_classes(Path(config.site_dir))
        for sheet in Path(config.site_dir, "assets", "stylesheets").glob("*.css"):
            smaller = without_unused(sheet.read_text(encoding="utf-8"), used)
            sheet.write_text(smaller, encoding="utf-8", newline="\n")
        terms = Path(config.site_dir, "assets", "terms.js")
        terms.write_text(explanations(*_place(config)), encoding="utf-8", newline="\n")
        if rules := diagnosis.script(*_place(config)):
            at = Path(config.site_dir, "assets", "diagnosis-rules.js")
            at.write_text(rules, encoding="utf-8", newline="\n")
        for script in Path(config.site_dir, "assets").glob("*.js"):
            smaller = jsmin(script.read_text(encoding="utf-8"))
            script.write_text(smaller, encoding="utf-8", newline="\n")
        if text := feed(*_place(config), config.extra["site_root"]):
            Path(config.site_dir, "changes.xml").write_text(text, encoding="utf-8", newline="\n")


def _place(config: MkDocsConfig) -> tuple[Project, str]:
    """The project of the settings, and the language of their pages."""
    docs = Path(config.docs_dir)
    return Project(docs.parent.parent), docs.name
