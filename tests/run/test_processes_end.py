"""Distributed runs end: whatever is killed, and whenever, no process, port or file stays behind."""

from __future__ import annotations

import ast
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu_guide import ROOT
from gpu_guide.project import HERE
from gpu_guide.run.outcome import Run
from gpu_guide.run.runner import Tier, run_source
from gpu_guide.snippets.model import Snippet, well_formed_snippets

PATIENCE = 20  # seconds in which whatever was killed has to be gone
EXAMPLE = Path("example.py")
DISTRIBUTED = [s for s in well_formed_snippets(HERE) if s.needs.kind == "torchrun"]

pytestmark = pytest.mark.distributed
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def run(source: str, *, processes: int = 2, time_limit: float = 60.0) -> Run:
    return run_source(source, EXAMPLE, Tier.TORCHRUN, processes=processes, time_limit=time_limit)


def status(pid: int) -> tuple[str, int]:
    """State and parent of a process."""
    text = Path(f"/proc/{pid}/stat").read_text()
    state, parent = text[text.rindex(")") + 2 :].split()[:2]
    return state, int(parent)


def alive(folder: str) -> set[int]:
    """The living processes below this one, and all others that work in `folder`."""
    parents, found = {}, set()
    for name in os.listdir("/proc"):
        if not name.isdecimal():
            continue
        try:
            state, parents[int(name)] = status(int(name))
            if state not in "ZX" and os.readlink(f"/proc/{name}/cwd").startswith(folder):
                found.add(int(name))
            if state in "ZX":
                del parents[int(name)]
        except (OSError, ValueError):
            continue
    for pid in parents:
        above = parents[pid]
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid():
            found.add(pid)
    return found


def listening(pids: set[int]) -> set[int]:
    """The TCP ports at which one of these processes listens."""
    ports = {}
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                ports[f"socket:[{fields[9]}]"] = int(fields[1].rsplit(":", 1)[1], 16)
    found = set()
    for pid in pids:
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                found.add(ports.get(os.readlink(f"/proc/{pid}/fd/{name}")))
        except OSError:
            continue
    return found - {None}


def ended(pid: int) -> bool:
    """Whether this process ends before patience does."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    ready, _, _ = select.select([handle], [], [], PATIENCE)
    os.close(handle)
    return bool(ready)


@pytest.fixture(scope="module")
def started() -> None:
    """The fork server, which stays for the next run, and what it needs."""
    assert run(SMALL).outcome == "passed"


@pytest.fixture
def clean(started: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for the files of runs. Afterwards: nothing in it, nothing runs, nothing listens."""
    with tempfile.TemporaryDirectory(prefix="runs-") as name:
        monkeypatch.setattr(tempfile, "tempdir", name)
        here = {os.getpid()}
        before = alive(name)
        ports = listening(before | here)
        yield Path(name)
        stayed = {pid for pid in alive(name) - before if not ended(pid)}
        assert not stayed, f"processes left: {stayed}"
        assert listening(alive(name) | here) <= ports, "a port is still open"
        assert [path.name for path in Path(name).rglob("*")] == [], "files left"


MEETING = """
import multiprocessing
import os
import signal
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=timedelta(seconds=30))
rank = dist.get_rank()
open(f"left-by-{{rank}}", "w").close()
made = tempfile.mkdtemp()
x = torch.ones(2)
dist.all_reduce(x)
print(rank, x.tolist())

pipe = os.open({pipe!r}, os.O_WRONLY)
launcher = multiprocessing.parent_process() or os.getppid()
launcher = getattr(launcher, "pid", launcher)
text = f"{{rank}} {{os.getpid()}} {{launcher}} {{os.environ['MASTER_PORT']}} {{made}}\\n"
os.write(pipe, text.encode())
{then}
dist.destroy_process_group()
"""
WAITS = "signal.pause() if rank == {idle} else dist.all_reduce(x)"
SPINS = "exec('while True: pass') if rank == {idle} else dist.all_reduce(x)"


