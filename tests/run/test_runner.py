"""The runner: whatever code does, it comes back as one readable result."""

from __future__ import annotations

import ast
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide import ROOT
from gpu_guide.run.machine import SETTINGS
from gpu_guide.run.outcome import stacks_of_the_code
from gpu_guide.run.runner import Tier, run_source
from gpu_guide.snippets.model import Printed, parse

HERE = Path("example.py")


def run(source: str, tier: Tier = Tier.CPU, **options):
    return run_source(source, HERE, tier, **options)


def test_prints_come_back_with_their_lines():
    result = run("for i in range(2):\n    print(i, sep='')\n\nprint({2, 1}, 'a', sep='-')")
    assert (result.outcome, result.problem) == ("passed", "")
    assert result.calls == ((2, "0"), (2, "1"), (4, "{1, 2}-a"))


@pytest.mark.parametrize(
    ("source", "calls"),
    [
        ("print('a\\nb')", ((1, "a\nb"),)),
        ("import torch\nprint(torch.eye(2))", ((2, "tensor([[1., 0.],\n        [0., 1.]])"),)),
        ("for i in range(3):\n    print(i, end=' ')\nprint()", ((3, "0 1 2"),)),
        ("print('a', end='')\nprint('b')\nprint('c', end='')", ((2, "ab"), (3, "c"))),
        ("print(1, end='\\n\\n')\nprint(2, end=None)", ((1, "1\n"), (2, "2"))),
        ("print('x  \\ny ')\nprint()", ((1, "x\ny"), (2, ""))),
        ("print('a', end='')\nraise SystemExit", ((1, "a"),)),
    ],
)
def test_lines_belong_to_the_print_that_ends_them(source, calls):
    assert run(source).calls == calls


def test_threads_that_have_nothing_to_do_leave_the_cores_to_other_tests():
    said = run("import os\nprint(os.environ['OMP_WAIT_POLICY'])").calls
    assert said == ((2, os.environ["OMP_WAIT_POLICY"]),)


SETTINGS_LEFT = """import os
from gpu_guide.run.machine import SETTINGS

print([name for name in SETTINGS if name in os.environ])
"""


@pytest.mark.slow
def test_a_process_elsewhere_with_settings_of_its_own_runs_code_all_the_same(tmp_path, monkeypatch):
    """In a process of its own, because the fork server keeps the environment and the folder that it
    is started with: a run has none of the settings that change what a GPU does, and the server has
    imported everything."""
    imported = "import sys; print(sys.modules['gpu_guide.simulate'].__file__)"
    code = (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom pathlib import Path\n"
        "from gpu_guide.run.runner import run_source\n"
        f"sources = {[SETTINGS_LEFT, imported]!r}\n"
        "if __name__ == '__main__':\n"
        "    print([run_source(source, Path('x.py')).calls for source in sources])\n"
    )
    for name in SETTINGS:
        monkeypatch.setenv(name, "1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    settings, loaded = ast.literal_eval(run_by_itself(code))
    assert settings == ((4, "[]"),)
    if os.name != "nt":  # there is no fork server
        ((_, file),) = loaded
        assert str(ROOT / "gpu_guide" / "simulate") in file
    assert all(name in os.environ for name in SETTINGS)


def run_by_itself(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


def test_folders_of_this_machine_are_shortened():
    source = "import pathlib, sys\nprint(sys.executable)\nprint(pathlib.Path.home() / 'x')"
    executable, home = (text for _, text in run(source).calls)
    assert str(Path.home()) not in executable + home and home == str(Path("~", "x"))
    assert sys.prefix == sys.base_prefix or executable.startswith(".venv")


def test_prints_to_elsewhere_are_not_output():
    assert run("import sys\nprint('aside', file=sys.stderr)\nprint('here')").calls == ((3, "here"),)


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("x = 1\nraise KeyError('gone')", 2, "KeyError: 'gone'"),
        ("def f():\n    assert 1 == 2, 'unequal'\n\nf()", 2, "AssertionError: unequal"),
        ("import torch\ntorch.ones(2) @ torch.ones(3)", 2, "RuntimeError: inconsistent tensor"),
        ("print(1", None, "SyntaxError: '(' was never closed"),
        ("raise KeyboardInterrupt", 1, "KeyboardInterrupt"),
    ],
)
def test_an_exception_names_file_line_and_text(source, line, says):
    result = run(source)
    assert result.outcome == "failed"
    assert result.problem.startswith(f"example.py:{line}: " if line else "example.py: ")
    assert says in result.problem.splitlines()[0]
    assert "gpu_guide" not in result.problem


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import sys; sys.exit(3)", "ended with exit status 3, not 0"),
        ("import sys; sys.exit('no')", "ended with exit status 1, not 0"),
        ("import os; os._exit(4)", "ended with status 4 before the code did"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "crashed (SIGSEGV)"),
        ("import torch; torch.set_default_device('meta')", "torch.set_default_device(None)"),
        ("import torch; torch.set_default_device('cuda')", "torch.set_default_device(None)"),
        ("import torch; torch.set_default_dtype(torch.float64)", "the default dtype"),
        ("import torch; torch.set_grad_enabled(False)", "gradients switched off"),
    ],
)
def test_an_end_that_is_no_end_is_a_failure(source, says):
    result = run(source)
    assert result.outcome == "failed" and says in result.problem
    assert result.problem.startswith("example.py: ")


