"""How a snippet is laid out: told, mended by black and ruff, and of no moment for records."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide.snippets import formatting
from gpu_guide.snippets.model import parse

RIGHT = '''"""An English title.

中文标题。
"""
# needs: linux
# exits: 0 1


def two_lines(x):
    # zh: 一句中文，
    #   接着写。
    # en: A sentence,
    #   continued.
    print(x, "", x, sep="\\n")
    #> 1
    #>
    #> 1


two_lines(1)
print("a", "b")
#> a b
'''


@pytest.fixture
def write(tmp_path):
    def write(text: str) -> Path:
        path = tmp_path / "snippets" / "topic" / "name.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def told(write, tmp_path):
    """What the check tells of a text, from nothing known."""

    def told(text: str) -> list[str]:
        snippet = parse(write(text), begin(tmp_path))
        return list(map(str, formatting.check([snippet], tmp_path / "cache" / "known.txt")))

    return told


def test_what_black_writes_is_right_and_is_left_alone(told, write, tmp_path):
    assert told(RIGHT) == []
    path = write(RIGHT)
    formatting.mend(path, begin(tmp_path))
    assert path.read_text(encoding="utf-8") == RIGHT


@pytest.mark.parametrize(
    ("right", "otherwise", "line", "black"),
    [
        ('print("a", "b")', "print( 'a', 'b' )", 21, """'print("a", "b")'"""),
        ('print("a", "b")', 'print(\n    "a", "b"\n)', 21, """'print("a", "b")'"""),
        ("\n\n\ntwo_lines(1)", "\ntwo_lines(1)", 18, "an empty line"),
        ("\n\n\ndef", "\ndef", 7, "an empty line"),
        ("two_lines(1)\n", "two_lines(1);\n", 20, "'two_lines(1)'"),
    ],
)
def test_another_layout_is_told_and_mended_and_leaves_records_valid(
    told, write, tmp_path, right, otherwise, line, black
):
    assert right in RIGHT
    text = RIGHT.replace(right, otherwise, 1)
    where = tmp_path.as_posix()
    (problem,) = told(text)
    assert problem.startswith(f"{where}/snippets/topic/name.py:{line}: ")
    remedy = "`pytest snippets/topic/name.py --update-examples` lays it out"
    assert problem.endswith(f": black writes {black} here — {remedy}")
    guide = begin(tmp_path)
    before = parse(write(text), guide)
    after = formatting.mend(before.path, guide)
    assert after.source == before.path.read_text(encoding="utf-8") == RIGHT
    assert after.sha256 == before.sha256 and after.outputs == before.outputs


def test_ruff_mends_what_it_can_and_leaves_the_rest(write, tmp_path):
    code = "import sys\nimport os\n\nprint(os.sep, unknown)\n"
    path = write(RIGHT.partition("\n\n\ndef")[0] + "\n\n" + code)
    after = formatting.mend(path, begin(tmp_path))
    assert after.source.endswith("# exits: 0 1\n\nimport os\n\nprint(os.sep, unknown)\n")


def test_what_is_known_to_be_right_is_not_laid_out_again(told, monkeypatch):
    assert told(RIGHT) == []

    def never(snippet):
        raise AssertionError("laid out again")

    monkeypatch.setattr(formatting, "laid_out", never)
    assert told(RIGHT) == []
    with pytest.raises(AssertionError, match="laid out again"):
        told(RIGHT.replace("two_lines(1)", "two_lines(2)"))


def test_what_is_wrong_is_told_every_time(told):
    text = RIGHT.replace('print("a", "b")', 'print("a","b")')
    assert len(told(text)) == 1 and told(text) == told(text)
