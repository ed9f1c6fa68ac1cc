"""How a notebook becomes a page: mkdocs-jupyter takes it in, MkDocs makes HTML of it.

mkdocs-jupyter makes an .ipynb a page of the site. Its own rendering has no option for what the
guide needs: it puts JupyterLab's styles into every page; it takes the ids of headings from their
words, which leaves none for Chinese ones; it reads neither title nor description; it leaves links
between pages as they are. So the guide gives MkDocs the notebook as Markdown instead, in which
fences name the cells, and gpu_guide/render/cells.py renders those. This is all that MkDocs needs
to be told.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.structure.pages import Page

from gpu_guide.labs.notebook import page_markdown, read


def as_markdown(page: Page) -> Page:
    """The page without the rendering that mkdocs-jupyter has put in place of MkDocs'."""
    if _is_notebook(page):
        page.__dict__.pop("render", None)
    return page


def source(page: Page) -> str | None:
    """A notebook as Markdown, and nothing for other pages. Raises GuideError for one that
    `make lab` has not written."""
    if not _is_notebook(page):
        return None
    return page_markdown(read(Path(page.file.abs_src_path)))


def _is_notebook(page: Page) -> bool:
    """A notebook on disk: where there is none yet in this language, a notice replaces it."""
    return page.file.src_uri.endswith(".ipynb") and page.file.abs_src_path is not None
