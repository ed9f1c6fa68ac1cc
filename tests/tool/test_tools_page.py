"""The outputs on the page check/tools are what the commands print.

`PYTHONPATH=. python tests/tool/test_tools_page.py` writes them into both pages.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gpu_guide import ROOT
from gpu_guide.project import HERE

PROJECT = Path(__file__).parents[1] / "data" / "readers_project"
CALL = "import sys; from gpu_guide.tool.main import main; sys.exit(main(sys.argv[1:]))"
_OUTPUT = r"```text\n(?P<output>.*?)```\n"
FENCES = re.compile(rf"```bash\n(?P<command>[^\n]+)\n```\n\n{_OUTPUT}", re.DOTALL)


def page(language: str) -> Path:
    return HERE.docs / language / "check" / "tools.md"


def printed(command: str, language: str) -> str:
    """What a command prints; pytest in a project that stands for a reader's."""
    program, *rest = shlex.split(command)
    # Where these are set, pytest shortens no line.
    given = {name: text for name, text in os.environ.items() if name not in ("CI", "BUILD_NUMBER")}
    given |= {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "COLUMNS": "130"}
    given |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    given |= {"PYTEST_PLUGINS": "gpu_guide.tool.pytest_plugin"}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "project"
        shutil.copytree(PROJECT, place, ignore=shutil.ignore_patterns("__pycache__"))
        if program == "gpu-guide":
            asked = [sys.executable, "-c", CALL, "--lang", language, *rest]
        else:
            asked = [sys.executable, *rest, "-p", "no:cacheprovider", f"--rootdir={place}"]
        done = subprocess.run(
            asked, cwd=place, env=given, capture_output=True, encoding="utf-8", check=False
        )
        text = done.stdout.replace(f"{place}{os.sep}", "")
    assert text, done.stderr
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")) + "\n"


def written(text: str, language: str) -> str:
    """The page with what the commands print now."""

    def fences(match: re.Match[str]) -> str:
        output = printed(match["command"], language)
        return f"```bash\n{match['command']}\n```\n\n```text\n{output}```\n"

    return FENCES.sub(fences, text)


@pytest.mark.slow
@pytest.mark.parametrize("language", HERE.languages)
def test_the_page_shows_what_the_commands_print(language):
    text = page(language).read_text(encoding="utf-8")
    assert len(FENCES.findall(text)) == 7
    assert written(text, language) == text, "run the command in the first lines of this file"


if __name__ == "__main__":
    for one in HERE.languages:
        before = page(one).read_text(encoding="utf-8")
        page(one).write_text(written(before, one), encoding="utf-8")
