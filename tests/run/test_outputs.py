"""Comparing and rewriting `#>` lines, and the faults that must not pass."""

from __future__ import annotations

import pytest
from small_guides import begin

from gpu_guide.records.compare import compare_with_file, compare_with_record, rewritten
from gpu_guide.run.child import as_text
from gpu_guide.run.runner import run_source
from gpu_guide.snippets.model import Printed, parse

TEXT = '''"""Title.

标题。
"""

total = 0
for i in range(2):
    print("a", i)
    #> a 0
    #> a 1
    print("b", i)
    #> b 0
    #> b 1
    total += i

if total:
    print(
        total,
    )
    #> 1
print("c", end=" ")
print({"x": total})
#> c {'x': 1}
print("d\\n\\ne")
#> d
#>
#> e
'''


@pytest.fixture
def check(tmp_path):
    def check(text: str):
        guide = begin(tmp_path, files={"snippets/name.py": text})
        path = guide.snippets / "name.py"
        snippet = parse(path, guide)
        run = run_source(snippet.source, path)
        assert run.outcome == "passed", run.problem
        return snippet, run.prints(snippet)

    return check


def test_what_was_printed_is_accepted_and_rewriting_changes_nothing(check):
    snippet, printed = check(TEXT)
    assert compare_with_file(snippet, printed) == ""
    assert rewritten(snippet, printed) == TEXT


def test_outputs_stand_behind_prints_wherever_python_allows_them(check):
    text = TEXT.split("total = 0")[0] + (
        "for i in range(1):\n"
        "    try:\n        pass\n"
        "    except ValueError:\n        print(0)\n"
        "    else:\n        print(1)\n        #> 1\n"
        "    finally:\n        print(\n            max(\n                2, 1\n            )\n"
        "        )\n        #> 2\n"
        "else:\n    print(3)\n    #> 3\n"
        "match i:\n    case 0:\n        print(4)\n        #> 4\n"
    )
    snippet, printed = check(text)
    assert compare_with_file(snippet, printed) == ""
    without, printed = check(snippet.without_outputs())
    assert rewritten(without, printed) == text


@pytest.mark.parametrize(
    ("old", "new", "shows"),
    [
        ("#> c {'x': 1}", "#> {'x': 2}", "-#> {'x': 2}"),
        ("#> e\n", "", "+#> e"),
        ("#>\n#> e", "#> e", "+#>"),
        ("    #> b 1\n", "", "+    #> b 1"),
        ("    #> a 1\n", "    #> a 1\n    #> a 2\n", "-    #> a 2"),
        ("range(2)", "range(3)", "+    #> a 2"),
        ("total += i", "total -= i", "+    #> -1"),
        # The print is never reached.
        ("if total:", "if not total:", "-    #> 1"),
    ],
)
def test_each_difference_is_shown_and_rewriting_mends_it(check, old, new, shows):
    snippet, printed = check(TEXT.replace(old, new))
    message = compare_with_file(snippet, printed)
    assert shows in message.splitlines()
    assert "pytest --update-examples" in message and snippet.path.name in message
    again, printed_again = check(rewritten(snippet, printed))
    assert compare_with_file(again, printed_again) == ""


def test_a_print_deleted_without_its_output_is_noticed(check):
    with pytest.raises(ValueError, match="an output where nothing prints"):
        check(TEXT.replace('print("a", i)', "pass"))
    snippet, printed = check(TEXT.replace('    print("b", i)\n', ""))
    assert "-    #> b 0" in compare_with_file(snippet, printed)


def test_a_record_is_compared_print_by_print(check):
    snippet, printed = check(TEXT)
    assert compare_with_record(snippet, printed, printed, "nvidia-x") == ""
    other = (*printed[:-1], Printed(5, "d\n\nf"))
    message = compare_with_record(snippet, printed, other, "nvidia-x")
    assert "-print 6: f" in message and "+print 6: e" in message
    assert "records/nvidia-x.json" in message
    moved = (*printed[:-1], Printed(4, printed[-1].text))
    assert compare_with_record(snippet, printed, moved, "nvidia-x")


@pytest.mark.parametrize(
    "printed",
    ["text", "a\n\nb", {3, 1, 2}, {"b", "a"}, object(), [object()], print, 1.5, None, {"x": 1}],
    ids=lambda one: type(one).__name__,
)
def test_an_object_is_written_as_pytest_examples_writes_it(printed):
    """Whose own way of running examples replaces `print`, and takes pytest and black along."""
    from pytest_examples.run_code import Arg

    assert as_text(printed) == str(Arg(printed))
