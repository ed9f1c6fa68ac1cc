"""What IPython keeps alive, and which commands give it up: the advice of memory/leaks#notebooks.

A snippet imports no IPython, so this is tested here. IPython runs in a process of its own, because
it changes the interpreter that it is in.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

import pytest

CODE = """
import builtins, contextlib, gc, io, json, sys, weakref
from IPython.core.interactiveshell import InteractiveShell

builtins.made = []
shell = InteractiveShell.instance()
for cell in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        shell.run_cell(cell, store_history=True)
gc.collect()
print(json.dumps([one() is not None for one in made]))
"""
BEGIN = """
import weakref

class Thing:
    def __init__(self):
        made.append(weakref.ref(self))

def fails():
    local = Thing()
    raise ValueError("stop")
"""
COLLECT = "import gc; gc.collect()"


def alive(*cells: str) -> list[bool]:
    """Whether each Thing that the cells made is there after the last of them."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", CODE],
            input=json.dumps([BEGIN, *cells, COLLECT]),
            env={**os.environ, "IPYTHONDIR": folder},
            capture_output=True,
            text=True,
            check=True,
        )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("commands", "stays"),
    [
        (["del x"], True),
        (["del x", "%reset -f out"], True),
        (["%xdel x"], False),
        (["%reset -f"], False),
    ],
)
def test_a_value_that_was_shown(commands: list[str], stays: bool) -> None:
    assert alive("x = Thing()", "x", *commands) == [stays]


def test_xdel_leaves_a_part_that_was_shown_and_reset_does_not() -> None:
    """A part refers to its whole, as a view of a tensor does."""
    part = ["x = Thing()", "x.part = [x]", "x.part"]
    assert alive(*part, "%xdel x") == [True]
    assert alive(*part, "%reset -f") == [False]


@pytest.mark.parametrize(
    ("commands", "stays"),
    [
        ([], True),
        (["import sys", "sys.last_value = sys.last_traceback = None"], True),
        (["%reset -f out"], True),
        (["%reset -f"], True),
        (["1/0"], False),
    ],
)
def test_the_tensors_of_the_last_error(commands: list[str], stays: bool) -> None:
    assert alive("fails()", *commands) == [stays]


def test_the_steps_of_the_page_free_both() -> None:
    assert alive("model = Thing()", "model", "fails()", "1/0", "%xdel model") == [False, False]