@pytest.mark.slow
def test_a_hang_is_stopped_and_says_where():
    result = run("def wait():\n    while True:\n        pass\n\nwait()", time_limit=1)
    assert result.outcome == "failed" and "did not finish within 1 s" in result.problem
    assert 'File "example.py", line 5' in result.problem


@pytest.mark.slow
def test_a_hang_keeps_what_the_code_and_its_workers_said():
    """A user's own traceback speaks of multiprocessing, too."""
    trace = (
        'Traceback (most recent call last):\\n  File "/lib/multiprocessing/pool.py", line 1, in f'
    )
    source = (
        "import multiprocessing, sys\n"
        f"print('{trace}\\nOSError: x', file=sys.stderr, flush=True)\n"
        "multiprocessing.Event().wait()\n"
    )
    problem = run(source, time_limit=1).problem
    assert 'multiprocessing/pool.py", line 1, in f\nOSError: x' in problem
    assert 'multiprocessing/synchronize.py"' in problem  # where it hangs, in the standard library
    assert 'File "example.py", line 3 in <module>' in problem
    assert "gpu_guide" not in problem and "forkserver" not in problem


@pytest.mark.slow
def test_a_process_that_cannot_be_killed_as_a_group_is_ended_all_the_same(monkeypatch):
    """Windows has no process groups, and a hang may come before the alarm is set."""
    monkeypatch.delattr(os, "killpg", raising=False)
    monkeypatch.setattr("gpu_guide.run.runner._LATE", 1)
    source = (
        "import faulthandler, threading\n"
        "faulthandler.cancel_dump_traceback_later()\nthreading.Event().wait()"
    )
    assert "did not finish within 1 s" in run(source, time_limit=1).problem


def test_a_declared_exit_status_is_no_failure():
    source = "import sys; sys.exit(1)"
    assert run(source, exits=frozenset({0, 1})).outcome == "passed"
    assert run(source, exits=frozenset({0})).outcome == "failed"


def test_nothing_reaches_the_next_run():
    run("import builtins, os, torch\nbuiltins.leaked = 1\nos.environ['LEAKED'] = '1'\n"
        "torch.set_default_device('meta')\ntorch.manual_seed(7)")  # fmt: skip
    after = run("import builtins, os, torch\nprint(hasattr(builtins, 'leaked'))\n"
                "print('LEAKED' in os.environ)\nprint(torch.ones(1).device)")  # fmt: skip
    assert [text for _, text in after.calls] == ["False", "False", "cpu"]


def test_a_file_left_behind_goes_with_the_folder_it_ran_in():
    result = run("import os\nopen('left.txt', 'w').close()\nprint(os.path.abspath('left.txt'))")
    assert result.outcome == "passed" and not os.path.exists(result.calls[0][1])


def test_worker_processes_start_as_they_would_for_a_reader():
    source = "import multiprocessing\nprint(multiprocessing.get_start_method())"
    expected = "spawn" if os.name == "nt" else "fork"
    if sys.version_info >= (3, 14) and os.name != "nt":
        expected = "forkserver"
    assert run(source).calls == ((2, expected),)


def pipe_held_by(folder: Path) -> tuple[int, str]:
    """A pipe to read from, and code that holds it open: it ends when its last writer does."""
    os.mkfifo(pipe := folder / "pipe")
    code = f"import os\nwriter = os.open({str(pipe)!r}, os.O_WRONLY)\n"
    return os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), code


