"""A list in the `fix` of a message is a list wherever it is shown, and is written in one way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from markdown import Markdown

from gpu_guide.data.diagnosis import load_diagnosis
from gpu_guide.data.errors import load_errors, together
from gpu_guide.diagnosis.engine import diagnose
from gpu_guide.diagnosis.report import report
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.render.template import blocks

MESSAGES = load_errors(HERE)
LISTED = MESSAGES["offloaded-to-cpu"]


def test_paragraphs_and_lists_become_html() -> None:
    text = "Look at `a<b`:\n\n- one\n- `two`\n\nThen:\n\n1. three\n2. four"
    assert blocks(text) == (
        "<p>Look at <code>a&lt;b</code>:</p>\n"
        "<ul>\n<li>one</li>\n<li><code>two</code></li>\n</ul>\n"
        "<p>Then:</p>\n<ol>\n<li>three</li>\n<li>four</li>\n</ol>"
    )


def test_a_list_at_the_beginning_is_not_a_part_of_the_sentence_before() -> None:
    assert together("It is old.", "Update it.") == "It is old. Update it."
    assert together("它太旧。", "升级。", "") == "它太旧。升级。"
    assert together("It is old.", "- Update it.") == "It is old.\n\n- Update it."


@pytest.mark.parametrize("language", HERE.languages)
def test_the_page_of_the_group_has_a_list(language: str) -> None:
    configs = {"gpu_guide.render": {"language": language}}
    render = Markdown(extensions=["attr_list", "gpu_guide.render"], extension_configs=configs)
    html = render.convert("# Messages\n\n```errors\nmemory\n```\n")
    entry = html.partition(f'<h2 id="{LISTED.id}">')[2].partition("<h2")[0]
    items = sum(line.startswith("- ") for line in LISTED.fix[language].split("\n"))
    assert entry.count("<li>") == items > 1


@pytest.mark.parametrize("language", HERE.languages)
def test_the_terminal_has_each_item_on_a_line(language: str) -> None:
    known = load_diagnosis(HERE)
    verdict = diagnose(LISTED.says[0], known, MESSAGES)
    assert verdict.main
    assert verdict.main.id == LISTED.id
    lines = report(verdict, known, MESSAGES, language)
    assert not any("\n" in line for line in lines)
    assert [line for line in LISTED.fix[language].split("\n") if line.startswith("- ")] == [
        line for line in lines if line.startswith("- ")
    ]


@pytest.mark.parametrize("text", ["Do:\\n- one", "one\\ntwo", "Do:\\n\\n\\n- one", "Do it.\\n"])
def test_lines_that_are_neither_are_told(tmp_path: Path, text: str) -> None:
    shutil.copytree(HERE.errors, tmp_path / "data/errors")
    for name in ("mkdocs.yml", "mkdocs.en.yml"):
        shutil.copyfile(HERE.root / name, tmp_path / name)
    file = tmp_path / "data/errors/memory.yml"
    before, fix, after = file.read_text("utf-8").partition("  fix:\n")
    rest = after.partition("  confirm:\n")
    file.write_text(f'{before}{fix}    zh: "做。"\n    en: "{text}"\n{"".join(rest[1:])}', "utf-8")
    with pytest.raises(GuideError, match=r"memory\.yml:\d+: fix: .* in 'en' — write a"):
        load_errors(Project(tmp_path))
