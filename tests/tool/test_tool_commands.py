"""The command that readers install, called in this process: what it says, and its exit status."""

from __future__ import annotations

import io
import json
import pickle
import sys
from pathlib import Path

import pytest
import yaml
from snapshot_files import random_snapshot

from gpu_guide.data.wheels import load_wheels
from gpu_guide.project import HERE
from gpu_guide.render.fit_tables import CONTEXT
from gpu_guide.tool import fit, main, readers_python, simulate, wheel
from gpu_guide.tool.diagnose import last_error
from gpu_guide.tool.main import COMMANDS
from gpu_guide.tool.words import TEXTS, asked_for

OUT_OF_MEMORY = "RuntimeError: CUDA out of memory"
NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"


@pytest.fixture
def says(capfd, monkeypatch):
    """Call the command: its exit status, and what it wrote to both outputs."""
    monkeypatch.setenv("LC_ALL", "C")

    def call(*arguments: str) -> tuple[int, str, str]:
        try:
            status = main.main(arguments)
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *capfd.readouterr()

    return call


@pytest.mark.parametrize("language", HERE.languages)
@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_in_each_language_and_states_the_exit_statuses(says, command, language):
    status, out, _ = says(command, "--lang", language, "--help")
    texts = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    assert status == 0
    for key in (f"{command}.about", f"{command}.ends", "usage"):
        assert texts[key][language] in out
    for other in set(HERE.languages) - {language}:
        assert texts["help"][other] not in out


def test_every_text_is_in_every_language_and_is_used():
    code = "".join(path.read_text(encoding="utf-8") for path in TEXTS.parent.glob("*.py"))
    for key, texts in yaml.safe_load(TEXTS.read_text(encoding="utf-8")).items():
        assert tuple(sorted(texts)) == tuple(sorted(HERE.languages)), key
        generated = key.startswith("dry_run.") or key.partition(".")[0] in COMMANDS
        said = f'say("{key}"' in code or f"say('{key}'" in code or f'"{key}"' in code
        assert generated or said, f"{key} is never said"


@pytest.mark.parametrize(
    ("arguments", "variable", "language"),
    [
        (["--lang", "zh"], "en_US.UTF-8", "zh"),
        (["diagnose", "--lang=en"], "zh_CN.UTF-8", "en"),
        ([], "zh_CN.UTF-8", "zh"),
        ([], "de_DE.UTF-8", "en"),
        (["--lang", "xx"], "zh_CN.UTF-8", "zh"),
    ],
)
def test_the_language_is_the_systems_or_the_one_that_is_named(
    monkeypatch, arguments, variable, language
):
    monkeypatch.setenv("LC_ALL", variable)
    assert asked_for(arguments) == language


