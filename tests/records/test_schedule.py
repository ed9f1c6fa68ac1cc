"""In which order snippets are recorded, what has to run alone, and several runs at a time."""

from __future__ import annotations

import os
import threading
import time

import pytest
from small_guides import begin

from gpu_guide.records.schedule import schedule
from gpu_guide.records.store import Entry, Record
from gpu_guide.run.alone import why_alone
from gpu_guide.run.machine import Environment
from gpu_guide.run.outcome import Run
from gpu_guide.run.runner import start_source
from gpu_guide.run.side_by_side import side_by_side
from gpu_guide.snippets.model import load_snippets

CARD = Environment("x", "X", 1, "580.1", "13.0", "2.11.0+cu130", "3.12.1", "Linux", "2026-11-21")
SNIPPETS = {
    "plain": "\nprint(1)\n",
    "speaks": '\nimport torch\n\nx = torch.ones(1, device="cpu" or "cuda")\n',
    "measures": "# measures: yes\n\nprint(1)\n",
    "ranks": "# needs: torchrun:2\n\nprint(1)\n",
    "gpu": "# needs: cuda\n\nprint(1)\n",
    "gpu_known": "# needs: cuda\n# simulated: no\n\nprint(1)\n",
    "gpu_unknown": "# needs: cuda\n# simulated: no\n\nprint(1)\n",
    "gpu_free": "# needs: cuda\n\nimport torch\n\nprint(torch.cuda.mem_get_info() > ())\n",
    "gpu_measures": "# needs: cuda\n# measures: yes\n\nprint(1)\n",
}


@pytest.fixture
def snippets(tmp_path):
    files = {
        f"snippets/t/{name}.py": f'"""Title.\n\n标题。\n"""\n{code}'
        for name, code in SNIPPETS.items()
    }
    return load_snippets(begin(tmp_path, files=files))


def test_what_nobody_knows_yet_comes_first_and_what_disturbs_runs_alone(snippets):
    known = Record(CARD, {"t/gpu_known": Entry(snippets["t/gpu_known"].sha256, (), 0.1)})
    phases = schedule(snippets.values(), [known])
    names = [(phase.alone, [one.name[2:] for one in phase.snippets]) for phase in phases]
    assert names == [
        (False, ["gpu_unknown", "gpu", "gpu_known"]),
        (True, ["gpu_free", "gpu_measures", "measures"]),
        (False, ["speaks", "plain"]),
        (True, ["ranks"]),
    ]
    assert len(schedule([snippets["t/plain"]], [])) == 1


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import time\n\nstart = time.perf_counter()\n", "measures time"),
        ("import torch\n\nprint(torch.cuda.Stream())\n", "shows what happens at the same time"),
        ("x = y.to(z, non_blocking=True)\n", "shows what happens at the same time"),
        ("import torch\n\nprint(torch.cuda.mem_get_info())\n", "reads free memory"),
        ("try:\n    pass\nexcept torch.OutOfMemoryError:\n    pass\n", "fills the GPU"),
        ('import os\n\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"\n', "hides or counts devices"),
        ("import torch.multiprocessing as mp\n", "starts processes"),
        ('print(run(["python", "-m", "torchrun"]))\n', "starts processes"),
        (
            'print("in a Stream of words, time is no module")\n',
            "shows what happens at the same time",
        ),
        ("import torch\n\nprint(torch.cuda.memory_allocated())\n", ""),
        ("stopwatch = mp3 = 1\n", ""),
    ],
)
def test_a_rule_says_what_runs_alone(tmp_path, code, why):
    file = f'"""Title about a Stream.\n\n标题。\n"""\n\n{code}'
    (snippet,) = load_snippets(begin(tmp_path, files={"snippets/t/a.py": file})).values()
    assert why_alone(snippet) == why


class Pretended:
    """A run that ends when it is told to."""

    live: int = 0
    most: int = 0

    def __init__(self, task):
        self.task, self.latest = task, time.monotonic() + 60
        self.sentinel, end = os.pipe()
        Pretended.live += 1
        Pretended.most = max(Pretended.most, Pretended.live)
        threading.Thread(target=os.close, args=(end,)).start()

    def finish(self):
        self.stop()
        return Run("passed", "", ((1, self.task),), 0.1)

    def stop(self):
        os.close(self.sentinel)
        Pretended.live -= 1


@pytest.mark.parametrize("jobs", [1, 3])
def test_as_many_run_at_a_time_as_are_asked_for(jobs):
    Pretended.live = Pretended.most = 0
    found = {task: run.calls[0][1] for task, run in side_by_side("abcdef", Pretended, jobs)}
    assert found == {one: one for one in "abcdef"}
    assert (Pretended.live, Pretended.most) == (0, jobs)


def test_when_nobody_asks_any_more_all_is_ended():
    Pretended.live = 0
    runs = side_by_side("abcdef", Pretended, 3)
    next(runs)
    assert Pretended.live == 2
    runs.close()
    assert Pretended.live == 0


def test_runs_are_real_processes_that_do_not_wait_for_each_other(tmp_path):
    """The first waits for what the second writes, and would be killed after its time."""
    shared = tmp_path / "said"
    wait = (
        f"import pathlib\nwhile not pathlib.Path({str(shared)!r}).exists():\n    pass\nprint(1)\n"
    )
    tell = f"import pathlib\npathlib.Path({str(shared)!r}).touch()\nprint(2)\n"
    paths = {tmp_path / "wait.py": wait, tmp_path / "tell.py": tell}
    runs = side_by_side(list(paths), lambda path: start_source(paths[path], path, time_limit=30), 2)
    assert {path.name: run.outcome for path, run in runs} == {
        "wait.py": "passed",
        "tell.py": "passed",
    }
