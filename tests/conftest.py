"""What every test shares: the snippets, this machine, and the closing line that counts them."""

from __future__ import annotations

import contextlib
import os
from collections import Counter

import pytest

from gpu_guide.problems import GuideError
from gpu_guide.records.store import Record, load_records
from gpu_guide.run.machine import Environment, describe
from gpu_guide.run.tiers import plan
from gpu_guide.snippets.model import SNIPPETS, Snippet, parse

os.environ["PYTHONUTF8"] = "1"  # for the processes that tests start

ran = pytest.StashKey[Counter]()
here_key = pytest.StashKey[Environment]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ran] = Counter()


def well_formed_snippets() -> list[Snippet]:
    """Every snippet that can be parsed: a malformed one is a failed test, not a broken session."""
    found = []
    for file in sorted(SNIPPETS.rglob("*.py")):
        with contextlib.suppress(GuideError):
            found.append(parse(file))
    return found


def machine(config: pytest.Config) -> Environment:
    """The machine that the tests run on, asked once."""
    if here_key not in config.stash:
        config.stash[here_key] = describe()
    return config.stash[here_key]


@pytest.fixture(scope="session")
def here(pytestconfig: pytest.Config) -> Environment:
    """The machine that the tests run on."""
    return machine(pytestconfig)


@pytest.fixture(scope="session")
def records() -> list[Record]:
    """Everything that other machines printed."""
    return load_records()


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    """One line that counts snippets by tier, those that did not run here included."""
    counts = config.stash[ran]
    if not counts:
        return
    snippets = well_formed_snippets()
    left_out = Counter(why for s in snippets if (why := plan(s, machine(config)).not_run))
    parts = [f"{count} {tier}" for tier, count in sorted(counts.items())]
    parts += [f"{count} {why} (not run here)" for why, count in sorted(left_out.items())]
    terminalreporter.write_line(f"{len(snippets)} snippets: {', '.join(parts)}")
    browserless = [
        report
        for report in terminalreporter.stats.get("skipped", ())
        if "browser" in str(getattr(report, "longrepr", ""))
    ]
    if browserless:
        terminalreporter.write_line(f"{len(browserless)} browser tests left out: no browser found")
