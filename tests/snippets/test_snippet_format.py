"""The snippet format: what is read from a file, and every way in which a file is refused."""

from __future__ import annotations

import pytest
from small_guides import begin

from gpu_guide.problems import GuideError
from gpu_guide.snippets.code_hash import fingerprint
from gpu_guide.snippets.model import Needs, Printed, load_snippets, parse

GOOD = '''"""An English title.

中文标题。
"""
# needs: cuda:2, linux

import torch

for i in range(2):
    # zh: 一句中文，
    #   接着写。
    # en: A sentence,
    #   continued.
    print(i)
    #> 0
    #> 1

print(
    torch.ones(1).device,
)
#> cpu
'''
HEAD = GOOD.split("# needs")[0]


@pytest.fixture
def guide(tmp_path):
    return begin(tmp_path)


@pytest.fixture
def write(guide):
    def write(text: str | bytes):
        path = guide.snippets / "topic" / "name.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_reads_everything_that_a_file_says(write, guide):
    snippet = parse(write(GOOD), guide)
    assert snippet.name == "topic/name"
    assert snippet.title == {"en": "An English title.", "zh": "中文标题。"}
    assert snippet.needs == Needs("cuda", 2, linux=True)
    assert snippet.outputs == (Printed(0, "0\n1"), Printed(1, "cpu"))
    assert snippet.simulated and not snippet.measures and snippet.exits == {0}


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("cuda", Needs("cuda")),
        ("cuda:2, linux", Needs("cuda", 2, linux=True)),
        ("cuda, torch>=2.12", Needs("cuda", torch=(2, 12))),
        ("cuda, sm_75", Needs("cuda", capability=(7, 5))),
        ("cuda, sm_120, triton, no-wddm", Needs("cuda", 1, False, (12, 0), True, True)),
    ],
)
def test_needs_are_read_and_written_alike(write, guide, text, needs):
    read = parse(write(GOOD.replace("cuda:2, linux", text)), guide).needs
    assert read == needs and str(read) == text


def test_code_is_in_one_language_without_title_and_data(write, guide):
    snippet = parse(write(GOOD), guide)
    assert snippet.code("zh").splitlines() == [
        "import torch",
        "",
        "for i in range(2):",
        "    # 一句中文，",
        "    # 接着写。",
        "    print(i)",
        "    #> 0",
        "    #> 1",
        "",
        "print(",
        "    torch.ones(1).device,",
        ")",
        "#> cpu",
    ]
    assert "# A sentence,\n    # continued.\n" in snippet.code("en")
    assert "中" not in snippet.code("en")


DOCUMENTED = (
    HEAD
    + '''def double(x):
    """Twice as much."""
    # zh: 两倍。
    return 2 * x


class Sum:
    """Adds up."""

    # zh: 求和，
    #   从零开始。

    total = 0


def half(x):
    """Half as much."""
    # zh: 整数除法。
    # en: Whole numbers.
    return x // 2
'''
)


def test_a_comment_alone_below_a_docstring_stands_in_its_place_in_its_language(write, guide):
    snippet = parse(write(DOCUMENTED), guide)
    english, chinese = snippet.code("en"), snippet.code("zh")
    assert '"""Twice as much."""\n    return' in english and "两倍" not in english
    assert "def double(x):\n    # 两倍。\n    return" in chinese
    assert "class Sum:\n    # 求和，\n    # 从零开始。\n\n    total" in chinese
    assert 'class Sum:\n    """Adds up."""\n\n    total' in english
    # A pair below a docstring is one like any other.
    assert '"""Half as much."""\n    # 整数除法。\n    return' in chinese
    assert [sorted(one.said_in) for one in snippet.documented] == [["zh"], ["zh"], []]
    bare = DOCUMENTED.replace("    # zh: 两倍。\n", "")
    assert parse(write(bare), guide).sha256 == snippet.sha256


def test_code_takes_the_outputs_of_another_machine(write, guide):
    snippet = parse(write(GOOD), guide)
    code = snippet.code("en", outputs=[Printed(1, "cuda:0"), Printed(0, "7\n\n8")])
    assert "print(i)\n    #> 7\n    #>\n    #> 8\n" in code
    assert code.endswith(")\n#> cuda:0\n")
    assert "#> cpu" not in code and "#> 1" not in code


def test_a_string_that_looks_like_an_output_is_none(write, guide):
    text = GOOD + 'text = """\n#> not printed\n"""\n'
    snippet = parse(write(text), guide)
    assert snippet.outputs == parse(write(GOOD), guide).outputs
    assert "#> not printed" in snippet.without_outputs()


def test_copied_text_has_no_outputs_and_both_languages(write, guide):
    copied = parse(write(GOOD), guide).without_outputs()
    assert "#>" not in copied and "# zh:" in copied and "# en:" in copied
    compile(copied, "copied", "exec")