class Meeting:
    """Two ranks that have done a collective, and what they do `then`, until they are killed.

    Lines that they write to the pipe besides, as many as `more`, are in `said`.
    """

    def __init__(self, folder: Path, then: str, time_limit: float = 60.0, more: int = 0) -> None:
        self.folder, pipe = str(folder), str(folder / "pipe")
        os.mkfifo(pipe)
        self.reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.result: Run | None = None
        source = MEETING.format(pipe=pipe, then=then)
        self.thread = threading.Thread(target=self._run, args=(source, time_limit))
        self.thread.start()
        lines = [self._line().split() for _ in range(2 + more)]
        os.unlink(pipe)
        ready = [words for words in lines if len(words) == 5]
        self.said = [words[0] for words in lines if len(words) == 1]
        self.ranks = {int(words[0]): int(words[1]) for words in ready}
        self.launcher, self.port = (int(word) for word in ready[0][2:4])
        self.made = [Path(words[4]) for words in ready]

    def _run(self, source: str, time_limit: float) -> None:
        self.result = run(source, time_limit=time_limit)

    def _line(self) -> str:
        text = b""
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([self.reader], [], [], 60)
            assert ready, "no rank came"
            text += os.read(self.reader, 1)
        return text.decode()

    def end(self) -> Run:
        """The result. By then no process has the pipe, not even one that a rank started."""
        self.thread.join(60)
        assert self.result is not None, "the run did not end"
        ready, _, _ = select.select([self.reader], [], [], PATIENCE)
        assert ready and os.read(self.reader, 1) == b"", "somebody still has the pipe"
        os.close(self.reader)
        assert not any(folder.exists() for folder in self.made), "a temporary folder is left"
        return self.result


@linux
@pytest.mark.parametrize("idle", [0, 1])
@pytest.mark.parametrize("victim", ["rank 0", "rank 1", "launcher"])
def test_killed_in_the_middle(clean, victim, idle):
    meeting = Meeting(clean, WAITS.format(idle=idle))
    seen = alive(meeting.folder)
    assert {*meeting.ranks.values(), meeting.launcher} <= seen, "the look misses processes"
    assert meeting.port in listening(seen), "the look misses ports"
    pid = meeting.launcher if victim == "launcher" else meeting.ranks[int(victim[-1])]
    os.kill(pid, signal.SIGKILL)
    result = meeting.end()
    assert result.outcome == "failed" and result.problem.startswith("example.py:")


@linux
@pytest.mark.parametrize("idle", [0, 1])
def test_a_rank_that_hangs(clean, idle):
    result = Meeting(clean, SPINS.format(idle=idle), time_limit=5).end()
    assert result.outcome == "failed" and "did not finish within 5 s" in result.problem


STARTS = """
import subprocess, sys
waits = [sys.executable, "-c", "import signal; signal.pause()"]
child = subprocess.Popen(waits, pass_fds=[pipe])
os.write(pipe, b"%d\\n" % child.pid)
dist.barrier() if rank == 0 else signal.pause()
"""


@linux
@pytest.mark.parametrize("victim", ["rank 1", "launcher"])
def test_what_a_killed_rank_has_started_ends_with_it(clean, victim):
    meeting = Meeting(clean, STARTS, more=2)
    assert {int(child) for child in meeting.said} <= alive(meeting.folder)
    os.kill(meeting.launcher if victim == "launcher" else meeting.ranks[1], signal.SIGKILL)
    assert meeting.end().outcome == "failed"


ASKER = """import sys
from pathlib import Path
from gpu_guide.run.runner import Tier, run_source

run_source(Path(sys.argv[1]).read_text(), Path("example.py"), Tier.TORCHRUN, processes=2)
"""