def has_ended(reader: int) -> bool:
    ended, _, _ = select.select([reader], [], [], 20)
    return bool(ended) and os.read(reader, 1) == b""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_processes_left_behind_are_ended(tmp_path):
    reader, open_pipe = pipe_held_by(tmp_path)
    source = open_pipe + (
        "import subprocess, sys\n"
        "waits = [sys.executable, '-c', 'import signal; signal.pause()']\n"
        "subprocess.Popen(waits, pass_fds=[writer])\n"
    )
    assert run(source).outcome == "passed"
    assert has_ended(reader)


def test_simulated_devices_are_there_and_only_there():
    source = "import torch\nprint(torch.cuda.device_count(), torch.ones(1).to('cuda:1').device)"
    assert run(source, Tier.SIMULATED, devices=2).calls == ((2, "2 cuda:1"),)
    assert run("import torch\nprint(torch.cuda.device_count())").calls == ((2, "0"),)


def test_what_cannot_be_simulated_is_told_apart_from_a_failure():
    result = run("import torch\ntorch.cuda.memory_allocated()", Tier.SIMULATED)
    assert result.outcome == "not-simulated" and "memory_allocated" in result.problem


TALK = """import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank() + 1.0])
dist.all_reduce(total)
print(dist.get_rank(), total.item())
dist.destroy_process_group()
"""


def test_torchrun_gathers_the_prints_of_all_ranks_in_order():
    result = run(TALK, Tier.TORCHRUN, processes=2)
    assert (result.outcome, result.problem) == ("passed", "")
    assert result.calls == ((7, "0 3.0"), (7, "1 3.0"))


@pytest.mark.distributed
def test_torchrun_blames_the_rank_that_failed_first():
    source = TALK.replace("dist.all_reduce", "assert dist.get_rank() == 0, 'me'\ndist.all_reduce")
    result = run(source, Tier.TORCHRUN, processes=2)
    assert result.outcome == "failed"
    assert result.problem.startswith("example.py:6 (rank 1): AssertionError: me")


@pytest.mark.distributed
def test_a_rank_that_was_killed_is_named_beside_the_one_that_complains():
    kill = "if dist.get_rank() == 1:\n    import os; os.kill(os.getpid(), 9)\n"
    source = TALK.replace("dist.all_reduce(total)", kill + "dist.all_reduce(total)")
    for _ in range(8):
        result = run(source, Tier.TORCHRUN, processes=2)
        assert result.outcome == "failed"
        if "(rank 0)" in result.problem:
            break  # or else torchrun ended rank 0 before it could complain: on a busy machine
    assert "(rank 0)" in result.problem
    assert "No report of rank 1: it crashed or was killed" in result.problem


@pytest.mark.distributed
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_torchrun_that_hangs_is_stopped_on_every_rank(tmp_path):
    reader, open_pipe = pipe_held_by(tmp_path)
    hang = "print(1) or [0 for _ in iter(int, 1)]"
    source = open_pipe + TALK.replace("dist.all_reduce(total)", hang)
    result = run(source, Tier.TORCHRUN, processes=2, time_limit=8)
    assert result.outcome == "failed" and "did not finish within 8 s" in result.problem
    assert has_ended(reader)


def test_prints_are_sorted_by_statement_and_must_be_statements(tmp_path):
    text = '"""T.\n\n题。\n"""\n\nfor i in range(2):\n    print("a", i)\n    print("b", i)\n'
    text_too = text + "[print(c) for c in 'c']\n"
    guide = begin(tmp_path, files={"snippets/x.py": text_too})
    path = guide.snippets / "x.py"
    snippet = parse(path, guide)
    good = run_source(text, path)
    assert good.prints(snippet) == (Printed(0, "a 0\na 1"), Printed(1, "b 0\nb 1"))
    with pytest.raises(ValueError, match=r":9: print is not a statement here"):
        run_source(snippet.source, path).prints(snippet)


def test_a_stack_in_a_folder_with_chinese_in_its_name_is_the_codes() -> None:
    """faulthandler writes such a name in escapes."""
    said = [
        "Timeout (0:00:01)!",
        r'  File "/\u8def\u5f84 x/\xe9/example.py", line 3 in <module>',
        f'  File "{ROOT}/gpu_guide/run/child.py", line 110 in execute',
    ]
    kept = stacks_of_the_code("\n".join(said), "/路径 x/é/example.py")
    assert kept == ["Timeout (0:00:01)!", '  File "/路径 x/é/example.py", line 3 in <module>']