def test_line_ends_of_windows_make_no_difference(write, guide):
    here = parse(write(GOOD), guide)
    there = parse(write(GOOD.replace("\n", "\r\n")), guide)
    assert there == here and there.sha256 == here.sha256


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("An English title.", "A better title.", True),
        ("A sentence,", "A better sentence,", True),
        ("#> cpu", "#> cuda:0", True),
        ("\n\nprint(", "\n\n\nprint(", True),
        ("range(2)", "range(\n    2,\n)", True),
        ("torch.ones(1).device,", "(torch.ones(1).device)", True),
        ("import torch\n", "import  torch ;\n", True),
        ("range(2)", "range(3)", False),
        ("range(2)", "range(0, 2)", False),
        ("    #> 0\n    #> 1\n", "    print(i)\n", False),
        ("cuda:2", "cuda:3", False),
    ],
)
def test_hash_follows_what_runs_and_nothing_else(write, guide, old, new, same):
    before = parse(write(GOOD), guide).sha256
    assert (parse(write(GOOD.replace(old, new, 1)), guide).sha256 == before) is same


def test_docstrings_count_by_their_words_alone():
    one = 'def f():\n    """A.\n\n    B.\n    """\n'
    assert fingerprint(one) == fingerprint(one.replace("    B.", "      B.  "))
    assert fingerprint(one) != fingerprint(one.replace("B.", "C."))
    assert fingerprint('"""T."""\n' + one) == fingerprint(one) != fingerprint(one, "cuda")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (b'"""An \xff title."""\n', 1, "not UTF-8"),
        (b"\xef\xbb\xbf" + GOOD.encode(), 1, "byte order mark"),
        (GOOD.replace("    print(i)", "\tprint(i)"), 14, "a tab"),
        (GOOD.replace("for i in", "for in"), 9, "not valid Python"),
        ("import torch\n", 1, "no docstring"),
        ('"""Only English."""\n', 1, "not a title in English and then one in Chinese"),
        ('"""中文。\n\nEnglish.\n"""\n', 1, "not a title in English and then one in Chinese"),
        (GOOD.replace("cuda:2, linux", "gpu"), 5, "unknown need 'gpu'"),
        (GOOD.replace("cuda:2, linux", "linux:2"), 5, "unknown need 'linux:2'"),
        (GOOD.replace("cuda:2, linux", "cuda, sm80"), 5, "unknown need 'sm80'"),
        (GOOD.replace("cuda:2, linux", "cuda, triton:2"), 5, "unknown need 'triton:2'"),
        (GOOD.replace("cuda:2, linux", "triton, linux"), 5, "without cuda"),
        (GOOD.replace("cuda:2, linux", "torchrun:2, sm_80"), 5, "without cuda"),
        (GOOD.replace("cuda:2, linux", "torchrun"), 5, "torchrun without a number"),
        (GOOD.replace("cuda:2, linux", "cuda, torchrun:2"), 5, "both cuda and torchrun"),
        (GOOD.replace("# needs:", "# wants:"), 5, "not a data line"),
        (HEAD + "\n# needs: cuda\n", 6, "a data line away from the top"),
        (HEAD + "# simulated: maybe\n", 5, "neither yes nor no"),
        (HEAD + "# simulated: no\n", 1, "without '# needs: cuda'"),
        (HEAD + "# exits: one\n", 5, "not exit statuses"),
        (GOOD.replace("    # en: A sentence,\n    #   continued.\n", ""), 10, "without '# en:'"),
        (GOOD.replace("    # zh: 一句中文，\n    #   接着写。\n", ""), 10, "without '# zh:'"),
        (GOOD.replace("    # en: A", "  # en: A"), 10, "without '# en:'"),
        (GOOD.replace("# en: A sentence,", "# en: 一句，"), 12, "not English"),
        (GOOD.replace("# zh: 一句中文，", "# zh: words,"), 10, "not Chinese"),
        (HEAD + "\n# a remark\nimport torch\n", 6, "a comment in one language"),
        (HEAD + "\nimport torch  # en: here\n", 6, "a comment behind code"),
        (HEAD + "\nimport torch\n#> 1\n", 7, "an output where nothing prints"),
        (HEAD + "\nprint(1)\n\n#> 1\n", 8, "an output where nothing prints"),
        (GOOD.replace("    #> 0", "#> 0"), 15, "not in line with its print"),
        (HEAD + "# measures: yes\n\nprint(1)\n#> 1\n", 8, "only recorded"),
        (HEAD + "# needs: cuda\n# simulated: no\nprint(1)\n#> 1\n", 8, "only recorded"),
        (HEAD + "\nimport requests\n", 6, "imports 'requests'"),
        (HEAD + "\nfrom torchvision.ops import nms\n", 6, "imports 'torchvision.ops'"),
        (HEAD + "\nfrom . import data\n", 6, "imports '.'"),
        (HEAD + f"\nx = '{'长' * 40}'\n", 6, "columns wide"),
    ],
)
def test_malformed_file_is_refused_with_file_line_and_remedy(write, guide, text, line, says):
    path = write(text)
    with pytest.raises(GuideError) as caught:
        parse(path, guide)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{path.as_posix()}:{line}: ")
    assert caught.value.problems[0].remedy


def test_every_file_below_the_folder_is_loaded_by_name(write, guide):
    write(GOOD)
    assert list(load_snippets(guide)) == ["topic/name"]
