"""What is left out of tests: those that passed within a week, and of which nothing changed; or with
`--since COMMIT` those of which nothing changed since that commit, whose tests have passed.

The inputs of a test are hashed: the tools, the runtime's compiled libraries, the machine that they
play, every package of the environment, and the test itself. Of a snippet that is its file and what
the records say of it; of a module in `tests/stand_in` the data, the other tests' helpers and, if it
looks into the tree, everything in it. A pass is kept below that hash, in the cache. `--run-passed`
leaves nothing out, and keeps what passes all the same: `make stand-in ARGS=--all`, and every night.
`make test` leaves out snippets likewise, unless something is asked for: `make test-all` does not.
What no rule knows the inputs of, such as all tests outside `tests/stand_in`, always runs. `--since`
reads the commit's files and no cache: a clean clone has none.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache, cached_property
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from gpu_guide.project import Project
from gpu_guide.pytest_plugin import Repeat, SnippetOnTier
from gpu_guide.stand_in.machine import MARK

DAYS = 7
"""How long a pass counts, wherever nobody runs everything at night."""
_INPUTS = "inputs"
"""The property of a report that says what its test was made of."""
_LOOKS_INTO_TREE = re.compile(r"\b(HERE|ROOT|Project|parents|snippets|docs|labs|theme)\b")


class Inputs:
    """Hashes of what tests are made of, in one tree on one machine."""

    def __init__(self, project: Project, around: Mapping[str, str] = os.environ) -> None:
        self.project, self.around = project, around

    def of_snippet(self, path: Path, name: str) -> str:
        """What decides whether this snippet passes."""
        said = [(file, entries.get(name)) for file, entries in self._records]
        return _hash([self._machine, self._tools, path.read_bytes(), said])

    def of_module(self, path: Path) -> str:
        """What decides whether the tests of this module pass."""
        one = self.project
        pages = (one.docs, one.snippets, one.labs, one.theme)
        looks = _LOOKS_INTO_TREE.search(path.read_text(encoding="utf-8"))
        rooms = [p for p in one.tests.iterdir() if p != path.parent and _holds_tests(p)]
        beside = _is_in((*rooms, *(() if looks else pages)))
        return _hash([self._machine, self._named(lambda file: not beside(file))])

    @cached_property
    def _machine(self) -> str:
        played = {k: v for k, v in self.around.items() if k.startswith("STAND_IN_") or k == MARK}
        libraries = [Path(one) for one in self.around.get("LD_PRELOAD", "").split(":") if one]
        compiled = [(one.name, _hash(one.read_bytes())) for one in libraries]
        packages = sorted(f"{one.name} {one.version}" for one in distributions())
        python = [sys.version, platform.machine(), self.around.get("PYTHONPATH")]
        return _hash([sorted(played.items()), compiled, packages, python])

    @cached_property
    def _tools(self) -> str:
        one = self.project
        return _hash(self._named(_is_in((one.package, one.cards, one.libraries, *self._settings))))

    @cached_property
    def _settings(self) -> list[Path]:
        return [
            path for kind in ("toml", "txt", "yml") for path in self.project.root.glob(f"*.{kind}")
        ]

    @cached_property
    def _files(self) -> dict[Path, str]:
        """Every file that somebody writes, and a hash of its bytes."""
        root = self.project.root
        folders = [root / name for name in sorted(self.project.own_folders)]
        files = [file for folder in folders for file in sorted(folder.rglob("*"))]
        kept = [file for file in files if file.is_file() and "__pycache__" not in file.parts]
        return {file: _hash(file.read_bytes()) for file in [*kept, *self._settings]}

    def _named(self, chosen: Callable[[Path], bool]) -> list[tuple[str, str]]:
        """The files that are chosen, by their place in the tree."""
        root = self.project.root
        return sorted(
            (f.relative_to(root).as_posix(), h) for f, h in self._files.items() if chosen(f)
        )

    @cached_property
    def _records(self) -> list[tuple[str, dict[str, object]]]:
        """By the name of each record's file, the entries of snippets."""
        files = sorted(self.project.records.glob("*.json"))
        contents = [json.loads(file.read_text(encoding="utf-8")) for file in files]
        return [(file.name, one["snippets"]) for file, one in zip(files, contents, strict=True)]


def _is_in(places: Iterable[Path]) -> Callable[[Path], bool]:
    """Whether a file is one of these, or in one of these folders."""
    known = frozenset(places)
    return lambda file: file in known or not known.isdisjoint(file.parents)


def _holds_tests(path: Path) -> bool:
    return path.match("test_*.py") or (path.is_dir() and any(path.rglob("test_*.py")))


def _hash(parts: object) -> str:
    return hashlib.sha256(parts if isinstance(parts, bytes) else repr(parts).encode()).hexdigest()


