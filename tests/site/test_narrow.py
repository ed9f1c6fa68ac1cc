"""What a narrow screen needs of a page: where lines of code begin, what columns are called."""

from __future__ import annotations

import re

import pytest

from gpu_guide import ROOT
from gpu_guide.site.narrow import COLUMNS, narrow


def code(*lines: str) -> str:
    return "<pre><span></span><code>" + "".join(f"{line}\n" for line in lines) + "</code></pre>"


def test_a_long_line_has_the_class_of_its_beginning() -> None:
    short, long = "x" * COLUMNS, "x" * (COLUMNS + 1)
    for blanks, name in ((0, "w0"), (4, "w1"), (9, "w2"), (40, "w4")):
        line = " " * blanks + long
        assert narrow(code(short, line)) == code(short, f'<span class="{name}">{line}</span>')


def test_what_a_reader_sees_counts() -> None:
    tagged = f'<span class="s">{"x" * COLUMNS}</span>'
    assert narrow(code(tagged, "&lt;" * COLUMNS)) == code(tagged, "&lt;" * COLUMNS)
    assert 'class="w0"' in narrow(code("显" * (COLUMNS // 2 + 1)))


@pytest.mark.parametrize(
    "line",
    [
        f'<span class="snippet__output">{"x" * 60}',
        f'<span class="s">{"x" * 60}',
        "x" * 60 + "</span>",
    ],
)
def test_a_line_of_which_an_element_goes_on_is_left_as_it_is(line: str) -> None:
    assert narrow(code(line)) == code(line)


def test_a_table_that_is_drawn_with_signs_is_not_wrapped() -> None:
    drawn = narrow(code("+" + "-" * 60, "|" + " " * 60, "+" + "-" * 60))
    assert drawn.startswith('<pre class="drawn">') and "w0" not in drawn
    assert "drawn" not in narrow(code("a | b", "| c"))


def table(*heads: str, cell: str = "<td>x</td>") -> str:
    named = "".join(f"<th>{head}</th>" for head in heads)
    return f"<table>\n<thead><tr>{named}</tr></thead>\n<tbody><tr>{cell}</tr></tbody></table>"


def test_a_table_of_three_columns_names_all_but_the_first() -> None:
    html = narrow(table("GPU", "<code>a</code> &lt; b", "it's \"so\""))
    style = re.search(r'<table style="(.*?)">', html)
    assert style and style[1] == "--2:'a &lt; b';--3:'it\\'s &quot;so&quot;'"


def test_other_tables_stay_as_they_are() -> None:
    few, shared = table("a", "b"), table("a", "b", "c", cell='<td rowspan="2">x</td>')
    for html in (few, shared, '<table class="plot__figures"><thead></thead></table>'):
        assert narrow(html) == html


def test_a_browser_that_opens_no_fold_by_a_style_keeps_the_words_that_do() -> None:
    sheet = (ROOT / "theme/assets/guide.css").read_text(encoding="utf-8")
    (hidden,) = re.finditer(r"\.fold > summary \{ display: none", sheet)
    (able,) = re.finditer(r"@supports selector\(::details-content\) \{\n(?:  .*\n)+\}", sheet)
    assert able.start() < hidden.start() < able.end()
