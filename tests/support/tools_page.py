"""The outputs on the pages about the tools: what each command prints, written by the command.

    PYTHONPATH=. python tests/support/tools_page.py
    python -m gpu_guide stand-in -- python tests/support/tools_page.py --stand-in

write them into both pages: the first all but the doctor's and a dry run's, the second these two.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gpu_guide import ROOT
from gpu_guide.project import HERE
from gpu_guide.records.error_texts import unbiased

PAGES = ("check/tools", "check/test-without-gpu")
ON_STAND_IN = ("doctor", "dry-run")
"""Commands of which a machine without a GPU shows nothing worth reading."""
MACHINE = "driver 525 and a CUDA 13 build"
"""Of tests/data/doctor_machines.yml: the one that the doctor looks at."""
PROJECT = HERE.tests / "data" / "readers_project"
CALL = "import sys; from gpu_guide.tool.main import main; sys.exit(main(sys.argv[1:]))"
FENCES = re.compile(
    r"```bash\n(?P<command>[^\n]+)\n```\n\n```text\n(?P<output>.*?)```\n", re.DOTALL
)
_FRAMES = re.compile(r"(?<=^Traceback \(most recent call last\):\n)(?:  .*\n)+", re.MULTILINE)


def page(name: str, language: str) -> Path:
    return HERE.docs / language / f"{name}.md"


def on_stand_in(command: str) -> bool:
    return command.split()[1] in ON_STAND_IN


def printed(command: str, language: str) -> str:
    """What a command prints in a project that stands for a reader's; `| head -n 9` as in a shell.

    What `diagnose --run` says of an error is on standard error. Of a traceback the frames are left
    out, as doctest does: they name files and lines of torch.
    """
    program, *rest = shlex.split(command)
    lines = None
    if "|" in rest:
        at = rest.index("|")
        rest, lines = rest[:at], int(rest[-1])
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "project"
        shutil.copytree(PROJECT, place, ignore=shutil.ignore_patterns("__pycache__"))
        if program == "gpu-guide":
            asked = [sys.executable, "-c", CALL, "--lang", language]
            asked += [sys.executable if word == "python" else word for word in rest]
        else:
            asked = [sys.executable, *rest, "-p", "no:cacheprovider", f"--rootdir={place}"]
        text = _output(asked, place, rest[0])
        text = text.replace(f"{place}{os.sep}", "").replace(sys.executable, "python")
    shown = _FRAMES.sub("  ...\n", text).split("\n")[:lines]
    return "\n".join(line.rstrip() for line in shown).strip("\n") + "\n"


def _output(asked: list[str], place: Path, command: str) -> str:
    if command == "doctor":
        from doctor_on_stand_in import python_of

        with python_of(MACHINE) as (python, given):
            return _said([*asked, "--python", str(python)], place, given)
    # A dry run makes a stand-in by itself.
    return _said(asked, place, unbiased(os.environ) if command == "dry-run" else os.environ)


def _said(asked: list[str], place: Path, given: Mapping[str, str]) -> str:
    # Where these are set, pytest shortens no line.
    kept = {name: text for name, text in given.items() if name not in ("CI", "BUILD_NUMBER")}
    # A stand-in has modules of its own there.
    kept["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [given.get("PYTHONPATH")])])
    kept |= {"PYTHONUTF8": "1", "COLUMNS": "130"}
    kept |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    kept |= {"PYTEST_PLUGINS": "gpu_guide.tool.pytest_plugin"}
    done = subprocess.run(
        asked,
        cwd=place,
        env=kept,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if "--run" in asked else subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout, done.stderr
    return done.stdout


def written(text: str, language: str, *, stand_in: bool = False) -> str:
    """The page with what the commands print now: those on a stand-in, or the others."""

    def fences(match: re.Match[str]) -> str:
        command = match["command"]
        if on_stand_in(command) != stand_in:
            return match[0]
        return f"```bash\n{command}\n```\n\n```text\n{printed(command, language)}```\n"

    return FENCES.sub(fences, text)


if __name__ == "__main__":
    for one in PAGES:
        for of in HERE.languages:
            before = page(one, of).read_text(encoding="utf-8")
            after = written(before, of, stand_in="--stand-in" in sys.argv)
            page(one, of).write_text(after, encoding="utf-8")
