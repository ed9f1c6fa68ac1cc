"""Every snippet is a test: `pytest snippets/check/devices.py`, an item for each tier.

`snippets/check/devices.py::cpu` runs the file on this machine, `::simulated` on pretended GPUs,
`::torchrun` on several processes, `::gpu` on a GPU, `::stand-in` on those of `make stand-in`. What
it prints is compared with its `#>` lines or with a record; `--update-examples` (an option of
pytest-examples) writes the lines, and has ruff and black lay out the code. A separate test runs it
again under other conditions: `::cpu-repeat`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.records import simulated
from gpu_guide.records.assess import (
    differs_when_varied,
    is_repeated,
    may_be_written,
    problem_with,
)
from gpu_guide.records.compare import rewritten
from gpu_guide.records.store import Record, load_records
from gpu_guide.run import with_libraries
from gpu_guide.run.machine import Environment, describe
from gpu_guide.run.outcome import Run
from gpu_guide.run.runner import Tier, prepare, run_snippet
from gpu_guide.run.tiers import plan
from gpu_guide.snippets import formatting
from gpu_guide.snippets.model import Snippet, parse, well_formed_snippets

_HERE = pytest.StashKey[Environment]()
_RECORDS = pytest.StashKey[list[Record]]()
_FIRST = pytest.StashKey[dict[tuple[str, Tier], Run]]()
_TIER = "tier"
"""The property of a report that says on which tier a snippet ran: reports travel between processes,
what a process counts does not."""


def machine(config: pytest.Config) -> Environment:
    """The machine that the tests run on, asked once a session."""
    if _HERE not in config.stash:
        config.stash[_HERE] = describe()
    return config.stash[_HERE]


def records(config: pytest.Config) -> list[Record]:
    """What other machines printed, read once a session."""
    if _RECORDS not in config.stash:
        config.stash[_RECORDS] = load_records(_project(config))
    return config.stash[_RECORDS]


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count; refuse to write outputs from several processes at once."""
    os.environ["PYTHONUTF8"] = "1"  # for the processes that tests start
    # PyTorch's threads sleep while they have nothing to do. They would otherwise keep cores busy
    # that other tests wait for: where cores are scarce, a small training took four times the time.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    config.pluginmanager.register(Tally(config), "gpu-guide-tally")
    if _updates(config) and config.getoption("numprocesses", None):
        raise pytest.UsageError("--update-examples writes files that snippets share: leave -n away")


def _project(config: pytest.Config) -> Project:
    return Project(config.rootpath)


def _updates(config: pytest.Config) -> bool:
    return bool(config.getoption("update_examples", False))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector):
    """A snippet is no module of tests, whatever its name and wherever the command names it."""
    found = yield
    if file_path.suffix == ".py" and file_path.is_relative_to(_project(parent.config).snippets):
        return [SnippetFile.from_parent(parent, path=file_path)]
    return found


def pytest_collection_finish(session: pytest.Session) -> None:
    """Where only snippets are run, begin to start what their processes come from, and no more."""
    first = {item.tier for item in session.items if isinstance(item, SnippetOnTier)}
    repeated = {item.tier for item in session.items if isinstance(item, Repeat)}
    others = [item for item in session.items if not isinstance(item, (SnippetOnTier, Repeat))]
    if first | repeated and not others and not session.config.option.collectonly:
        prepare(first | repeated, repeated)


class SnippetFile(pytest.File):
    """One snippet: an item for each tier that this machine offers it."""

    def collect(self) -> Iterator[pytest.Item]:
        """The tiers; of a malformed file one item, which says what is wrong with it."""
        try:
            snippet = parse(self.path, _project(self.config))
        except GuideError as error:
            yield Malformed.from_parent(self, name="format", problem=str(error))
            return
        for tier in plan(snippet, machine(self.config)).tiers:
            item = SnippetOnTier.from_parent(self, name=str(tier), snippet=snippet, tier=tier)
            if snippet.needs.libraries:
                item.add_marker("extras")
            yield item
            if is_repeated(snippet, tier):
                repeat = Repeat.from_parent(self, name=f"{tier}-repeat", tier=tier)
                repeat.add_marker("repeat")
                yield repeat


class Failure(Exception):
    """What is wrong with a snippet: the whole message, which needs no traceback of ours."""


