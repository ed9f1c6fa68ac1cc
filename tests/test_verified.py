"""The page that says where each snippet has run, held against the snippets and the records."""

from __future__ import annotations

import re

import pytest
from markdown import Markdown

from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.records.store import load_records
from gpu_guide.snippets.model import load_snippets

SNIPPETS = load_snippets(HERE)


def convert(text: str) -> str:
    config = {"gpu_guide.render": {"language": "en"}}
    extensions = ["attr_list", "tables", "gpu_guide.render"]
    return Markdown(extensions=extensions, extension_configs=config).convert(text)


def test_each_snippet_has_one_row_and_says_what_the_records_say() -> None:
    page = (HERE.docs / "en/reference/verified.md").read_text("utf-8")
    html = convert(page.partition("\n---\n")[2])
    rows = {}
    for row in re.findall(r"<tr>\n<td>.*?</tr>", html, re.DOTALL):
        name, *cells = re.findall(r"<td>(.*?)</td>", row)
        rows[re.sub("<.*?>", "", name)] = cells
    assert list(rows) == list(SNIPPETS)
    heads = re.findall(r"<th>(.*?)</th>", html)[1 : len(next(iter(rows.values()))) + 1]
    for record in load_records(HERE):
        if record.environment.stand_in:
            column = heads.index(f"stand-in {record.environment.torch[:4]}")
            passed = {name for name, cells in rows.items() if cells[column] == "passed"}
            assert passed == {name for name in SNIPPETS if record.fresh(SNIPPETS[name])}
    for name, snippet in SNIPPETS.items():
        assert (rows[name][0] == "passed") is (snippet.needs.kind != "cuda")
    hardware = [one for one in load_records(HERE) if one.environment.has_gpu]
    if all(one.environment.stand_in for one in hardware):
        assert {cells[-1] for cells in rows.values()} == {"not run"}


def test_a_topic_without_snippets_is_told() -> None:
    with pytest.raises(GuideError, match=r"no snippets of 'memori'.*did you mean 'memory'"):
        convert("```verified\nmemori\n```\n")
