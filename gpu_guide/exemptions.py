"""`exemptions.yml`: every skip, ignore and exemption of the project, each with its reason and date.

The list only gets shorter by itself: what is written into the code and not here is a problem, and
so is an entry that is no longer needed, or older than a year, which is to be looked at again.
"""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path, PurePosixPath

from gpu_guide.data.entries import entries, typed
from gpu_guide.problems import Problem, fault
from gpu_guide.project import Project
from gpu_guide.snippets import device_choice, distributed_setup, placement

YEAR = timedelta(days=365)
_CODE = ("gpu_guide", "tests", "snippets", "labs", ".ci", ".github")
_IN_CODE = re.compile(
    r"#\s*(?:noqa|type: ignore|fmt: (?:off|skip)|pragma|zizmor: ignore|shellcheck disable)"
    r"|\bpytest\.skip\(|\bmark\.(?:skip|xfail)|\bimportorskip\("
)
_QUOTED = re.compile(r"r?\"[^\"]*\"|r?'[^']*'")
"""What an exemption in code looks like; in a text in quotes it is none."""


SNIPPET_RULES: dict[str, Callable[[str, Path], Iterable[str]]] = {
    "placement": lambda source, path: (
        (f"placement: {what}" for _, what in placement.left(source))
        if placement.applies(source)
        else ()
    ),
    "choice": lambda source, path: (
        f"choice: {what}" for _, what, _ in device_choice.found(source)
    ),
    "nccl": lambda source, path: (
        ["nccl"]
        if "nccl" in source
        and any("NCCL alone" in fault for fault in distributed_setup.faults(source, path))
        else ()
    ),
}
"""Rules about code that a snippet may be let off, and where it breaks them: what is made lies on
the device that the code chooses, but for a named variable; the device is one that is there, and
is waited for before a clock is read; a group has a backend for the CPU, too."""


@dataclass(frozen=True)
class Exemption:
    """One place that is let off a rule."""

    file: str
    """Its path inside the project."""
    what: str
    """The line of code, or the setting's value."""
    why: str
    since: date


def load(path: Path) -> dict[tuple[str, str], tuple[int, Exemption]]:
    """The entries and their lines, by file and what. Raises GuideError."""
    found: dict[tuple[str, str], tuple[int, Exemption]] = {}
    for line, entry in entries(path):
        one = typed(path, line, Exemption, entry)
        if (one.file, one.what) in found:
            raise fault(path, line, f"{one.what!r} again", "keep one of them")
        found[one.file, one.what] = line, one
    return found


def check(project: Project, today: date | None = None) -> Iterator[Problem]:
    """What is not listed, no longer needed, or too old. Raises GuideError."""
    path, root = project.exemptions, project.root
    today = today or date.today()
    listed = load(path)
    found = found_in(project)
    there = Counter((file, what) for file, what, _ in found)
    for file, what, line in found:
        if (file, what) not in listed and what.partition(":")[0] not in SNIPPET_RULES:
            remedy = f"do without it, or list it in {path.name} with file, what, why and since"
            yield Problem(root / file, line, f"an exemption that is not listed: {what}", remedy)
    for key, (line, one) in listed.items():
        if key not in there:
            what = f"{one.file} has no {one.what!r} any more"
            yield Problem(path, line, what, "delete this entry")
        elif today - one.since > YEAR:
            what = f"{one.what!r} of {one.file} is older than a year"
            remedy = "see whether it is still needed; if so, say why, with today's date"
            yield Problem(path, line, what, remedy)


def let_off(project: Project, rule: str) -> dict[str, set[str]]:
    """The snippets that are let off one of SNIPPET_RULES, by name, and for what they are. Raises
    GuideError."""
    found: dict[str, set[str]] = {}
    for _, one in load(project.exemptions).values():
        name, _, what = one.what.partition(": ")
        if name == rule:
            snippet = PurePosixPath(one.file).with_suffix("").as_posix()[9:]
            found.setdefault(snippet, set()).add(what)
    return found


def found_in(project: Project) -> list[tuple[str, str, int | None]]:
    """Every exemption in code and settings: file, line of code or setting, and its number."""
    root = project.root
    return [*_of_code(root), *_of_settings(project), *_of_snippets(project)]


def _of_snippets(project: Project) -> Iterator[tuple[str, str, None]]:
    """The snippets that break one of SNIPPET_RULES: a test fails for those that are not listed."""
    for path in sorted(project.snippets.rglob("*.py")):
        source = path.read_text(encoding="utf-8", errors="replace")
        with contextlib.suppress(SyntaxError):
            for broken in SNIPPET_RULES.values():
                for what in dict.fromkeys(broken(source, path)):
                    yield path.relative_to(project.root).as_posix(), what, None


def _of_code(root: Path) -> Iterator[tuple[str, str, int]]:
    for path in _files(root):
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if _IN_CODE.search(_QUOTED.sub('""', line)):
                yield path.relative_to(root).as_posix(), line.strip(), number


def _files(root: Path) -> Iterable[Path]:
    for folder in _CODE:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in {"", ".py", ".yml", ".sh"}:
                yield path


def _of_settings(project: Project) -> Iterator[tuple[str, str, None]]:
    """The rules that ruff, rumdl and codespell are told to leave out, somewhere or everywhere."""
    root = project.root
    if (path := root / "pyproject.toml").is_file():
        tool = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {})
        ruff = tool.get("ruff", {})
        lint = ruff.get("lint", {})
        yield from ((path.name, f"ruff: {rule}", None) for rule in lint.get("ignore", ()))
        for files, rules in lint.get("per-file-ignores", {}).items():
            yield from ((path.name, f"ruff: {rule} in {files}", None) for rule in rules)
        excluded = ruff.get("format", {}).get("exclude", ())
        yield from ((path.name, f"ruff format: {files}", None) for files in excluded)
        words = tool.get("codespell", {}).get("ignore-words-list", "")
        yield from ((path.name, f"codespell: {w}", None) for w in words.split(",") if w)
    if (path := root / "rumdl.toml").is_file():
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
        off = settings.get("global", {}).get("disable", ())
        yield from ((path.name, f"rumdl: {rule}", None) for rule in off)
        for files, rules in settings.get("per-file-ignores", {}).items():
            yield from ((path.name, f"rumdl: {rule} in {files}", None) for rule in rules)
    if (path := project.labs / "ruff.toml").is_file():
        settings = tomllib.loads(path.read_text(encoding="utf-8")).get("lint", {})
        name = path.relative_to(root).as_posix()
        rules = [*settings.get("ignore", ()), *settings.get("extend-ignore", ())]
        yield from ((name, f"ruff: {rule}", None) for rule in rules)