class _Item(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style=None):
        """The message alone where it is ours."""
        if isinstance(excinfo.value, Failure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


class Malformed(_Item):
    """A file that is no snippet."""

    def __init__(self, *, problem: str, **kwargs) -> None:
        super().__init__(**kwargs)
        self.problem = problem

    def runtest(self) -> None:
        raise Failure(self.problem)


class SnippetOnTier(_Item):
    """One snippet on one tier."""

    def __init__(self, *, snippet: Snippet, tier: Tier, **kwargs) -> None:
        super().__init__(**kwargs)
        self.snippet, self.tier = snippet, tier

    def runtest(self) -> None:
        """Run it; compare what it printed, or lay out the code and write that down."""
        snippet, tier = self.snippet, self.tier
        _have_libraries(snippet, _project(self.config))
        here, known = machine(self.config), records(self.config)
        updates = _updates(self.config)
        if updates:
            snippet = formatting.mend(self.path, _project(self.config))
        run = run_snippet(snippet, tier, strict=tier not in (Tier.GPU, Tier.STAND_IN))
        if updates and may_be_written(snippet, tier, run, here, known):
            _write(snippet, run)
        elif problem := problem_with(snippet, tier, run, here, known):
            raise Failure(problem)
        file = _project(self.config).simulated_record
        if simulated.keeps(snippet, tier, here, file, new=updates):
            printed = run.prints(snippet) if run.outcome == "passed" else ()
            if updates:
                simulated.update(snippet, printed, file)
            elif problem := simulated.problem_with(snippet, printed, file):
                raise Failure(problem)
        if run.outcome == "passed" and simulated.answers(snippet, tier, file):
            problem = simulated.problem_with(snippet, run.prints(snippet), file)
            if problem:
                raise Failure(problem)
        self.config.stash.setdefault(_FIRST, {})[snippet.name, tier] = run
        if run.outcome == "passed":
            self.user_properties.append((_TIER, str(tier)))


class Repeat(_Item):
    """One snippet again on a tier, under other conditions: a separate test, because it finds
    something only where the code is new, and some runs take seconds."""

    def __init__(self, *, tier: Tier, **kwargs) -> None:
        super().__init__(**kwargs)
        self.tier = tier

    def runtest(self) -> None:
        """Compare it with the first run; without one in this process, make that, too."""
        snippet = parse(self.path, _project(self.config))  # which may have been laid out since
        _have_libraries(snippet, _project(self.config))
        first = self.config.stash.setdefault(_FIRST, {}).get((snippet.name, self.tier))
        first = first or run_snippet(snippet, self.tier, strict=True)
        if first.outcome == "failed":
            raise Failure(first.problem)
        if first.outcome != "passed":  # this tier cannot run it: the first run's test says so
            return
        again = run_snippet(snippet, self.tier, strict=True, varied=True)
        if problem := differs_when_varied(snippet, first, again):
            raise Failure(problem)


def _have_libraries(snippet: Snippet, project: Project) -> None:
    """Make the environment that the snippet needs; where that fails, leave it out, though not in
    CI."""
    if not snippet.needs.libraries:
        return
    try:
        with_libraries.find_or_make(project)
    except GuideError as error:
        if os.environ.get("CI"):
            raise Failure(str(error)) from None
        pytest.skip(f"other libraries cannot be installed here: {error}")


def _write(snippet: Snippet, run: Run) -> None:
    """Write what was printed into the file; a run that failed changes nothing."""
    if run.outcome != "passed":
        raise Failure(run.problem)
    new = rewritten(snippet, run.prints(snippet))
    if new != snippet.source:
        snippet.path.write_text(new, encoding="utf-8", newline="\n")


class Tally:
    """Counts snippets by the tier on which they passed, in the process that reports."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.passed: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Count the tests that an expression of marks leaves out, by their mark."""
        if self.config.option.markexpr:
            marks = {line.partition(":")[0] for line in self.config.getini("markers")}
            for item in items:
                self.left_out.update(marks & {mark.name for mark in item.iter_markers()})

    def pytest_sessionfinish(self) -> None:
        """Tell the process that reports: below pytest-xdist, others collect the tests."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["left_out"] = dict(self.left_out)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        """Take over what such a process had left out; each of them collects the same."""
        self.left_out |= Counter(getattr(node, "workeroutput", {}).get("left_out", {}))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the tier, whichever process ran the test."""
        if report.when == "call" and report.passed:
            self.passed.update(value for name, value in report.user_properties if name == _TIER)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """One line that counts snippets by tier, and one for what did not run here."""
        if self.left_out:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.left_out.items()))
            line = f"Tests left out: {kinds} (`make test-all` runs them)"
            terminalreporter.write_line(line)
        skipped = terminalreporter.stats.get("skipped", ())
        browserless = sum("browser" in str(getattr(r, "longrepr", "")) for r in skipped)
        if browserless:
            terminalreporter.write_line(f"{browserless} browser tests left out: no browser found")
        if not self.passed:
            return
        snippets, here = well_formed_snippets(_project(self.config)), machine(self.config)
        left_out = Counter(why for s in snippets if (why := plan(s, here).not_run))
        parts = [f"{count} {tier}" for tier, count in sorted(self.passed.items())]
        parts += [f"{count} {why} (not run here)" for why, count in sorted(left_out.items())]
        terminalreporter.write_line(f"{len(snippets)} snippets: {', '.join(parts)}")
