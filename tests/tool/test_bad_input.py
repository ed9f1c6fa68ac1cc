"""Bad input gets a sentence and a remedy, in the reader's language, and no traceback."""

from __future__ import annotations

import argparse
import inspect
import os
import re
import subprocess
import sys
from errno import EACCES, EISDIR, ENOENT, ENOEXEC
from pathlib import Path

import pytest
import yaml

from gpu_guide.data.errors import ENGLISH
from gpu_guide.problems import GuideError, fault
from gpu_guide.project import HERE
from gpu_guide.tool import main
from gpu_guide.tool.words import SAID, explained, in_language

TEXTS = yaml.safe_load(SAID.read_text(encoding="utf-8"))
LINUX = ["wheel", "--system", "linux"]
DRY = ["dry-run", "--python", "/no/python"]
GIVEN = [
    ["no-command"],
    ["fit", "quen2.5-7b"],
    ["fit", "zzzzzz"],
    ["fit", "gpt2", "--card", "t44"],
    ["fit", "gpt2", "--card", "zzzzzz"],
    ["fit", "gpt2", "--batch", "many"],
    ["fit", "gpt2", "--batch", "0"],
    ["fit", "gpt2", "--batch"],
    ["fit", "gpt2", "--task", "x"],
    ["fit", "gpt2", "--precision", "int4"],
    ["fit", "gpt2", "--colour"],
    ["fit", "gpt2", "--memory", "-3"],
    ["fit", "gpt2", "--memory", "0"],
    ["fit", "gpt2", "--memory", "x"],
    ["fit", "gpt2", "--context", "-1"],
    ["wheel", "--system", "amiga"],
    ["wheel", "--also", "numpy"],
    ["wheel", "--python", "/no/python"],
    [*LINUX, "--gpu", "99.9", "--driver", "580"],
    [*LINUX, "--gpu", "rtx4090", "--driver", "580"],
    [*LINUX, "--gpu", "8.9", "--driver", "newest"],
    [*LINUX, "--torch", "1.2"],
    [*LINUX, "--python-version", "3"],
    ["snapshot"],
    ["snapshot", "no-file.pickle"],
    ["snapshot", "."],
    ["simulate", "--", "torchrun", "x.py"],
    ["simulate", "--count", "0", "--", "x.py"],
    ["simulate", "--count", "x"],
    ["simulate", "--", "python", "no-file.py"],
    ["simulate", "--python", "/no/python", "--", "python", __file__],
    ["doctor", "--python", "/no/python"],
    ["doctor", "more"],
    ["diagnose", "no-file.txt"],
    ["diagnose", "--run"],
    ["dry-run"],
    ["dry-run", "--count", "0", "--", "python", "x.py"],
    [*DRY, "--", "python", "x.py"],
    [*DRY, "--card", "t44", "--", "python", "x.py"],
    [*DRY, "--steps", "-1", "--", "python", "x.py"],
    [*DRY, "--mask-share", "2", "--", "python", "x.py"],
]
_ARGPARSE = re.compile(r"\b(?:invalid|expected|argument|choose|required|did you mean)\b")


@pytest.mark.parametrize("language", HERE.languages)
@pytest.mark.parametrize("given", GIVEN, ids=" ".join)
def test_it_is_told_in_the_readers_language(capfd, monkeypatch, given, language):
    monkeypatch.setattr("gpu_guide.tool.dry_run.impossible", lambda: "")
    try:
        status = main.main(["--lang", language, *given])
    except SystemExit as end:
        status = end.code
    out, err = capfd.readouterr()
    assert (status, out) == (main.NOT_DONE, "")
    said = err.strip().splitlines()[-1]  # above it there may be the usage
    assert "Traceback" not in err and len(said) > 10
    han = re.search("[\u4e00-\u9fff]", said)
    assert bool(han) == (language == "zh"), said
    if language == "zh":
        assert not ENGLISH.search(said) and not _ARGPARSE.search(said), said


def test_a_card_that_is_not_there_is_told_before_anything_is_installed(capfd, monkeypatch):
    monkeypatch.setattr("gpu_guide.tool.dry_run.impossible", lambda: "")
    monkeypatch.setattr("gpu_guide.tool.dry_run._environment", None)
    assert main.main(["dry-run", "--card", "t44", "--", "python", "x.py"]) == main.NOT_DONE
    assert "did you mean 't4'" in capfd.readouterr().err


def test_a_release_may_be_named_with_its_patch(capfd):
    given = ["wheel", "--system", "linux", "--gpu", "8.9", "--driver", "580"]
    found = []
    for torch in ("2.13", "2.13.0"):
        assert main.main([*given, "--torch", torch]) == 0
        found.append(capfd.readouterr().out)
    assert found[0] == found[1]


def test_what_is_taken_over_is_put_into_the_language_in_its_turn():
    text = "argument --task: invalid choice: 'x' (choose from 'full', 'lora')"
    assert in_language(text, "en") == text
    assert in_language(text, "zh") == "参数 --task：没有 'x' 这个选择，可以写 'full', 'lora'"
    assert in_language("nobody has words for this", "zh") == "nobody has words for this"
    error = fault(Path("/x"), 3, "{} has no torch", "write 2.13.0")
    assert explained(error, "zh") == "/x: {} 里没有 torch — 写成 2.13.0 这样"
    assert explained(GuideError("No such file or directory"), "en") == "No such file or directory"


@pytest.mark.parametrize("texts", TEXTS, ids=lambda one: one["said"])
def test_each_is_said_by_somebody(texts):
    """Word for word, or there would be English again."""
    assert {*texts, "en"} == {"said", *HERE.languages}
    fields = [sorted(re.findall(r"\{\w+\}", texts[language])) for language in texts]
    assert fields[0] == fields[1]
    code = "".join(
        path.read_text(encoding="utf-8")
        for room in ("stand_in", "dry_run", "exercises", ".")
        for path in (HERE.package / room).glob("*.py")
    )
    code += inspect.getsource(argparse)
    code += "".join(map(os.strerror, (ENOENT, EISDIR, EACCES, ENOEXEC)))
    for piece in re.split(r"\{\w+\}", texts["said"]):
        assert piece in code, piece


def test_who_reads_only_the_beginning_gets_no_traceback():
    code = "import sys; from gpu_guide.tool.main import main; sys.exit(main(['fit']))"
    given = os.environ | {"PYTHONPATH": str(HERE.root)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], env=given, **pipes) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == main.ENOUGH_READ
