"""The exit statuses that a command's help lists are those that it ends with, one case each.

Those of a dry run are looked at in tests/stand_in/test_dry_run.py.
"""

from __future__ import annotations

import pickle
import re
import sys

import pytest
from snapshot_files import random_snapshot

from gpu_guide.dry_run.command import DOES_NOT_FIT, FAILED, FITS
from gpu_guide.tool import main
from gpu_guide.tool.main import COMMANDS, NOT_DONE

OUT_OF_MEMORY = "RuntimeError: CUDA out of memory"
DRIVER = ["--system", "linux", "--gpu", "8.9", "--driver"]
MINE = ["--python", sys.executable]
SIGNALLED = 128 + 15
CASES = {
    "doctor": {status: ["--python", f"./doctor-{status}"] for status in (0, 1, 2)}
    | {NOT_DONE: ["--python", "/no/python"]},
    "diagnose": {
        0: ["--run", sys.executable, "ends.py", "0"],
        1: [OUT_OF_MEMORY],
        2: ["all is well"],
        7: ["--run", sys.executable, "ends.py", "7"],
        127: ["--run", "no-such-program"],
        SIGNALLED: ["--run", sys.executable, "ends.py", "-15"],
        NOT_DONE: ["no-file.txt"],
    },
    "wheel": {0: [*DRIVER, "580"], 1: [*DRIVER, "400"], NOT_DONE: [*DRIVER, "newest"]},
    "fit": {0: ["gpt2"], 2: ["llama-3.1-8b", "--card", "t4"], NOT_DONE: ["gpt3"]},
    "dry-run": {FITS: [], DOES_NOT_FIT: [], FAILED: [], NOT_DONE: []},
    "snapshot": {0: ["memory.pickle"], NOT_DONE: ["no-file.pickle"]},
    "simulate": {
        0: [*MINE, "ends.py", "0"],
        7: [*MINE, "ends.py", "7"],
        SIGNALLED: [*MINE, "ends.py", "-15"],
        NOT_DONE: ["no-file.py"],
    },
    "learn": {
        0: ["list"],
        1: ["check", "dropped_result", *MINE],
        NOT_DONE: ["check", "no-such-exercise"],
    },
}
WORDS = {7: "Exit status: that of the script|the program's own", SIGNALLED: "128 and the signal"}
"""How the help says what is not a single number."""
ENDS = """
import os, signal, sys
status = int(sys.argv[1])
if status < 0:
    os.kill(os.getpid(), -status)
sys.exit(status)
"""


@pytest.fixture
def ended(tmp_path, monkeypatch, capfd):
    """The exit status of a command, in a folder with what the cases read."""
    (tmp_path / "ends.py").write_text(ENDS, encoding="utf-8")
    (tmp_path / "memory.pickle").write_bytes(pickle.dumps(random_snapshot(3)))
    for status in (0, 1, 2):
        python = tmp_path / f"doctor-{status}"
        python.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
        python.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    def call(*given: str) -> tuple[int, str]:
        try:
            status = main.main(["--lang", "en", *given])
        except SystemExit as end:
            status = int(end.code or 0)
        return status, capfd.readouterr().out

    return call


def test_every_status_of_a_help_has_a_case_and_is_named_in_it(ended):
    assert set(CASES) == set(COMMANDS)
    for command, cases in CASES.items():
        text = ended(command, "--help")[1]
        listed = text[text.index("Exit status") :]
        numbers = {int(one) for one in re.findall(r"\b\d+\b", listed)} - {128, 130}
        assert numbers <= cases.keys(), command
        for status in cases.keys() - numbers:
            program = status == 0 and 7 in cases
            assert program or re.search(WORDS.get(status, "!"), listed), (command, status)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals, and a Python that is a shell script")
@pytest.mark.parametrize(
    ("command", "status"),
    [(command, status) for command in CASES if command != "dry-run" for status in CASES[command]],
)
def test_a_command_ends_with_the_status_of_its_help(ended, command, status):
    assert ended(command, *CASES[command][status])[0] == status
