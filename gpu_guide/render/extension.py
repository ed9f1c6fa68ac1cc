"""The Markdown extension: the kinds of fences, what each becomes, and the extension's options.

snippet  a snippet's code, its outputs, and where it ran; `show: download` leaves the code out,
         `show: guess` has the outputs behind a button, for a question before it;
         `%SNIPPETS%` in a link is for the theme to replace by the folder of the downloads, and
         `%PAGES%` by the folder of the language's pages
table    a table made of the project's data, such as wheels/compatibility
chooser  the program that finds the command to install torch, from the data named in it: wheels
plot     what a snippet measured, a chart per machine: see data/plots.yml
picture  what data/pictures.yml says, drawn
lab      the bar with the ways to get a lab's notebook
cell     a cell of a notebook, such as first-training/curve, and what it showed
apis     names of torch that snippets use, that none uses, or that are deprecated
errors   the messages of a group of data/errors, each under a heading of its own
exercises the programs to mend of a page, each under a heading of its own
diagnosis the box of the page that diagnoses, with its rules
changes  what makes one snippet of another, as a diff
causes   the causes that this page knows, as a table
verified where each snippet of a topic has run
glossary the explained terms of a topic of data/glossary.yml, each with an anchor of its own

Besides, the first use of each of these terms on a page becomes a link to it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from markdown import Markdown
from markdown.extensions import Extension

from gpu_guide.data.gpus import load_gpus
from gpu_guide.data.pictures import load_pictures
from gpu_guide.data.plots import load_plots
from gpu_guide.data.wheels import load_wheels
from gpu_guide.labs import notebook
from gpu_guide.labs.records import LabRecord, load_lab_records
from gpu_guide.pages.fences import SNIPPET_OPTIONS
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import HERE, Project
from gpu_guide.records.evidence import pinned_torch
from gpu_guide.records.store import Record, load_records
from gpu_guide.render import cells, picture, plot, snippet
from gpu_guide.render.api_list import ApiList
from gpu_guide.render.changes import Changes
from gpu_guide.render.chooser import chooser
from gpu_guide.render.diagnosis import CauseTable, DiagnosisBox
from gpu_guide.render.dry_run_report import DryRunReport
from gpu_guide.render.error_list import ErrorList
from gpu_guide.render.exercise_list import ExerciseList
from gpu_guide.render.expanded_fences import Write, write_fences
from gpu_guide.render.fences import Render, render_fences
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.glossary import Glossary
from gpu_guide.render.named_tables import named_tables
from gpu_guide.render.term_links import TermLinks
from gpu_guide.render.verified_table import VerifiedTable
from gpu_guide.render.words import Words
from gpu_guide.snippets.model import Snippet, load_snippets


class GuideExtension(Extension):
    """Fences as pymdownx.superfences has them, and among them those of the guide."""

    def __init__(self, **kwargs: Any) -> None:
        self.config = {
            "language": ["", "the language of the pages; nothing: the project's first"],
            "root": [str(HERE.root), "the folder of the project"],
            "repository": ["", "https://github.com/owner/name, or nothing: no Colab, no Kaggle"],
            "branch": ["main", "the branch that such links name"],
        }
        super().__init__(**kwargs)

    def extendMarkdown(self, md: Markdown) -> None:
        """Render the fences of the guide, and leave others to superfences."""
        project = Project(Path(self.getConfig("root")))
        say = Words(self.getConfig("language") or project.languages[0])
        renderers = _of_snippets(project, say) | of_data(project, say)
        renderers |= _of_labs(project, say, self._repository())
        render_fences(md, renderers, project.docs / say.language)
        write_fences(md, writers(project, say))
        # After MkDocs has looked at the links that the page itself has.
        md.treeprocessors.register(TermLinks(md, project, say), "term-links", -10)

    def _repository(self) -> str:
        """ "owner/name/blob/branch", or nothing where no repository on GitHub is configured."""
        parts = urlsplit(str(self.getConfig("repository") or ""))
        path = parts.path.strip("/").removesuffix(".git")
        known = parts.netloc == "github.com" and path.count("/") == 1
        return f"{path}/blob/{self.getConfig('branch')}" if known else ""


def of_data(project: Project, say: Words) -> dict[str, Render]:
    """What makes HTML of each fence that neither shows code nor draws."""
    return {
        "table": _table(project, say),
        "diagnosis": DiagnosisBox(project, say),
        "chooser": _chooser(project, say),
    }


def writers(project: Project, say: Words) -> dict[str, Write]:
    """What makes Markdown of each fence that is part of the page's own text."""
    return {
        "apis": ApiList(project, say),
        "causes": CauseTable(project, say),
        "changes": Changes(project, say),
        "dry-run": DryRunReport(project, say),
        "errors": ErrorList(project, say),
        "exercises": ExerciseList(project, say),
        "glossary": Glossary(project, say),
        "verified": VerifiedTable(project, say),
    }


