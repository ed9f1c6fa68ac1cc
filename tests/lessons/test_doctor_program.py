"""The doctor as a program: processes that die, JSON, languages, user names, old Pythons."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from doctor_machines import DATA, doctor, facts, posix
from memoized_doctor import DOCTOR

SLOW = """
    import sys, time
    print("first words", flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
def test_a_program_that_does_not_answer_is_ended_and_what_it_said_is_kept() -> None:
    code = textwrap.dedent(SLOW)
    state, text = doctor["run"]([sys.executable, "-c", code], 2)
    assert (state, text.strip()) == ("no answer", "first words")


def test_a_program_that_is_not_there() -> None:
    assert doctor["run"](["no-such-program-here"], 2) == ("absent", "not found")


@pytest.mark.parametrize(
    ("status", "state"),
    [(0, "ok"), (1, "failed"), (-4, "SIGILL"), (-200, "signal 200"), (0xC000001D, "0xC000001D")],
)
def test_how_a_process_ended(status: int, state: str) -> None:
    if status == -4 and os.name != "posix":
        pytest.skip("signals have these numbers on POSIX")
    assert doctor["ending"](status) == state


FAKE_TORCH = """
    import os, types

    __version__ = "2.13.0+cu130"
    version = types.SimpleNamespace(cuda="13.0", hip=None, xpu=None)
    backends = types.SimpleNamespace()

    def init():
        if "CUDA_VISIBLE_DEVICES" in os.environ:
            raise RuntimeError("No CUDA GPUs are available")

    cuda = types.SimpleNamespace(
        is_available=lambda: False, device_count=lambda: 2, init=init, get_arch_list=list
    )
"""


@pytest.fixture
def cpu_torch(tmp_path: Path) -> str:
    """A folder with a torch that is a CPU build: the real one takes seconds to import."""
    text = textwrap.dedent(FAKE_TORCH).replace('cuda="13.0"', "cuda=None")
    (tmp_path / "torch.py").write_text(text, encoding="utf-8")
    return str(tmp_path)


def run_doctor(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("LC_", "PYTHON"))
    }
    return subprocess.run(
        [sys.executable, str(DOCTOR), *arguments], capture_output=True, env=kept | environment
    )


def in_json(**environment: str) -> dict[str, Any]:
    done = run_doctor("--json", "--lang", "zh", PYTHONIOENCODING="utf-8", **environment)
    assert done.stdout.isascii()
    return json.loads(done.stdout)


