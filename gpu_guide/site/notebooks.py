"""How a notebook becomes a page: mkdocs-jupyter takes it in, MkDocs makes HTML of it.

mkdocs-jupyter makes an .ipynb a page of the site. Its own rendering has no option for what the
guide needs: it puts JupyterLab's styles into every page; it takes the ids of headings from their
words, which leaves none for Chinese ones; it reads neither title nor description; it leaves links
between pages as they are. So the guide gives MkDocs the notebook as Markdown instead, in which
fences name the cells, and gpu_guide/render/lab.py renders those. This is all that MkDocs needs
to be told.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from gpu_guide.labs.notebook import page_markdown, read

NAME = "notebook-pages"
"""What the plugin is registered as: `config.plugins[NAME] = NotebookPages()`."""


class NotebookPages(BasePlugin):
    """Renders the pages that mkdocs-jupyter has made of notebooks."""

    @event_priority(-100)
    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        """After mkdocs-jupyter has put its own rendering in place of MkDocs': take that off."""
        if _is_notebook(page):
            page.__dict__.pop("render", None)
        return page

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """The notebook as Markdown. Raises GuideError for one that `make lab` has not written."""
        if not _is_notebook(page):
            return None
        return page_markdown(read(Path(page.file.abs_src_path)))


def _is_notebook(page: Page) -> bool:
    return page.file.src_uri.endswith(".ipynb")
