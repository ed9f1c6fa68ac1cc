"""The Markdown extension behind a fence that names a table.

    ```table
    wheels/compatibility
    ```

becomes that table, made from the project's data in the page's language, and below it where the
facts were read. It is a plain Python-Markdown extension, like gpu_guide.render.snippet.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension

from gpu_guide import ROOT
from gpu_guide.data.wheels import WHEELS, load_wheels
from gpu_guide.problems import did_you_mean
from gpu_guide.render import wheel_tables
from gpu_guide.render.fences import Fault, render_fences
from gpu_guide.render.nccl_table import backends_table
from gpu_guide.snippets.model import Language


class TableExtension(Extension):
    """Options: `language` (zh or en); `wheels` (a file), `docs` (a folder), for the tests."""

    def __init__(self, **kwargs: Any) -> None:
        self.config = {
            "language": ["zh", "zh or en"],
            "wheels": [str(WHEELS), "the data of the tables wheels/…"],
            "docs": [str(ROOT / "docs"), "where the pages lie: only to name one in an error"],
        }
        super().__init__(**kwargs)

    def extendMarkdown(self, md: Markdown) -> None:
        """Render the fences of the kind `table`."""
        lang: Language = self.getConfig("language")
        path = Path(self.getConfig("wheels"))
        tables = named_tables(lang, path)

        def render(body: list[str], count: int) -> str:
            if len(body) != 1:
                raise Fault("not one name in a table fence", "write the name of one table")
            if body[0] not in tables:
                remedy = did_you_mean(body[0], tables, f"the tables are {', '.join(tables)}")
                raise Fault(f"no table {body[0]!r}", remedy)
            return tables[body[0]]()

        render_fences(md, "table", render, Path(self.getConfig("docs")) / lang)


def named_tables(lang: Language, wheels: Path = WHEELS) -> dict[str, Callable[[], str]]:
    """What makes the HTML of each table, by the name that a fence gives. They raise GuideError."""
    tables: dict[str, Callable[[], str]] = {}
    for name, make in wheel_tables.TABLES.items():
        tables[name] = lambda make=make: make(load_wheels(wheels), lang)
    tables["nccl/backends"] = lambda: backends_table(lang)
    return tables


def makeExtension(**kwargs: Any) -> TableExtension:
    """What Python-Markdown calls to load `gpu_guide.render.table`."""
    return TableExtension(**kwargs)
