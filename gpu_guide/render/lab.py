"""The Markdown extension behind the fences `cell` and `lab`.

    ```cell
    first-training/curve
    ```

becomes the cell's code as the guide shows code, and below it what the cell printed and drew, from
the lab's notebook in the page's language and, behind tabs, from the records of other machines.
`lab` becomes the bar with the ways to get the notebook. It is a plain Python-Markdown extension,
like gpu_guide.render.snippet: a page with these fences can be built without a notebook plugin.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from markdown import Markdown
from markdown.extensions import Extension

from gpu_guide import ROOT
from gpu_guide.labs import notebook
from gpu_guide.labs.records import LAB_RECORDS, LabRecord, load_lab_records
from gpu_guide.problems import GuideError, did_you_mean
from gpu_guide.render import cells
from gpu_guide.render.fences import Fault, render_fences
from gpu_guide.snippets.model import Language


class LabExtension(Extension):
    """Options: `language`; `repository`, an address on GitHub; `docs` and `records`, for tests."""

    def __init__(self, **kwargs: Any) -> None:
        self.config = {
            "language": ["zh", "zh or en"],
            "repository": ["", "https://github.com/owner/name, or nothing: no links to Colab"],
            "branch": ["main", "the branch that such links name"],
            "docs": [str(ROOT / "docs"), "where the pages and notebooks lie"],
            "records": [str(LAB_RECORDS), "where the records of labs lie"],
        }
        super().__init__(**kwargs)

    def extendMarkdown(self, md: Markdown) -> None:
        """Render the fences of the kinds `cell` and `lab`."""
        lang: Language = self.getConfig("language")
        docs, records = Path(self.getConfig("docs")), Path(self.getConfig("records"))
        repository = self._repository()

        def read(name: str) -> notebook.Notebook:
            try:
                return notebook.read(notebook.path_of(docs, lang, name))
            except GuideError as error:
                raise Fault(str(error), "see labs/") from None

        def render_cell(body: list[str], count: int) -> str:
            name, _, identity = body[0].partition("/") if body else ("", "", "")
            found = read(name)
            known = notebook.code_cells(found)
            if identity not in known:
                whole = [f"{name}/{one}" for one in known]
                remedy = did_you_mean(body[0], whole, "run `make lab`")
                raise Fault(f"no cell {body[0]!r} in the notebook", remedy)
            return cells.cell(found, identity, lang, _records(records), count)

        def render_bar(body: list[str], count: int) -> str:
            if len(body) != 1:
                raise Fault("not one name in a lab fence", "write the name of one lab")
            return cells.bar(read(body[0]), lang, _records(records), repository)

        render_fences(md, "cell", render_cell, docs / lang)
        render_fences(md, "lab", render_bar, docs / lang)

    def _repository(self) -> str:
        """ "owner/name/blob/branch", or nothing where no repository on GitHub is configured."""
        parts = urlsplit(str(self.getConfig("repository") or ""))
        path = parts.path.strip("/").removesuffix(".git")
        known = parts.netloc == "github.com" and path.count("/") == 1
        return f"{path}/blob/{self.getConfig('branch')}" if known else ""


def _records(folder: Path) -> list[LabRecord]:
    """The records, read once per state of the files and not once per cell."""
    stamp = tuple((path.name, path.stat().st_mtime_ns) for path in sorted(folder.glob("*.json")))
    return _load(folder, stamp)


@lru_cache(maxsize=2)
def _load(folder: Path, stamp: tuple[tuple[str, int], ...]) -> list[LabRecord]:
    return load_lab_records(folder)


def makeExtension(**kwargs: Any) -> LabExtension:
    """What Python-Markdown calls to load `gpu_guide.render.lab`."""
    return LabExtension(**kwargs)
