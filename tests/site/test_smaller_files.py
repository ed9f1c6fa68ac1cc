"""Pages, data, scripts and style sheets take fewer bytes than what they are made of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from built_site import LANGUAGES

from gpu_guide import ROOT
from gpu_guide.site.small_pages import small


def test_blanks_are_taken_out_where_they_are_no_text() -> None:
    code = "<pre><code>if x:\n\n    y\n</code></pre>"
    assert small(f"<p>a\n\n   b</p>\n  {code}  \n <p>c  d</p>") == (
        f"<p>a\nb</p>\n{code}\n<p>c  d</p>"
    )
    script = "<script>\n  // one\n  x()\n</script>"
    assert small(script) == script


def test_json_keeps_what_it_says_in_fewer_bytes() -> None:
    element = '<script type="application/json">{}</script>'
    long = element.format(r'{"a": "\u590d\u5236", "b": ["\u003c/script>", null]}')
    assert small(long) == element.format(r'{"a":"复制","b":["\u003c/script>",null]}')


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_style_sheets_say_the_same_in_fewer_bytes(site: Path, language: str) -> None:
    sheets = sorted((site / language / "assets").glob("*.css"))
    written = ROOT / "theme" / "assets"
    assert "guide.css" in {sheet.name for sheet in sheets}
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        assert "/*" not in text and "  " not in text
        assert text.count("{") == (written / sheet.name).read_text(encoding="utf-8").count("{")


@pytest.mark.build
@pytest.mark.parametrize("language", LANGUAGES)
def test_scripts_are_without_their_comments(site: Path, language: str) -> None:
    """What they do, the tests in a browser see, which use these."""
    built = {script.name: script for script in (site / language / "assets").glob("*.js")}
    written = {script.name: script for script in (ROOT / "theme" / "assets").glob("*.js")}
    made_of_data = {"terms.js", "diagnosis-rules.js", "diagnosis-texts.js"}
    assert built.keys() - written.keys() == {*made_of_data, "search-answers.js"}
    # The worker's own scripts are all in that one.
    assert {name.partition("-")[0] for name in written.keys() - built.keys()} == {"search"}
    for script in written.values():
        text = script.read_text(encoding="utf-8")
        assert "// " in text or "/*" in text
    for name in built.keys() - made_of_data:
        assert not re.search(r"^\s*(?://|/\*)", built[name].read_text("utf-8"), re.MULTILINE)
