"""Cache of a process that builds again: what it takes over from its last build, page by page.

The server keeps a process for each language. Of sixty pages, one has changed: the HTML of the
others, and what the search index holds of them, are as they were. Each function here says by what
it knows that. Everything else that pages are made of changes with the process: see serve.py.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import jinja2
from material.plugins.search.plugin import SearchIndex
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from gpu_guide.data.plots import load_plots
from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.render.file_cache import loaded, stamp
from gpu_guide.snippets.model import Snippet, load_snippets

_Made = TypeVar("_Made")


class Memory:
    """What was made last for each page of a site, and of what."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[Any, Any]] = {}

    def of(self, page: str, key: Any, make: Callable[[], _Made]) -> _Made:
        """What `make` returned for the page when the key was equal, or what it returns now."""
        if page not in self._made or self._made[page][0] != key:
            self._made[page] = key, make()
        return self._made[page][1]

    def forget(self, page: str) -> None:
        """Have it made again."""
        self._made.pop(page, None)


class Site:
    """The memory of one site: of the Markdown of its pages, of their search index, and of the
    templates with their output."""

    def __init__(self) -> None:
        self._markdown, self._search, self._output = Memory(), Memory(), Memory()
        self._templates: jinja2.Environment | None = None

    def render(
        self, page: Page, text_of: Callable[[Page], str], config: MkDocsConfig, files: Files
    ) -> None:
        """What `page.render(config, files)` does, where text, snippets or addresses are others; and
        in `page.as_text` what `text_of` makes of it.

        A page of which MkDocs has something to complain is rendered again, so that it does.
        """
        render = partial(Page.render, page, config, files)
        project = Project(Path(config.config_file_path).parent)
        try:
            shown = _shown(page.markdown or "", project)
        except GuideError:
            render()  # which says on which page a snippet cannot be read
            return
        labs = stamp(project.lab_pages(Path(config.docs_dir).name))
        places = [(file.src_uri, file.url) for file in files]
        key = (page.markdown, page.file.url, places, shown, labs, config.site_url)

        def make() -> dict[str, Any]:
            render()
            links = page.links_to_anchors or {}
            return {
                "content": page.content,
                "as_text": text_of(page),
                "toc": page.toc,
                "_title_from_render": page._title_from_render,
                "present_anchor_ids": page.present_anchor_ids,
                "links_to_anchors": {file.src_uri: found for file, found in links.items()},
            }

        with _Complaints() as complaints:
            made = self._markdown.of(page.file.src_uri, key, make)
        if complaints:
            self._markdown.forget(page.file.src_uri)
        links = made["links_to_anchors"].items()
        found = {files.get_file_from_path(uri): anchors for uri, anchors in links}
        vars(page).update(made | {"links_to_anchors": found})

    def search_index(self, index: SearchIndex) -> SearchIndex:
        """An index like `index` that takes over the entries of pages that are as they were."""
        return _RememberedIndex(self._search, index.config)

    def templates(self, env: jinja2.Environment) -> jinja2.Environment:
        """`env`, or that of the last build, whose templates are compiled."""
        if self._templates is None:
            self._templates = env
            env.template_class = _template_class(self._output)
        return self._templates


@cache
def site_of(config_file: str) -> Site:
    """The memory of the site with these settings, in this process."""
    return Site()


def _shown(markdown: str, project: Project) -> list[Snippet]:
    """The snippets that a page may show: those that its text names, and those of plots."""
    snippets = loaded(load_snippets, project, project.snippets)
    plots = loaded(load_plots, project, project.plots) if "plot" in markdown else {}
    drawn = {plot.snippet for plot in plots.values()}
    folders = {name[: name.rfind("/") + 1] for name in snippets}
    named = tuple(folder for folder in folders if folder in markdown)
    return [
        snippet
        for name, snippet in snippets.items()
        if name in drawn or (name.startswith(named) and name in markdown)
    ]


def _template_class(memory: Memory) -> type[jinja2.Template]:
    """Templates that remember what they wrote for a page."""

    class Remembered(jinja2.Template):
        def render(self, *args: Any, **kwargs: Any) -> str:
            write = partial(super().render, *args, **kwargs)
            context = dict(*args, **kwargs)
            page = context.get("page")
            if page is None:  # 404.html, the sitemap
                return write()
            return memory.of(page.file.src_uri, (self.name, *_written(page, context)), write)

    return Remembered


def _written(page: Page, context: dict[str, Any]) -> Iterator[Any]:
    """What the template of a page writes that may differ from build to build."""
    config, nav = context["config"], context["nav"]
    yield page.markdown, page.content, page.title, repr(page.meta), page.canonical_url
    yield config.site_url, repr((config.extra["stale"], config.extra["one_language"]))
    yield repr(config.extra["covered"].get(page.url))
    yield [(one.title, one.url) for one in nav.pages]


_COLOURED = re.compile(r'<span class="[a-z][a-z0-9]?">([^<]*)</span>')
"""A word of code in its colour, of which the index keeps the word: they are a quarter of a page's
elements, and the index would parse them all."""


class _RememberedIndex(SearchIndex):
    def __init__(self, memory: Memory, config: dict[str, Any]) -> None:
        super().__init__(**config)
        self._memory = memory

    def add_entry_from_context(self, page: Page) -> None:
        """Its entries, which say what the page's HTML and its front matter say."""
        key = (page.content, page.title, repr(page.meta), page.url)

        def make() -> list[dict[str, Any]]:
            before, html = len(self.entries), page.content
            page.content = _COLOURED.sub(r"\1", html)
            super(_RememberedIndex, self).add_entry_from_context(page)
            page.content = html
            made = self.entries[before:]
            del self.entries[before:]
            return made

        self.entries += self._memory.of(page.file.src_uri, key, make)


class _Complaints(logging.Handler):
    """Whether something is logged."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._any = False

    def emit(self, record: logging.LogRecord) -> None:
        self._any = True

    def __bool__(self) -> bool:
        return self._any

    def __enter__(self) -> _Complaints:
        logging.getLogger("mkdocs").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("mkdocs").removeHandler(self)
