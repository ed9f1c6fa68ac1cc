"""What the page about the tools shows of the doctor and of a dry run is what they print."""

from __future__ import annotations

import re

import pytest
from tools_page import page, written

from gpu_guide.project import HERE

OF_THIS_MACHINE = re.compile(r"^(Python|PyTorch) +\S.*$", re.MULTILINE)


@pytest.mark.parametrize("language", HERE.languages)
def test_the_page_shows_what_the_commands_print(language):
    text = page("check/tools", language).read_text(encoding="utf-8")
    now, shown = (
        OF_THIS_MACHINE.sub(r"\1", one) for one in (written(text, language, stand_in=True), text)
    )
    assert now == shown, "run the second command in tests/support/tools_page.py"
