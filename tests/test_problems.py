"""What is wrong is said in one form, by one class."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gpu_guide import ROOT
from gpu_guide.problems import GuideError, Problem, did_you_mean, fault

OTHERS = {
    "NotSimulated": "what code meets on simulated devices: NotImplementedError to it",
    "SvgError": "a picture's, which has no file yet",
    "Failure": "a failed test: pytest shows its message without a traceback",
    "Impossible": "why a reader's test is skipped: for pytest, which shows it",
    "Missing": "what a check of an exercise asks for and a program lacks: told as a sentence",
    "NoTorch": "a Python that cannot check exercises: `gpu-guide learn` says why",
    "UnknownValue": "what code meets on a stand-in GPU: RuntimeError to it",
}
"""Exceptions of our own that are no GuideError, and why."""


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Problem(ROOT / "docs/zh/a.md", 3, "a tab", "use spaces"), "docs/zh/a.md:3: a tab"),
        (Problem(Path("/x/a.md"), None, "not UTF-8", "save it so"), "/x/a.md: not UTF-8"),
        (Problem(ROOT / "r.json", "top", "no object", "restore it"), "r.json:top: no object"),
        (Problem(None, None, "no snippet 'x'", "name one"), "no snippet 'x'"),
    ],
)
def test_a_problem_names_file_line_and_remedy(problem, said):
    assert str(problem) == f"{said} — {problem.remedy}"


def test_an_error_says_all_its_problems():
    one, two = Problem(None, None, "one", "a"), Problem(None, None, "two", "b")
    assert str(GuideError("Not built:", one, two)) == "Not built:\none — a\ntwo — b"
    assert fault(None, 1, "one", "a").problems == (Problem(None, 1, "one", "a"),)


def test_a_near_name_is_proposed_and_else_what_to_do():
    assert did_you_mean("devics", ["devices", "memory"], "write it") == "did you mean 'devices'?"
    assert did_you_mean("zzz", ["devices"], "write it") == "write it"


def test_there_is_no_second_form_of_error():
    found = {
        node.name
        for path in (ROOT / "gpu_guide").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith(("Error", "Exception")) for base in node.bases)
    }
    assert found - {"GuideError"} <= OTHERS.keys(), "raise gpu_guide.problems.fault(...) instead"