def _of_snippets(project: Project, say: Words) -> dict[str, Render]:
    @cache  # asked once a page, and not at every fence, whether a file has changed
    def content() -> tuple[dict[str, Snippet], list[Record]]:
        snippets = loaded(load_snippets, project, project.snippets)
        return snippets, loaded(load_records, project, project.records)

    def show(body: list[str], count: int) -> str:
        snippets, records = content()
        if not body:
            raise fault(None, None, "an empty snippet fence", "name a snippet in it")
        name, *options = body
        if name not in snippets:
            remedy = did_you_mean(name, snippets, f"create snippets/{name}.py")
            raise fault(None, None, f"no snippet {name!r}", remedy)
        if options and (len(options) > 1 or options[0] not in SNIPPET_OPTIONS):
            remedy = f"one of them may be there: {', '.join(SNIPPET_OPTIONS)}"
            raise fault(None, None, f"unknown options {options}", remedy)
        found, torch = snippets[name], _torch(project)
        return snippet.figure(found, say, records, torch, count, options[0] if options else "")

    def draw(body: list[str], count: int) -> str:
        plots = loaded(load_plots, project, project.plots)
        found = plots[_name("plot", body, list(plots))]
        snippets, records = content()
        if found.snippet not in snippets:
            what = f"plot {found.name!r}: no snippet {found.snippet!r}"
            raise fault(None, None, what, "name one that exists")
        gpus = loaded(load_gpus, project, project.gpus) if found.has_peak else None
        return plot.figure(found, snippets[found.snippet], records, say, gpus)

    def picture_of(body: list[str], count: int) -> str:
        pictures = loaded(load_pictures, project, project.pictures)
        found = pictures[_name("picture", body, list(pictures))]
        return picture.figure(found, project, say, count)

    return {"snippet": show, "plot": draw, "picture": picture_of}


def _table(project: Project, say: Words) -> Render:
    tables = named_tables(project, say)

    def table(body: list[str], count: int) -> str:
        return tables[_name("table", body, list(tables))]()

    return table


def _chooser(project: Project, say: Words) -> Render:
    def show(body: list[str], count: int) -> str:
        _name("chooser", body, ["wheels"])
        return chooser(loaded(load_wheels, project, project.wheels), say)

    return show


def _of_labs(project: Project, say: Words, repository: str) -> dict[str, Render]:
    def read(name: str) -> notebook.Notebook:
        path = notebook.path_of(project, say.language, name)
        return loaded(notebook.read, path, path)

    def records() -> list[LabRecord]:
        return loaded(load_lab_records, project.lab_records, project.lab_records)

    def cell(body: list[str], count: int) -> str:
        name, _, identity = body[0].partition("/") if body else ("", "", "")
        found = read(name)
        known = notebook.code_cells(found)
        if identity not in known:
            whole = [f"{name}/{one}" for one in known]
            remedy = did_you_mean(body[0], whole, "run `make lab`")
            raise fault(None, None, f"no cell {body[0]!r} in the notebook", remedy)
        return cells.cell(found, identity, say, records(), count)

    def bar(body: list[str], count: int) -> str:
        if len(body) != 1:
            raise fault(None, None, "not one name in a lab fence", "write the name of one lab")
        return cells.bar(read(body[0]), say, records(), _torch(project), repository)

    return {"cell": cell, "lab": bar}


def _torch(project: Project) -> str:
    return loaded(pinned_torch, project.constraints, project.constraints)


def _name(kind: str, body: list[str], known: list[str]) -> str:
    """The one name in a fence of this kind. Raises GuideError if it is none of the `known`."""
    if len(body) != 1:
        remedy = f"write the name of one {kind}"
        raise fault(None, None, f"not one name in a {kind} fence", remedy)
    if body[0] not in known:
        remedy = did_you_mean(body[0], known)
        raise fault(None, None, f"no {kind} {body[0]!r}", remedy)
    return body[0]