def read(file: Path, today: date) -> dict[str, tuple[str, str]]:
    """By test the inputs with which it passed, and the day; nothing of a file that is no such."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        found = {test: (str(inputs), str(day)) for test, (inputs, day) in content.items()}
        oldest = today - timedelta(days=DAYS)
        return {test: one for test, one in found.items() if date.fromisoformat(one[1]) > oldest}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def at(commit: str, project: Project, folder: Path) -> Project | None:
    """The project as of `commit`, unpacked into `folder`; None where git knows no such commit."""
    command = ["git", "archive", "--format=zip", "-0", commit]
    try:
        done = subprocess.run(command, cwd=project.root, stdout=subprocess.PIPE, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    zipfile.ZipFile(io.BytesIO(done.stdout)).extractall(folder)
    return Project(folder)


def changed_since(commit: str, project: Project) -> list[Path] | None:
    """The files that are not as at `commit`, new ones included; None where git cannot tell."""
    found: list[Path] = []
    for command in (
        ["diff", "--name-only", "--relative", "-z", commit],
        ["ls-files", "--others", "--exclude-standard", "-z"],
    ):
        try:
            done = subprocess.run(
                ["git", *command], cwd=project.root, capture_output=True, text=True, check=True
            )
        except (OSError, subprocess.CalledProcessError):
            return None
        found += [project.root / name for name in done.stdout.split("\0") if name]
    return found


def _hashes(items: Iterable[pytest.Item], root: Path, project: Project) -> list[str]:
    """By test what it is made of in `project`: "" where it is not there, or no rule knows that."""
    inputs = Inputs(project)
    of_module = cache(inputs.of_module)

    def of(item: pytest.Item) -> str:
        path = project.root / item.path.relative_to(root)
        if not path.is_file():
            return ""
        if isinstance(item, (SnippetOnTier, Repeat)):
            name = path.relative_to(project.snippets).with_suffix("").as_posix()
            return inputs.of_snippet(path, name)
        return of_module(path) if path.is_relative_to(project.tests / "stand_in") else ""

    return [of(item) for item in items]


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--run-passed`, and nothing is left out."""
    parser.addoption("--run-passed", action="store_true", help="also run what passed before")
    parser.addoption("--since", help="leave out what is as it was at this commit")


def pytest_configure(config: pytest.Config) -> None:
    """Begin with what passed before."""
    config.pluginmanager.register(_OnlyChanged(config), "gpu-guide-only-changed")


class _OnlyChanged:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.project = Project(config.rootpath)
        self.file = self.project.cache / f"{'stand-in-' if MARK in os.environ else ''}passed.json"
        self.today = datetime.now(UTC).date()
        self.since = config.getoption("since")
        self.known = {} if self.since else read(self.file, self.today)
        self.passed: dict[str, str] = {}
        self.left_out = 0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what passed; tell the reports of all others what they were made of."""
        stay, left_out = [], []
        hashes = zip(items, _hashes(items, self.project.root, self.project), strict=True)
        for (item, inputs), before in zip(hashes, self._before(items), strict=True):
            if inputs and inputs == before and not self.config.getoption("run_passed"):
                left_out.append(item)
            else:
                item.user_properties.append((_INPUTS, inputs))
                stay.append(item)
        if left_out:
            self.config.hook.pytest_deselected(items=left_out)
            self.left_out = len(left_out)
            items[:] = stay

    def _before(self, items: list[pytest.Item]) -> list[str]:
        """By test what it was made of when it passed."""
        if not self.since:
            return [self.known.get(item.nodeid, ("", ""))[0] for item in items]
        with TemporaryDirectory() as folder:
            then = at(self.since, self.project, Path(folder))
            return _hashes(items, self.project.root, then) if then else [""] * len(items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what passed, whichever process ran it."""
        inputs = dict(report.user_properties).get(_INPUTS)
        if report.failed:
            self.passed.pop(report.nodeid, None)
            self.known.pop(report.nodeid, None)
        elif report.when == "call" and report.passed and inputs:
            self.passed[report.nodeid] = str(inputs)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        """Take over the count of a process below pytest-xdist; each of them collects the same."""
        self.left_out = getattr(node, "workeroutput", {}).get("passed_before", self.left_out)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Keep what passed. Where nothing had to run, all is well."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["passed_before"] = self.left_out
            return
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.left_out:
            session.exitstatus = pytest.ExitCode.OK
        if self.since:
            return
        day = self.today.isoformat()
        kept = self.known | {test: (inputs, day) for test, inputs in self.passed.items()}
        self.file.parent.mkdir(exist_ok=True)
        draft = self.file.with_suffix(".new")
        draft.write_text(json.dumps(kept, indent=0), encoding="utf-8")
        draft.replace(self.file)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """One line for what was left out."""
        if self.left_out:
            what = "passed before, and nothing of them changed"
            how = "without `--since` they run" if self.since else "`--all` runs them, too"
            terminalreporter.write_line(f"{self.left_out} {what} ({how})")
