"""The texts for contributors: their Python fences run where they stand, their commands exist."""

from __future__ import annotations

import re

import pytest
from pytest_examples import CodeExample, find_examples

from gpu_guide import ROOT
from gpu_guide.project import HERE
from gpu_guide.run.runner import run_source
from gpu_guide.snippets.model import by_statement, print_statements, with_outputs

PAGES = HERE.texts
PAIRS = [page.with_suffix("") for page in PAGES if page.with_suffix(".zh.md").exists()]
EXAMPLES = [
    example
    for page in PAGES
    for example in find_examples(page)
    if not re.match(r"(pycon|pytb)", example.prefix)
]
_FENCE = re.compile(r"^ *```(?:py|python)\b", re.MULTILINE)


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_fence_runs_and_prints_what_it_says(example: CodeExample):
    run = run_source(example.source, example.path)
    assert run.outcome == "passed", run.problem
    prints = print_statements(example.source)
    printed = by_statement(run.calls, prints)
    assert with_outputs(example.source, prints, printed) == example.source


def test_no_fence_is_overlooked():
    found = sum(len(_FENCE.findall(page.read_text(encoding="utf-8"))) for page in PAGES)
    assert found == len(EXAMPLES) > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_are_targets_of_the_makefile(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = re.findall(r"^make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_both_languages_show_the_same_code(pair):
    def fences(page):
        return re.findall(r"^```.*?^```", page.read_text(encoding="utf-8"), re.M | re.S)

    assert fences(pair.with_suffix(".md")) == fences(pair.with_suffix(".zh.md"))


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "CONTRIBUTING.zh.md"])
def test_how_to_contribute_fits_on_two_screens(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert len(text.encode()) < 6 * 1024
    assert text.count("\n") <= 110


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_inside_the_repository_resolve(page):
    targets = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    targets += re.findall(r'(?:src|href)="([^"]+)"', page.read_text(encoding="utf-8"))
    inside = [t.split("#")[0] for t in targets if not re.match(r"https?:|#|mailto:|term:", t)]
    assert inside
    assert [target for target in inside if not (page.parent / target).exists()] == []


def test_ci_runs_all_tests_by_the_command_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    wanted = re.search(r"s/\^\\\((make [a-z-]+)\\\)\$/", script)[1]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(rf"^{wanted.removeprefix('make ')}:.*\n\t(.*)", makefile, re.MULTILINE)[1]
    assert " test --all" in recipe
    for page in ("README.md", "README.zh.md"):
        assert wanted in (ROOT / page).read_text(encoding="utf-8").splitlines()