def test_windows_names_its_language_in_words(monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    name = "gpu_guide.dry_run.words.locale.getlocale"
    monkeypatch.setattr(name, lambda: ("Chinese (Simplified)_China", "936"))
    assert asked_for([]) == "zh"


def test_what_is_wrong_in_the_arguments_has_a_status_of_its_own(says):
    assert says("fit", "--batch", "many")[0] == main.NOT_DONE
    assert says("no-such-command")[0] == main.NOT_DONE
    status, _, err = says("fit", "quen2.5-7b")
    assert status == main.NOT_DONE and "did you mean qwen2.5-7b" in err


# diagnose


@pytest.mark.parametrize(
    ("text", "status", "cause"),
    [
        (OUT_OF_MEMORY, 1, "out-of-memory"),
        (NO_KERNEL, 1, "no-code-for-gpu"),
        ("all is well", 2, None),
    ],
)
def test_a_text_is_diagnosed_as_an_argument_a_file_and_through_a_pipe(
    says, monkeypatch, tmp_path, text, status, cause
):
    file = tmp_path / "error.txt"
    file.write_text(text, encoding="utf-8")
    piped = io.TextIOWrapper(io.BytesIO(text.encode()))
    monkeypatch.setattr(sys, "stdin", piped)
    for given in ([text], [str(file)], []):
        found, out, _ = says("diagnose", "--json", *given)
        told = json.loads(out)
        assert found == status and (told["cause"] and told["cause"]["id"]) == cause


def test_a_file_that_is_not_there_is_no_message(says):
    status, out, err = says("diagnose", "eror.log")
    assert (status, out) == (main.NOT_DONE, "") and "eror.log" in err


def test_the_reader_is_told_of_the_command_that_is_there_already(says):
    _, out, _ = says("diagnose", "RuntimeError: No CUDA GPUs are available")
    assert "doctor.py" not in out


def program(tmp_path: Path, code: str) -> list[str]:
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    return [sys.executable, str(tmp_path / "train.py")]


def test_the_error_that_a_program_ends_with_is_explained_and_no_earlier_one(says, tmp_path):
    code = f"""
import traceback
print("step 1", flush=True)
try:
    raise RuntimeError({OUT_OF_MEMORY[14:]!r})
except RuntimeError:
    traceback.print_exc()
raise SystemExit(7) if False else RuntimeError({NO_KERNEL[14:]!r})
"""
    status, out, err = says("diagnose", "--run", *program(tmp_path, code))
    assert (status, out) == (1, "step 1\n")
    assert "Cause: no-code-for-gpu" in err and "Cause: out-of-memory" not in err


def test_a_program_that_ends_well_is_left_alone(says, tmp_path):
    run = program(tmp_path, "import sys; print('loss'); print('note', file=sys.stderr)")
    assert says("diagnose", "--run", *run) == (0, "loss\n", "note\n")


def test_the_status_is_the_programs_and_a_signal_is_a_cause(says, tmp_path):
    assert says("diagnose", "--run", *program(tmp_path, "raise SystemExit(7)"))[0] == 7
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    status, out, _ = says("diagnose", "--json", "--run", *program(tmp_path, kill))
    assert status == 137 and json.loads(out)["kind"] == "fault"


def test_for_a_program_that_reads_only_the_report_is_on_standard_output(says, tmp_path):
    code = f"print('loss', flush=True); raise RuntimeError({OUT_OF_MEMORY[14:]!r})"
    _, out, err = says("diagnose", "--json", "--run", *program(tmp_path, code))
    assert json.loads(out)["cause"]["id"] == "out-of-memory" and "loss" in err


def test_a_program_that_is_not_there(says):
    assert says("diagnose", "--run", "no-such-program")[0] == 127
    assert says("diagnose", "--run")[0] == main.NOT_DONE


def test_what_led_to_an_error_belongs_to_it():
    first, second = ("Traceback (most recent call last):\n  x\nError: " + c for c in "ab")
    chain = "\nThe above exception was the direct cause of the following exception:\n\n"
    assert last_error(f"log\n{first}\nlog\n{second}") == second
    assert last_error(f"log\n{first}\n{chain}{second}") == f"{first}\n{chain}{second}"
    assert last_error(launched := f"{first}\n{second}ChildFailedError") == launched
    assert last_error("Killed") == "Killed"


# wheel


def test_the_command_is_for_what_nvidia_smi_says(says, monkeypatch):
    table = "NVIDIA GeForce RTX 4090, 550.54, 8.9\nTesla T4, 550.54, 7.5\n"
    monkeypatch.setattr(wheel, "ask", lambda wheels: wheel.read(table, wheels))
    given = ("--system", "linux", "--gpu", "7.5", "8.9", "--driver", "550.54")
    monkeypatch.setattr(wheel, "system", lambda: "linux")
    _, asked, _ = says("wheel", "--json", "--python-version", "3.12")
    _, told, _ = says("wheel", "--json", "--python-version", "3.12", *given)
    assert json.loads(asked)["install"] == json.loads(told)["install"] != []
    assert json.loads(asked)["machine"]["driver"] == "550.54"


def test_an_old_nvidia_smi_tells_no_compute_capability():
    wheels = load_wheels(HERE)
    seen = wheel.read("NVIDIA GeForce RTX 3090, 470.82\nNVIDIA Quantum 1, 470.82\n", wheels)
    assert seen.capabilities == ("8.6",) and seen.unknown == ("NVIDIA Quantum 1",)


def test_where_no_build_runs_there_is_no_command(says):
    status, out, _ = says("wheel", "--system", "linux", "--gpu", "8.9", "--driver", "400")
    assert status == 1 and "pip install" not in out


@pytest.mark.parametrize("language", HERE.languages)
def test_reasons_have_no_marks_of_the_site(says, language):
    for given in (["--gpu", "amd"], ["--china", "--gpu", "8.9", "--driver", "580"], []):
        _, out, _ = says("wheel", "--lang", language, "--system", "linux", *given)
        assert "%PAGES%" not in out and "{" not in out


# fit


def test_the_formulas_are_those_of_the_page(says):
    assert fit.CONTEXT == CONTEXT
    status, out, _ = says("fit", "gpt2", "--json")
    told = json.loads(out)
    assert status == 0 and told["fits"] and sum(told["terms"].values()) == told["needed"]
    status, out, _ = says("fit", "llama-3.1-8b", "--card", "t4", "--json")
    assert status == 2 and not json.loads(out)["fits"]


def test_what_cannot_be_asked_of_the_formulas_is_refused(says):
    for given in (["--precision", "int4"], ["--batch", "0"], ["--card", "t44"]):
        assert says("fit", "gpt2", *given)[0] == main.NOT_DONE
    assert says("fit", "gpt2", "--task", "predict")[0] == 0


def test_without_a_model_the_known_ones_are_listed(says):
    assert "qwen2.5-7b" in says("fit")[1]


# snapshot


def test_a_snapshot_is_added_up(says, tmp_path):
    file = tmp_path / "memory.pickle"
    file.write_bytes(pickle.dumps(random_snapshot(3)))
    for language in HERE.languages:
        status, out, _ = says("snapshot", str(file), "--lang", language)
        assert status == 0 and "cuda:0" in out
    told = json.loads(says("snapshot", str(file), "--json")[1])
    assert len(told["devices"]) == len(told["numbers"]) > 0


class Harmful:
    def __reduce__(self):
        return print, ("run",)


@pytest.mark.parametrize(
    "content", [pickle.dumps(Harmful()), b"text", pickle.dumps({"segments": []}), b""]
)
def test_what_is_no_snapshot_is_refused_and_runs_nothing(says, tmp_path, content):
    file = tmp_path / "memory.pickle"
    file.write_bytes(content)
    status, out, err = says("snapshot", str(file))
    assert (status, out) == (main.NOT_DONE, "") and str(file) in err
    assert says("snapshot", "missing.pickle")[0] == main.NOT_DONE


# simulate, and the reader's Python


def test_a_script_runs_with_pretended_devices(says, tmp_path):
    code = "import sys, torch; x = torch.ones(2, device='cuda:2'); print(x.device, sys.argv[1:])"
    file = program(tmp_path, code)[1]
    given = ("simulate", "--count", "3", "--python", sys.executable, "--")
    assert says(*given, "python", file, "--lr", "1") == (0, "cuda:2 ['--lr', '1']\n", "")
    program(tmp_path, "import torch; torch.cuda.Event()")
    status, _, err = says(*given, file)
    assert status == 1 and "needs a real GPU" in err


@pytest.mark.parametrize("given", [["torchrun", "x.py"], ["python"], ["python", "-c", "1"], []])
def test_where_nothing_can_be_simulated_is_said(says, given):
    status, _, err = says("simulate", "--", *given)
    assert status == main.NOT_DONE and "torchrun" in err


def test_a_python_without_torch_is_named(says, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')", encoding="utf-8")
    status, _, err = says("simulate", "--python", *program(tmp_path, "import torch"))
    assert status == main.NOT_DONE and "no torch here" in err


def test_the_readers_python_is_not_that_of_the_command(monkeypatch, tmp_path):
    """As below uvx, whose environment has no torch and is the first in the path."""
    found = readers_python.readers_python
    assert found("mine") == "mine" and found() == sys.executable
    monkeypatch.setattr(readers_python.importlib.util, "find_spec", lambda name: None)
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    own, other, active = (tmp_path / name / "bin" for name in ("own", "other", "active"))
    for folder in (own, other, active):
        folder.mkdir(parents=True)
        (folder / "python").write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / "python").chmod(0o755)
    monkeypatch.setattr(sys, "prefix", str(own.parent))
    monkeypatch.setenv("PATH", f"{own}:{other}")
    assert found() == str(other / "python")
    monkeypatch.setenv("VIRTUAL_ENV", str(active.parent))
    assert found() == str(active / "python")


def test_a_python_is_taken_as_it_is_written():
    assert simulate.command(["/opt/python3.12", "a.py"], None) == ("/opt/python3.12", ["a.py"])
    assert simulate.command(["pytest", "-q"], "mine") == ("mine", ["-m", "pytest", "-q"])


def test_a_dry_run_says_what_it_lacks(says, monkeypatch):
    assert says("dry-run")[0] == main.NOT_DONE
    name = "gpu_guide.tool.dry_run.impossible"
    monkeypatch.setattr(name, lambda: "a stand-in GPU needs Linux, and this is Windows")
    monkeypatch.setattr("gpu_guide.tool.dry_run.platform.system", lambda: "Windows")
    status, _, err = says("dry-run", "--", "python", "x.py")
    assert status != 0 and "Windows" in err
    line = err.strip().rpartition("\n")[2].strip()
    pages = [HERE.docs / lang / "memory" / "dry-run.md" for lang in HERE.languages]
    assert line and all(line in page.read_text(encoding="utf-8") for page in pages)


def test_an_older_python_has_the_doctor_only(says, monkeypatch):
    monkeypatch.setattr(main, "NEEDED", (99, 0))
    for given in (
        ["fit", "gpt2", "--card", "t4"],
        ["wheel", "--system", "linux"],
        ["dry-run", "--card", "t4", "--", "python", "x.py", "--lr", "1"],
        ["diagnose", "--run", "python", "x.py"],
        ["learn"],
    ):
        status, _, err = says(*given)
        assert status == main.NOT_DONE and "only doctor" in err, err
    assert says("doctor", "--help")[0] == 0


def test_the_doctor_is_run_by_the_python_that_is_named(says):
    status, out, _ = says("doctor", "--json", "--python", sys.executable)
    assert status in (0, 1, 2) and "diagnosis" in json.loads(out)
    assert says("doctor", "--python", "/no/python")[0] == main.NOT_DONE
