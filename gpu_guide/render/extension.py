"""What each fence of the guide becomes: the kinds of fences, and the options of the extension.

snippet  a snippet's code, its outputs, and where it ran; `show: download` leaves the code out;
         `%SNIPPETS%` in a link is for the theme to replace by the folder of the downloads
table    a table made of the project's data, such as wheels/compatibility
plot     what a snippet measured, a chart per machine: see data/plots.yml
lab      the bar with the ways to get a lab's notebook
cell     a cell of a notebook, such as first-training/curve, and what it showed
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from markdown import Markdown
from markdown.extensions import Extension

from gpu_guide import ROOT
from gpu_guide.data.plots import PLOTS, load_plots
from gpu_guide.data.wheels import WHEELS
from gpu_guide.labs import notebook
from gpu_guide.labs.records import LAB_RECORDS, LabRecord, load_lab_records
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.records.store import RECORDS, Record, load_records
from gpu_guide.render import cells, plot, snippet
from gpu_guide.render.fences import Render, render_fences
from gpu_guide.render.loaded import loaded
from gpu_guide.render.table import named_tables
from gpu_guide.snippets.model import SNIPPETS, Language, Snippet, load_snippets


class GuideExtension(Extension):
    """Fences as pymdownx.superfences has them, and among them those of the guide."""

    def __init__(self, **kwargs: Any) -> None:
        self.config = {
            "language": ["zh", "zh or en"],
            "repository": ["", "https://github.com/owner/name, or nothing: no links to Colab"],
            "branch": ["main", "the branch that such links name"],
            "snippets": [str(SNIPPETS), "where the snippets lie"],
            "records": [str(RECORDS), "where the records lie"],
            "lab_records": [str(LAB_RECORDS), "where the records of labs lie"],
            "plots": [str(PLOTS), "what is plotted"],
            "wheels": [str(WHEELS), "the data of the tables wheels/…"],
            "docs": [str(ROOT / "docs"), "where pages and notebooks lie"],
        }
        super().__init__(**kwargs)

    def extendMarkdown(self, md: Markdown) -> None:
        """Render the fences of the guide, and leave others to superfences."""
        lang: Language = self.getConfig("language")
        renderers = self._of_snippets(lang) | self._of_labs(lang) | {"table": self._table(lang)}
        render_fences(md, renderers, self._path("docs") / lang)

    def _path(self, option: str) -> Path:
        return Path(self.getConfig(option))

    def _of_snippets(self, lang: Language) -> dict[str, Render]:
        @cache  # asked once a page, and not at every fence, whether a file has changed
        def content() -> tuple[dict[str, Snippet], list[Record]]:
            snippets = loaded(load_snippets, self._path("snippets"))
            return snippets, loaded(load_records, self._path("records"))

        def show(body: list[str], count: int) -> str:
            snippets, records = content()
            if not body:
                raise fault(None, None, "an empty snippet fence", "name a snippet in it")
            name, *options = body
            if name not in snippets:
                remedy = did_you_mean(name, snippets, f"create snippets/{name}.py")
                raise fault(None, None, f"no snippet {name!r}", remedy)
            if options not in ([], ["show: download"]):
                remedy = "the only one is 'show: download'"
                raise fault(None, None, f"unknown options {options}", remedy)
            return snippet.figure(snippets[name], lang, records, count, code=not options)

        def draw(body: list[str], count: int) -> str:
            plots = loaded(load_plots, self._path("plots"))
            found = plots[_name("plot", body, list(plots))]
            snippets, records = content()
            if found.snippet not in snippets:
                what = f"plot {found.name!r}: no snippet {found.snippet!r}"
                raise fault(None, None, what, "name one that exists")
            return plot.figure(found, snippets[found.snippet], records, lang)

        return {"snippet": show, "plot": draw}

    def _table(self, lang: Language) -> Render:
        tables = named_tables(lang, self._path("wheels"))

        def table(body: list[str], count: int) -> str:
            return tables[_name("table", body, list(tables))]()

        return table

    def _of_labs(self, lang: Language) -> dict[str, Render]:
        def read(name: str) -> notebook.Notebook:
            return loaded(notebook.read, notebook.path_of(self._path("docs"), lang, name))

        def records() -> list[LabRecord]:
            return loaded(load_lab_records, self._path("lab_records"))

        def cell(body: list[str], count: int) -> str:
            name, _, identity = body[0].partition("/") if body else ("", "", "")
            found = read(name)
            known = notebook.code_cells(found)
            if identity not in known:
                whole = [f"{name}/{one}" for one in known]
                remedy = did_you_mean(body[0], whole, "run `make lab`")
                raise fault(None, None, f"no cell {body[0]!r} in the notebook", remedy)
            return cells.cell(found, identity, lang, records(), count)

        def bar(body: list[str], count: int) -> str:
            if len(body) != 1:
                raise fault(None, None, "not one name in a lab fence", "write the name of one lab")
            return cells.bar(read(body[0]), lang, records(), self._repository())

        return {"cell": cell, "lab": bar}

    def _repository(self) -> str:
        """ "owner/name/blob/branch", or nothing where no repository on GitHub is configured."""
        parts = urlsplit(str(self.getConfig("repository") or ""))
        path = parts.path.strip("/").removesuffix(".git")
        known = parts.netloc == "github.com" and path.count("/") == 1
        return f"{path}/blob/{self.getConfig('branch')}" if known else ""


def _name(kind: str, body: list[str], known: list[str]) -> str:
    """The one name in a fence of this kind. Raises GuideError if it is none of the `known`."""
    if len(body) != 1:
        remedy = f"write the name of one {kind}"
        raise fault(None, None, f"not one name in a {kind} fence", remedy)
    if body[0] not in known:
        remedy = did_you_mean(body[0], known, f"the {kind}s are {', '.join(known)}")
        raise fault(None, None, f"no {kind} {body[0]!r}", remedy)
    return body[0]
