"""Linters: ruff for Python, rumdl for Markdown, codespell for English.

Each looks at the whole tree in one process, and all at the same time. Their settings are in
pyproject.toml and rumdl.toml; `#>` lines stay as they are, because none of the tools writes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gpu_guide.problems import Problem, fault
from gpu_guide.project import Project, about

_MISSPELLED = re.compile(r"(?P<file>.+?):(?P<line>\d+): (?P<what>\S+) ==> (?P<right>.+)")


def check(project: Project) -> list[Problem]:
    """What the three tools find in the project."""
    root = project.root
    texts = project.texts
    python = [project.snippets, project.labs, project.package, project.tests]
    english = _english(project, texts)
    runs: list[tuple[Callable[[Path, str], Iterator[Problem]], list[str], list[Path]]] = [
        (_of_ruff, ["ruff", "check", "--no-cache", "--output-format", "json"], python),
        (
            _of_rumdl,
            ["rumdl", "check", "--no-cache", "--config", "rumdl.toml", "--output-format", "json"],
            [project.docs, *texts],
        ),
        (_of_codespell, ["codespell", "--toml", "pyproject.toml"], english),
    ]
    started = [(read, _start(root, command, paths)) for read, command, paths in runs]
    problems: list[Problem] = []
    for read, process in started:
        said, complained = process.communicate()
        try:
            found = list(read(root, said))
        except (json.JSONDecodeError, KeyError, TypeError):
            found = []
        if process.returncode and not found:
            tool = Path(process.args[0]).name
            what = f"{tool} could not run: {' '.join((complained or said).split())[:200]}"
            problems.append(Problem(root, None, what, "correct its settings"))
        problems += found
    return problems


def _english(project: Project, texts: Iterable[Path]) -> list[Path]:
    """Files with English text. Code and data hold other languages, too, whose words codespell does
    not take for misspelled ones."""
    spelled = [code for code in project.languages if about(code).spelled]
    others = tuple(f".{code}.md" for code in project.languages if code not in spelled)
    found = [path for code in spelled for path in (project.docs / code, project.configs[code])]
    if spelled:
        found += [project.snippets, project.labs, project.data]
    return [*found, project.package, *(path for path in texts if not path.name.endswith(others))]


def _start(root: Path, command: list[str], paths: list[Path]) -> subprocess.Popen[str]:
    # Beside this Python: `python -m rumdl` looks for the binary elsewhere.
    program = shutil.which(command[0], path=str(Path(sys.executable).parent))
    if program is None:
        remedy = f"{sys.executable} -m pip install -e '.[check]'"
        raise fault(None, None, f"{command[0]} is missing", remedy)
    there = [path.relative_to(root).as_posix() for path in paths if path.exists()]
    return subprocess.Popen(
        [program, *command[1:], *there],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def _of_ruff(root: Path, said: str) -> Iterator[Problem]:
    for one in json.loads(said):
        path = Path(one["filename"])
        place = path.relative_to(root.resolve()) if path.is_relative_to(root.resolve()) else path
        # What is not Python is told by the check of the file's kind, in its own words.
        if one["code"] in (None, "invalid-syntax"):
            continue
        fix = (one.get("fix") or {}).get("message")
        remedy = f"{fix}: `ruff check --fix {place.as_posix()}`" if fix else f"see {one['url']}"
        what = f"{one['code']} {one['message']}"
        yield Problem(root / place, one["location"]["row"], what, remedy)


def _of_rumdl(root: Path, said: str) -> Iterator[Problem]:
    for one in json.loads(said):
        what = f"{one['rule']} {one['message']}"
        remedy = f"mend it by hand; the rule: https://rumdl.dev/{one['rule'].lower()}/"
        yield Problem(root / one["file"], one["line"], what, remedy)


def _of_codespell(root: Path, said: str) -> Iterator[Problem]:
    for match in filter(None, map(_MISSPELLED.fullmatch, said.splitlines())):
        remedy = (
            f"write {match['right']}; a word that is right goes into "
            "[tool.codespell] of pyproject.toml"
        )
        what = f"misspelled: {match['what']!r}"
        yield Problem(root / match["file"], int(match["line"]), what, remedy)
