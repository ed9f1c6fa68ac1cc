"""The decision tree on check/not-available: every error leads to what proves and fixes its cause.

What PyTorch says is not written here: the stand-in played each machine of data/broken_machines.yml,
and `records/broken` holds what torch 2.13 and 2.15 said on it. A reader follows the tree by the
words that nvidia-smi and PyTorch print, and so do these tests.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import torch

from gpu_guide.data.broken_machines import BrokenMachine, load_broken_machines
from gpu_guide.pages.page import Page, parse
from gpu_guide.project import HERE
from gpu_guide.records import error_texts

MACHINES = load_broken_machines(HERE)
VERSIONS = {path.stem: error_texts.read(path)[1] for path in error_texts.files(HERE)}
ON_THE_TREE = ("check/not-available", "check/index#built-for")
NOT_BROKEN_MACHINES = {
    "The term 'nvidia-smi' is not recognized as the name of a cmdlet": "no-driver"
}
"""What only a Windows machine says."""


@pytest.fixture(params=HERE.languages)
def page(request: pytest.FixtureRequest) -> Page:
    docs = HERE.docs / request.param
    return parse(docs / "check" / "not-available.md", docs)


@dataclass(frozen=True)
class Leaf:
    """One line of the tree: the messages that it names, and the sections that it leads to."""

    named: tuple[str, ...]
    targets: tuple[str, ...]
    starts: bool
    """Whether CUDA started: below "`is_available()` is `True`"."""

    def names(self, words: str) -> bool:
        return any(text in words for text in self.named)


def leaves(page: Page) -> Iterator[Leaf]:
    rows = "\n".join(line.text for line in page.lines)
    tree = rows[rows.index('<div class="tree"') : rows.index("</div>")]
    starts = False
    for row in re.findall(r"^ *- .*$", tree, re.M):
        if row.startswith("- "):
            starts = "is_available()" in row
        before = row.split("](")[0].rsplit("[", 1)[0]
        if targets := re.findall(r"\]\(\S*#([\w-]+)\)", row):
            yield Leaf(tuple(re.findall(r"`([^`]+)`", before)), tuple(targets), starts)


def on_the_tree() -> Iterator[tuple[str, str, BrokenMachine]]:
    for version in VERSIONS:
        for id, machine in MACHINES.items():
            if machine.answer.startswith(ON_THE_TREE):
                yield pytest.param(version, machine, id=f"{version}-{id}")


def test_both_versions_said_something_on_every_machine() -> None:
    assert list(VERSIONS) == ["torch-2.13.0", "torch-2.15.0"]
    assert all(entries.keys() == MACHINES.keys() for entries in VERSIONS.values())


@pytest.mark.parametrize(("version", "machine"), tuple(on_the_tree()))
def test_the_words_lead_to_the_section_that_answers(
    page: Page, version: str, machine: BrokenMachine
) -> None:
    told = VERSIONS[version][machine.id]
    wanted = machine.answer.partition("#")[2]
    if machine.nvidia_smi:
        found = [leaf for leaf in leaves(page) if leaf.names(machine.nvidia_smi)]
    else:
        found = [leaf for leaf in leaves(page) if any(map(leaf.names, told.words))]
    where = f"{page.path}: {machine.id}, {version}: {told.words}"
    if wanted == "real-error":  # "any other error": doctor.py
        assert not found, f"{where}: a line names it"
        return
    assert len(found) == 1, f"{where}: {len(found)} lines of the tree name it"
    assert wanted in found[0].targets, where
    starts = told.calls["torch.cuda.is_available()"][-1] == "True"
    assert machine.nvidia_smi or found[0].starts == starts, f"{where}: the other branch of the tree"


@pytest.mark.parametrize("words", NOT_BROKEN_MACHINES)
def test_what_windows_says_has_one_line_of_the_tree(page: Page, words: str) -> None:
    (leaf,) = (leaf for leaf in leaves(page) if leaf.names(words))
    assert leaf.targets == (NOT_BROKEN_MACHINES[words],)


def test_every_line_of_the_tree_has_a_machine(page: Page) -> None:
    """None but those that begin with the build, and the step on the way."""
    answered = {machine.answer.partition("#")[2] for machine in MACHINES.values()}
    targets = {target for leaf in leaves(page) for target in leaf.targets}
    assert targets - answered == {"not-compiled"}
    assert "real-error" in targets


def test_every_section_of_the_tree_proves_and_fixes(page: Page) -> None:
    lines = {line.number: line.text for line in page.lines}
    begins = {heading.id: heading.line for heading in page.headings}
    here = {target for leaf in leaves(page) for target in leaf.targets} & begins.keys()
    assert len(here) > 5
    for id in sorted(here - {"real-error"}):  # a step on the way
        end = min((line for line in begins.values() if line > begins[id]), default=len(lines))
        text = "\n".join(lines[number] for number in range(begins[id], end))
        where = f"{page.path}:{begins[id]}: section {id}"
        assert "**Proof**" in text or "**证明**" in text, f"{where} proves nothing"
        if id == "not-compiled":  # its table sends each kind of hardware to its own fix
            continue
        assert "**Fix**" in text or "**解决**" in text, f"{where} fixes nothing"
        commands = [fence for fence in page.fences if begins[id] < fence.line < end]
        assert commands, f"{where} has no command that proves the cause"


def test_every_answer_of_the_tree_has_a_command(page: Page) -> None:
    docs = page.path.parents[1]
    answers = parse(docs / "answers" / "check.md", docs)
    begins = {heading.id: heading.line for heading in answers.headings}
    ends = [*sorted(begins.values()), len(answers.lines) + 1]
    there = {target for leaf in leaves(page) for target in leaf.targets} & begins.keys()
    assert len(there) > 5
    for id in sorted(there):
        end = ends[ends.index(begins[id]) + 1]
        commands = [fence for fence in answers.fences if begins[id] < fence.line < end]
        assert commands, f"{answers.path}:{begins[id]}: answer {id} has no command"


NUMBERED = {
    words
    for entries in VERSIONS.values()
    for one in entries.values()
    for words in one.words
    if re.search(r"Error \d+: ", words) and "CUDA initialization" not in words
}


@pytest.mark.parametrize("words", sorted(NUMBERED))
def test_the_number_of_an_error_is_printed(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise RuntimeError(words)

    monkeypatch.setattr(torch.cuda, "init", fail)
    runpy.run_path(str(HERE.snippets / "check" / "real_error.py"))
    assert words[-20:] in capsys.readouterr().out


@pytest.mark.parametrize("built_for", ["cuda", "hip", "xpu"])
def test_a_build_for_any_gpu_is_not_taken_for_cpu_only(
    built_for: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cuda", "hip", "xpu"):
        monkeypatch.setattr(torch.version, name, "7.5" if name == built_for else None)
    runpy.run_path(str(HERE.snippets / "check" / "deciding_facts.py"))
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed if line.endswith("7.5")] == [
        {"cuda": "NVIDIA", "hip": "AMD", "xpu": "Intel"}[built_for]
    ]
