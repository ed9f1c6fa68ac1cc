"""The outputs on the pages about the tools are what the commands print.

tests/support/tools_page.py writes them; those of the doctor and of a dry run are looked at in
tests/stand_in/test_tools_page_on_stand_in.py.
"""

from __future__ import annotations

import pytest
from tools_page import FENCES, PAGES, page, written

from gpu_guide.project import HERE
from gpu_guide.tool.main import COMMANDS


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("language", HERE.languages)
def test_the_page_shows_what_the_commands_print(language, name):
    text = page(name, language).read_text(encoding="utf-8")
    assert written(text, language) == text, "run the command in tests/support/tools_page.py"


@pytest.mark.parametrize("language", HERE.languages)
def test_each_command_is_seen_at_work(language):
    """Each command, the program that `diagnose --run` explains, and tests without and with GPUs."""
    tools, tests = (page(name, language).read_text(encoding="utf-8") for name in PAGES)
    shown = [match["command"] for match in FENCES.finditer(tools)]
    assert {command.split()[1] for command in shown} == set(COMMANDS)
    assert any(" --run " in command for command in shown)
    shown = [match["command"] for match in FENCES.finditer(tests)]
    assert ["--simulate-gpus" in command for command in shown] == [False, True]
