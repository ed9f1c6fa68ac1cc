"""Every snippet, on every tier that this machine has; what it printed is compared."""

from __future__ import annotations

import pytest
import simulated_outputs
from conftest import machine, ran, well_formed_snippets

from gpu_guide.problems import GuideError, shown
from gpu_guide.records.compare import rewritten
from gpu_guide.records.verdict import may_be_written, problem_with
from gpu_guide.run.machine import CPU
from gpu_guide.run.runner import Run, Tier, run_snippet
from gpu_guide.run.tiers import plan
from gpu_guide.snippets.model import SNIPPETS, Snippet, parse

FILES = sorted(SNIPPETS.rglob("*.py"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test per file and, where the file is well formed, one per tier that this machine has."""
    if "file" in metafunc.fixturenames:
        metafunc.parametrize("file", FILES, ids=shown)
    elif "tier" in metafunc.fixturenames:
        pairs = [
            (snippet, tier)
            for snippet in well_formed_snippets()
            for tier in plan(snippet, machine(metafunc.config)).tiers
        ]
        metafunc.parametrize(
            ("snippet", "tier"), pairs, ids=[f"{snippet.name}-{tier}" for snippet, tier in pairs]
        )


def test_is_well_formed(file):
    try:
        parse(file)
    except GuideError as error:
        pytest.fail(str(error), pytrace=False)


def test_runs_and_prints_what_it_says(snippet, tier, here, records, pytestconfig):
    run = run_snippet(snippet, tier)
    updates = pytestconfig.getoption("update_examples")
    if updates and may_be_written(snippet, tier, run, here, records):
        update(snippet, run)
    elif problem := problem_with(snippet, tier, run, here, records):
        pytest.fail(problem, pytrace=False)
    kept_aside = tier is Tier.SIMULATED and snippet.needs.kind == "any"
    new = updates and snippet.name not in simulated_outputs.read()
    if kept_aside and not snippet.measures and (here.id == CPU or new):
        printed = run.prints(snippet) if run.outcome == "passed" else ()
        if updates:
            simulated_outputs.update(snippet, printed)
        elif problem := simulated_outputs.problem_with(snippet, printed):
            pytest.fail(problem, pytrace=False)
    if run.outcome == "passed":
        pytestconfig.stash[ran][str(tier)] += 1


def update(snippet: Snippet, run: Run) -> None:
    """Write what was printed into the file; a run that failed changes nothing."""
    if run.outcome != "passed":
        pytest.fail(run.problem, pytrace=False)
    new = rewritten(snippet, run.prints(snippet))
    if new != snippet.source:
        snippet.path.write_text(new, encoding="utf-8", newline="\n")


def test_simulated_outputs_are_of_snippets_that_are_simulated(pytestconfig):
    names = {
        snippet.name
        for snippet in well_formed_snippets()
        if Tier.SIMULATED in plan(snippet, machine(pytestconfig)).tiers
    }
    if pytestconfig.getoption("update_examples"):
        simulated_outputs.keep(names)
    assert simulated_outputs.read().keys() <= names


def test_there_are_snippets():
    assert FILES