def test_hidden_is_proved_by_a_second_process(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(textwrap.dedent(FAKE_TORCH), encoding="utf-8")
    found = in_json(PYTHONPATH=str(tmp_path), CUDA_VISIBLE_DEVICES="")
    assert found["diagnosis"]["code"] == "hidden-devices"
    assert found["facts"]["unhidden"] == 2


def test_a_file_named_torch_is_not_taken_for_pytorch(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("tensor = 1\n", encoding="utf-8")
    found = in_json(PYTHONPATH=str(tmp_path))["diagnosis"]
    assert found["code"] == "own-file-named-torch"
    assert str(tmp_path / "torch.py") in found["next"][0]


def package(folder: Path, text: str) -> str:
    """A torch that lies where PyTorch's would, and the folder to put on the path."""
    (folder / "torch").mkdir()
    (folder / "torch" / "version.py").write_text("", encoding="utf-8")
    (folder / "torch" / "__init__.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return str(folder)


def test_a_torch_that_cannot_be_loaded(tmp_path: Path) -> None:
    found = in_json(PYTHONPATH=package(tmp_path, "import torch_c10"))["diagnosis"]
    assert found["code"] == "torch-broken"
    assert "torch_c10" in found["why"][0]


CRASH = "import os, signal; os.kill(os.getpid(), signal.{})"


@posix
def test_an_import_that_kills_the_process(tmp_path: Path) -> None:
    found = in_json(PYTHONPATH=package(tmp_path, CRASH.format("SIGILL")))["diagnosis"]
    assert found["code"] == "crashed"
    assert "import torch: SIGILL" in found["why"]


@posix
def test_a_gpu_that_kills_the_process_does_not_hide_the_one_before(tmp_path: Path) -> None:
    text = textwrap.dedent(FAKE_TORCH).replace("lambda: False", "lambda: True") + (
        "cuda.get_device_capability = lambda index: (8, 9)\n"
        "def ones(*shape, device):\n"
        "    if device == 'cuda:1':\n"
        f"        {CRASH.format('SIGSEGV')}\n"
        "    raise RuntimeError('CUDA error: an illegal memory access was encountered')\n"
    )
    found = in_json(PYTHONPATH=package(tmp_path, text))
    assert found["diagnosis"]["code"] == "crashed"
    assert "compute on cuda:1: SIGSEGV" in found["diagnosis"]["why"]
    assert len(found["facts"]["gpu"]["devices"]) == 1


@pytest.mark.slow
def test_a_step_that_never_returns_is_a_diagnosis(tmp_path: Path, monkeypatch) -> None:
    folder = package(tmp_path, "import time; time.sleep(600)")
    monkeypatch.setenv("PYTHONPATH", folder)
    seconds = doctor["SECONDS"]
    monkeypatch.setitem(seconds, "torch", 1)
    found = doctor["diagnose"](facts(**doctor["ask_torch"]()))
    assert found["code"] == "no-answer"
    assert "import torch: no answer" in found["why"]


def test_without_torch() -> None:
    """-S and -I leave this environment's packages out."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(DOCTOR), "--json"], capture_output=True, check=False
    )
    assert json.loads(done.stdout)["diagnosis"]["code"] == "torch-missing"
    assert done.returncode == 1


@pytest.mark.slow
def test_here_it_agrees_with_torch() -> None:
    import torch

    done = run_doctor("--json")
    found = json.loads(done.stdout)
    status = 2 if found["diagnosis"]["code"] == "unknown" else 1
    assert done.returncode == (0 if found["diagnosis"]["healthy"] else status)
    assert found["facts"]["torch"]["version"] == torch.__version__
    if torch.version.cuda is None and not torch.accelerator.is_available():
        right = ("cpu-only-build", "no-nvidia-card", "other-backend")
        assert found["diagnosis"]["code"] in right
    if torch.cuda.is_available():
        assert len(found["facts"]["gpu"]["devices"]) == torch.cuda.device_count()


def test_json_has_stable_keys(cpu_torch: str) -> None:
    found = in_json(PYTHONPATH=cpu_torch)
    assert set(found) == {"facts", "diagnosis", "data"}
    given = doctor["FACTS"]
    assert set(found["facts"]) == set(given) - {"interpreter", "command"}
    assert set(found["diagnosis"]) == {"code", "healthy", "advice", "why", "next"}
    for key in ("torch", "gpu", "driver", "stopped"):
        assert set(found["facts"][key]) == set(given[key])
    assert found["data"]["read"] == doctor["READ"]


def test_the_facts_of_the_tests_are_those_of_the_doctor() -> None:
    def keys(value: Any) -> Any:
        return {key: keys(value[key]) for key in value} if isinstance(value, dict) else None

    assert keys(DATA["base"]) == keys(doctor["FACTS"])


def test_it_says_how_old_its_data_are(cpu_torch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run_doctor("--lang", "en", PYTHONPATH=cpu_torch).stdout.decode().splitlines()
    assert lines[-1] == doctor["data_line"](False) and doctor["READ"] in lines[-1]
    ages = ((0, "就是今天", "today"), (1, "1 天前", "yesterday"), (2, "2 天前", "2 days ago"))
    for days, zh, en in ages:
        monkeypatch.setitem(doctor["data_line"].__globals__, "age", lambda days=days: days)
        assert doctor["data_line"](True).endswith(f"，{zh}。")
        assert doctor["data_line"](False).endswith(f", {en}.")
    monkeypatch.undo()
    for zh, old in ((True, "重新下载"), (False, "download this script again")):
        monkeypatch.setitem(doctor["data_line"].__globals__, "READ", "2020-01-01")
        assert old in doctor["data_line"](zh)
        monkeypatch.setitem(doctor["data_line"].__globals__, "READ", "2999-01-01")
        assert old not in doctor["data_line"](zh)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("{home}/env/bin/python", "~/env/bin/python"),
        ("/home/wang/env/bin/python", "~/env/bin/python"),
        ("/Users/wang/env/bin/python", "~/env/bin/python"),
        (r"C:\Users\wang\env\python.exe", r"~\env\python.exe"),
        ("/usr/bin/python3", "/usr/bin/python3"),
    ],
)
def test_no_user_names(path: str, shown: str) -> None:
    given = {"a": [f"File '{path.format(home=os.path.expanduser('~'))}', line 1"], "b": None}
    assert doctor["without_user_names"](given) == {"a": [f"File '{shown}', line 1"], "b": None}


def test_a_home_of_one_slash_leaves_paths_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert doctor["without_user_names"]("/usr/bin/python3") == "/usr/bin/python3"


@pytest.mark.parametrize(
    ("arguments", "environment", "word"),
    [
        ([], {"LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "utf-8"}, "诊断"),
        ([], {"LANG": "en_US.UTF-8", "PYTHONIOENCODING": "utf-8"}, "Diagnosis"),
        (["--lang", "zh"], {"LANG": "C", "PYTHONIOENCODING": "utf-8"}, "诊断"),
        (["--lang", "en"], {"LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "utf-8"}, "Diagnosis"),
        ([], {"LANG": "zh_CN.GBK", "PYTHONIOENCODING": "cp936"}, "诊断"),
        (["--lang", "zh"], {"LANG": "C", "PYTHONIOENCODING": "ascii"}, "Diagnosis"),
        ([], {"LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "ascii"}, "Diagnosis"),
    ],
)
def test_language_and_console(
    cpu_torch: str, arguments: list[str], environment: dict[str, str], word: str
) -> None:
    done = run_doctor(*arguments, PYTHONPATH=cpu_torch, **environment)
    assert not done.stderr, done.stderr
    assert done.returncode == 1
    assert word in done.stdout.decode(environment["PYTHONIOENCODING"])


def test_a_character_that_the_console_lacks(tmp_path: Path) -> None:
    """The error of an import may hold anything: a dash, Thai, an emoji."""
    (tmp_path / "torch.py").write_text("raise OSError('\\u2014 \\u0e01')\n", encoding="utf-8")
    done = run_doctor(PYTHONPATH=str(tmp_path), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 1
    assert b"\\u0e01" in done.stdout


def test_wrong_usage_ends_with_2() -> None:
    assert run_doctor("--language", "zh").returncode == 2
    assert run_doctor("--lang", "fr").returncode == 2


def test_it_leaves_no_file_behind(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-I", "-S", str(DOCTOR)], cwd=tmp_path, capture_output=True)
    assert not list(tmp_path.iterdir())


def test_it_is_written_for_python_3_8() -> None:
    ast.parse(DOCTOR.read_text(encoding="utf-8"), feature_version=(3, 8))


def test_it_starts_on_an_old_python() -> None:
    program = shutil.which("python3.8") or shutil.which("python3.9")
    if program is None or subprocess.run([program, "-c", ""], capture_output=True).returncode:
        pytest.skip("neither Python 3.8 nor 3.9 on this machine")
    done = subprocess.run([program, str(DOCTOR), "--json"], capture_output=True, check=False)
    assert json.loads(done.stdout)["diagnosis"]["code"] in doctor["TEXTS"]
