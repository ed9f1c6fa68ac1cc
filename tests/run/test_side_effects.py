"""What a snippet must leave alone: each bad manner, planted, is a failure with place and remedy."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide.problems import GuideError
from gpu_guide.records.assess import differs_when_varied
from gpu_guide.run.outcome import Run
from gpu_guide.run.runner import Tier, run_snippet
from gpu_guide.run.side_effects import Manners
from gpu_guide.snippets.model import Snippet, parse

pytestmark = pytest.mark.slow

HEAD = '"""Title.\n\n标题。\n"""\n'


def snippet_of(folder: Path, code: str, header: str = "") -> Snippet:
    guide = begin(folder, files={"snippets/name.py": f"{HEAD}{header}\n{code}\n"})
    return parse(guide.snippets / "name.py", guide)


def run(folder: Path, code: str, header: str = "", tier: Tier = Tier.CPU, varied=False) -> Run:
    return run_snippet(snippet_of(folder, code, header), tier, strict=True, varied=varied)


FAULTS = {
    "a connection": (
        'import socket\nsocket.create_connection(("203.0.113.1", 80), timeout=1)',
        "connects to 203.0.113.1: a snippet has no network",
    ),
    "a connection that is caught": (
        'import urllib.request\ntry:\n    urllib.request.urlopen("https://pytorch.org")\n'
        "except OSError:\n    pass",
        ":8: connects to pytorch.org: a snippet has no network",
    ),
    "a file": ('open("left.txt", "w").close()', "left left.txt in the working folder: delete it"),
    "a temporary file": (
        "import tempfile\nopen(tempfile.mkdtemp(prefix='mine') + '/x', 'w').close()",
        "in the temporary folder: delete it",
    ),
    "a variable": ('import os\nos.environ["MINE"] = "1"', "environment variable MINE: put it back"),
    "threads": (
        "import torch\ntorch.set_num_threads(torch.get_num_threads() + 1)",
        "left changed the number of threads",
    ),
    "memory": ("import torch\nx = torch.ones(9 * 2**28, dtype=torch.int8)", "needed 2."),
    "computing": (
        # As if it had computed for a minute.
        "import os\nnow = os.times()\nos.times = lambda: type(now)((60, *now[1:]))",
        "used ",
    ),
    "sleep": (
        "import time\nfor _ in range(3):\n    time.sleep(0)\n\ntime.sleep(3600)",
        ":10: sleeps for more than 5 s",
    ),
    "sleep of a thread that is waited for": (
        "import threading, time\nthread = threading.Thread(target=time.sleep, args=[3600])\n"
        "thread.start()\nthread.join()",
        "sleeps for more than 5 s",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("code", "says"), FAULTS.values(), ids=FAULTS.keys())
def test_a_bad_manner_is_a_failure(tmp_path, code, says):
    found = run(tmp_path, code)
    assert found.outcome == "failed" and says in found.problem and "name.py" in found.problem


@pytest.mark.parametrize("daemon", [True, False])
def test_a_daemon_thread_of_a_library_may_sleep_because_nobody_waits_for_it(daemon):
    manners, slept = Manners("name.py"), []
    manners._sleep = slept.append
    thread = threading.Thread(target=manners._slept, args=[3600.0], daemon=daemon)
    thread.start()
    thread.join()
    assert slept == ([3600.0] if daemon else [])
    assert len(manners.found) == (0 if daemon else 1)


@pytest.mark.parametrize("file", ["lib/site-packages/agent.py", "name.py"])
def test_a_library_that_polls_may_sleep_as_often_as_it_has_to(file):
    manners, slept = Manners("name.py"), []
    manners._sleep = slept.append
    exec(compile("for _ in range(7): sleep(1.0)", file, "exec"), {"sleep": manners._slept})
    assert len(slept) == (5 if file == "name.py" else 7)
    assert len(manners.found) == (1 if file == "name.py" else 0)


@pytest.mark.slow
def test_what_is_left_at_home_is_seen_where_home_is_another(tmp_path):
    code = 'from pathlib import Path\nPath.home().joinpath(".mine").touch()'
    found = run(tmp_path, code, varied=True)
    assert "left .mine in the home folder" in found.problem


@pytest.mark.slow
def test_what_is_the_subject_is_declared(tmp_path):
    header = "# leaves: environment, files, threads\n"
    code = (
        'import os\nimport torch\nos.environ["MINE"] = "1"\nopen("left.txt", "w").close()\n'
        "torch.set_num_threads(torch.get_num_threads() + 1)"
    )
    assert run(tmp_path, code, header).outcome == "passed"
    with pytest.raises(GuideError, match="unknown word 'fils'"):
        snippet_of(tmp_path, code, "# leaves: fils\n")


def test_what_stays_on_this_machine_is_allowed(tmp_path):
    code = (
        "import os\nimport socket\nimport tempfile\n"
        'os.environ["MINE"] = "1"\ndel os.environ["MINE"]\n'
        "with tempfile.TemporaryDirectory() as folder:\n"
        '    open(f"{folder}/x", "w").close()\n'
        'with socket.create_server(("localhost", 0)) as server:\n'
        "    socket.create_connection(server.getsockname()).close()\n"
        'print(socket.getaddrinfo("127.0.0.1", 80)[0][4][0])'
    )
    found = run(tmp_path, code)
    assert found.outcome == "passed", found.problem


def test_ranks_are_watched_too(tmp_path):
    code = 'import os\nos.environ["MINE"] = "1"\nopen("left.txt", "w").close()'
    found = run(tmp_path, code, "# needs: torchrun:2\n", Tier.TORCHRUN)
    assert "environment variable MINE" in found.problem
    assert "left left.txt in the working folder" in found.problem


VARYING = {
    "threads": "import torch\nprint(torch.get_num_threads())",
    "hash seed": "print(list({'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}), hash('x'))",
    "torch's generator": "import torch\nprint(torch.rand(1).item())",
    "numpy's generator": "import numpy\nprint(numpy.random.rand())",
    "Python's generator": "import random\nprint(random.random())",
    "the working folder": "import os\nprint(os.getcwd())",
}


@pytest.mark.parametrize("code", VARYING.values(), ids=VARYING.keys())
def test_output_that_depends_on_conditions_is_told(tmp_path, code):
    snippet = snippet_of(tmp_path, code)
    usual = run_snippet(snippet, Tier.CPU, strict=True)
    again = run_snippet(snippet, Tier.CPU, strict=True, varied=True)
    assert (usual.outcome, again.outcome) == ("passed", "passed")
    problem = differs_when_varied(snippet, usual, again)
    assert "name.py" in problem and "seed what is random" in problem


def test_seeded_output_does_not_differ_and_a_failure_only_there_is_told(tmp_path):
    code = (
        "import random\nimport numpy\nimport torch\nrandom.seed(0)\nnumpy.random.seed(0)\n"
        "torch.manual_seed(0)\n"
        "print(random.random(), numpy.random.rand(), torch.rand(1).item())\n"
        "print(sorted({'b', 'a'}))"
    )
    snippet = snippet_of(tmp_path, code)
    runs = [run_snippet(snippet, Tier.CPU, strict=True, varied=varied) for varied in (False, True)]
    assert differs_when_varied(snippet, *runs) == ""
    failed = Run("failed", "name.py:6: broken", (), 0.1)
    assert "broken" in differs_when_varied(snippet, runs[0], failed)


def test_without_being_strict_nothing_is_watched(tmp_path):
    snippet = snippet_of(tmp_path, 'import os\nos.environ["MINE"] = "1"')
    assert run_snippet(snippet, Tier.CPU).outcome == "passed"