class AskedElsewhere(Meeting):
    """A meeting for which another process asks: `asker`."""

    def _run(self, source: str, time_limit: float) -> None:
        file = Path(self.folder, "source.py")
        file.write_text(source, encoding="utf-8")
        command = [sys.executable, "-c", ASKER, str(file)]
        environment = os.environ | {"TMPDIR": self.folder}
        with subprocess.Popen(command, cwd=ROOT, env=environment) as self.asker:
            pass


@linux
def test_nothing_runs_on_when_the_process_that_asked_is_killed(tmp_path):
    meeting = AskedElsewhere(tmp_path, WAITS.format(idle=0))
    assert {*meeting.ranks.values(), meeting.launcher} <= alive(meeting.folder)
    meeting.asker.kill()
    meeting.thread.join(PATIENCE)
    assert all(ended(pid) for pid in (*meeting.ranks.values(), meeting.launcher))
    os.close(meeting.reader)


def killed(source: str, rank: int, line: int) -> str:
    """`source` with one rank that kills itself behind `line`."""
    lines = source.split("\n")
    kill = f'if os.environ["RANK"] == "{rank}": os.kill(os.getpid(), 9)'
    return "\n".join([*lines[:line], f"import os; exec({kill!r})", *lines[line:]])


SMALL = """import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist

open("left", "w").close()
tempfile.mkdtemp()
dist.init_process_group("gloo", timeout=timedelta(seconds=30))
x = torch.ones(2)
dist.all_reduce(x)
dist.destroy_process_group()"""


@linux
@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("line", [8, 9, 11, 12], ids=["begin", "init", "collective", "end"])
def test_killed_at_a_line(clean, line, rank):
    assert run(killed(SMALL, rank, line)).outcome == "failed"


COMMUNICATES = re.compile(
    r"\b(all_\w+|reduce\w*|broadcast\w*|gather\w*|scatter\w*|barrier|monitored_barrier|DDP|"
    r"DistributedDataParallel|fully_shard|parallelize_module|distribute_tensor|backward|step|"
    r"train\w*|\w+_state_dict|full_tensor)\("
)


def first_communication(snippet: Snippet) -> int:
    """The last line of the first statement below `init_process_group` that communicates."""
    body = ast.parse(snippet.source).body
    texts = [ast.get_source_segment(snippet.source, node) or "" for node in body]
    begins = next(i for i, text in enumerate(texts) if "init_process_group(" in text)
    for node, text in list(zip(body, texts, strict=True))[begins + 1 :]:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) and COMMUNICATES.search(text):
            return node.end_lineno
    return body[begins].end_lineno


KINDS = {
    "pipeline": r"\bpipelining\b",
    "checkpoint": r"\bdistributed\.checkpoint\b|\bdcp\b",
    "tensor parallel": r"\b(parallelize_module|distribute_tensor)\(",
    "FSDP": r"\bfully_shard\(",
    "DDP": r"\b(DistributedDataParallel|DDP)\(",
    "subgroups": r"\bnew_group\(",
    "collectives": "",
}
"""What the ranks of a snippet talk through, by what its code has; the first that fits."""


def one_of_each_kind() -> dict[str, Snippet]:
    """A snippet for each kind: what is on trial is how a run ends, not what each snippet shows."""
    found: dict[str, Snippet] = {}
    for snippet in DISTRIBUTED:
        if "init_process_group(" in snippet.source and not snippet.measures:
            kind = next(kind for kind, has in KINDS.items() if re.search(has, snippet.source))
            found.setdefault(kind, snippet)
    return found


KILLED = one_of_each_kind()


def test_a_rank_is_killed_in_a_snippet_of_each_kind():
    assert KILLED.keys() == KINDS.keys()


@linux
@pytest.mark.parametrize(
    ("snippet", "rank"),
    [(snippet, i % 2) for i, snippet in enumerate(KILLED.values())],
    ids=list(KILLED),
)
def test_a_snippet_of_which_a_rank_is_killed(clean, snippet, rank):
    source = killed(snippet.source, rank, first_communication(snippet))
    assert run(source, processes=snippet.needs.count).outcome == "failed"
