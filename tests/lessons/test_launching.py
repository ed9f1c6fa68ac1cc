"""What the page on torchrun says about launching: for real, on loopback, with time limits."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import yaml
from exit_early import AT_ONCE
from forked_torchrun import torchrun

from gpu_guide import ROOT
from gpu_guide.pages.page import parse as parse_page
from gpu_guide.project import HERE
from gpu_guide.run.runner import Tier, run_source, start

TIME_LIMIT = 120.0
"""Seconds for one job, many more than it takes when nothing else runs."""
SCRIPTS = HERE.snippets / "multi_gpu"

needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
# With the setting of `Agent`, torchrun looks for a free port and releases it, and a worker opens it
# two seconds later. If another test takes it meanwhile, the worker fails: no test is about that.
pytestmark = pytest.mark.flaky(reruns=2, only_rerun="EADDRINUSE")


class Agent:
    """One torchrun: what it says is in one file, what each worker prints in a file of its own."""

    def __init__(
        self, folder: Path, name: str, *arguments: str, ignored: Sequence[int] = ()
    ) -> None:
        self.out = folder / f"{name}.txt"
        self.logs = folder / f"{name}-logs"
        environment = os.environ | {
            "CUDA_VISIBLE_DEVICES": "-1",
            "OMP_NUM_THREADS": "1",
            "PYTHONUNBUFFERED": "1",
            "TMPDIR": str(folder),  # torchrun leaves its folder of logs behind
            # Else a process that was restarted may find the addresses of the attempt before:
            # https://github.com/pytorch/pytorch/issues/135712
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        }
        arguments = (f"--log-dir={self.logs}", "--redirects=3", *arguments)
        self.process = start(torchrun, arguments, str(folder), environment, str(self.out), ignored)

    @property
    def said(self) -> str:
        """All that it and its workers have said: to show where a test fails."""
        files = [*self.out.parent.glob(self.out.name), *sorted(self.logs.rglob("std*.log"))]
        return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)

    def printed(self, pattern: str) -> list[str]:
        """What its workers have printed, in all attempts, as far as it fits the pattern."""
        texts = [file.read_text(encoding="utf-8") for file in self.logs.rglob("stdout.log")]
        return [found for text in texts for found in re.findall(pattern, text, re.M)]

    def ends(self) -> int:
        """Its exit status, once it has ended."""
        self.process.join(TIME_LIMIT)
        if self.process.exitcode is None:
            pytest.fail(f"not done after {TIME_LIMIT:g} s:\n{self.said}", pytrace=False)
        return self.process.exitcode

    def stop(self) -> None:
        """End it, and what it has started."""
        if self.process.exitcode is not None:
            return
        workers = self.workers().values()
        self.process.terminate()
        self.process.join(10)
        for pid in (self.process.pid, *workers):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.join()

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait until `reached()`, while the job goes on."""
        deadline = time.monotonic() + TIME_LIMIT
        while not reached():
            self.process.join(0.01)
            if (status := self.process.exitcode) is not None:
                pytest.fail(f"ended with {status} too early:\n{self.said}", pytrace=False)
            assert time.monotonic() < deadline, self.said

    def workers(self) -> dict[int, int]:
        """The processes that it has started: from rank to process id."""
        found = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                # pid (name) state parent ...
                state, parent = stat.read_text().rpartition(")")[2].split()[:2]
                if int(parent) == self.process.pid and state != "Z":
                    rank = re.search(rb"\0RANK=(\d+)", stat.with_name("environ").read_bytes())
                    if rank:
                        found[int(rank[1])] = int(stat.parent.name)
        return found


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., Agent]]:
    """Starts agents; whatever still runs at the end of the test is ended."""
    agents: list[Agent] = []

    def begin(name: str, *arguments: str, ignored: Sequence[int] = ()) -> Agent:
        agents.append(Agent(tmp_path, name, *arguments, ignored=ignored))
        return agents[-1]

    yield begin
    for agent in agents:
        agent.stop()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


# --- two machines --------------------------------------------------------------------------------


def two_machines(launch: Callable[..., Agent], *options: str) -> list[Agent]:
    """Two agents with one worker each, which find each other by the endpoint alone."""
    endpoint = f"127.0.0.1:{free_port()}"
    common = ["--nnodes=2", "--nproc-per-node=1", "--rdzv-id=job", "--rdzv-backend=c10d"]
    common += [f"--rdzv-endpoint={endpoint}", "--local-addr=127.0.0.1", *options]
    return [launch(name, *common) for name in ("first", "second")]


NODE = {"WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}
"""What one process on each of two machines is told, besides its own numbers."""


def told(pid: int) -> dict[str, str]:
    """What torchrun has told a worker."""
    pairs = Path(f"/proc/{pid}/environ").read_text().split("\0")
    found = dict(pair.partition("=")[::2] for pair in pairs)
    return {name: found[name] for name in (*NODE, "RANK", "GROUP_RANK")}


# --- restarts ------------------------------------------------------------------------------------

STEPS = "400"
"""Enough to be in the middle when the first checkpoint has been seen."""


@pytest.fixture(scope="module")
def resuming(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script that goes on from its last checkpoint."""
    source = (SCRIPTS / "resume_after_restart.py").read_text(encoding="utf-8")
    script = tmp_path_factory.mktemp("resuming") / "train.py"
    script.write_text(source + AT_ONCE, encoding="utf-8")
    return str(script)


@pytest.fixture(scope="module")
def undisturbed(resuming: str) -> set[str]:
    """What the training ends with when nobody is killed."""
    source = f"import sys\nsys.argv.append({STEPS!r})\n{Path(resuming).read_text('utf-8')}"
    run = run_source(source.removesuffix(AT_ONCE), Path(resuming), Tier.TORCHRUN, processes=2)
    assert run.outcome == "passed", run.problem
    lines = [line for _, printed in run.calls for line in printed.split("\n")]
    assert lines.count("begins at step 0") == 2
    return {line for line in lines if line.startswith("weights ")}


def begun(*agents: Agent) -> list[int]:
    return sorted(int(n) for agent in agents for n in agent.printed(r"^begins at step (\d+)$"))


def last_lines(*agents: Agent) -> set[str]:
    return {line for agent in agents for line in agent.printed(r"^weights .*$")}


@pytest.mark.distributed
@needs_proc
def test_killing_the_rank_that_saves_costs_nothing(launch, tmp_path, resuming, undisturbed):
    options = ("--standalone", "--nproc-per-node=2", "--max-restarts=1")
    agent = launch("job", *options, resuming, STEPS)
    agent.until(lambda: (tmp_path / "checkpoint.pt").exists())
    os.kill(agent.workers()[0], signal.SIGKILL)
    assert agent.ends() == 0, agent.said
    steps = begun(agent)
    assert steps[:2] == [0, 0] and len(steps) == 4 and steps[2] == steps[3], agent.said
    assert 0 < steps[2] < int(STEPS) and steps[2] % 10 == 0
    assert last_lines(agent) == undisturbed
    assert not list(tmp_path.glob("*.pt"))


@pytest.mark.distributed
@needs_proc
def test_killing_a_worker_of_one_machine_costs_nothing(launch, tmp_path, resuming, undisturbed):
    """Both agents start their workers again; the folder of the checkpoint is shared."""
    agents = two_machines(launch, "--max-restarts=3", resuming, STEPS)
    agents[0].until(lambda: (tmp_path / "checkpoint.pt").exists())
    workers = agents[0].workers() | agents[1].workers()
    # Which agent is the first node is decided at the rendezvous.
    assert [told(workers[rank]) for rank in (0, 1)] == [
        {**NODE, "RANK": "0", "GROUP_RANK": "0"},
        {**NODE, "RANK": "1", "GROUP_RANK": "1"},
    ]
    os.kill(workers[1], signal.SIGKILL)
    statuses = [agent.ends() for agent in agents]
    said = "\n".join(agent.said for agent in agents)
    assert statuses == [0, 0], said
    # An agent whose own worker did not fail counts no attempt, and writes over its log.
    steps = begun(*agents)
    assert steps[0] == 0 and steps[-1] == steps[-2] > 0 and steps[-1] % 10 == 0, said
    assert last_lines(*agents) == undisturbed


WAITS_ALONE = """import os, signal
import torch.distributed as dist

dist.init_process_group("gloo")
size = dist.get_world_size()
print("size", size, "restarts", os.environ["TORCHELASTIC_RESTART_COUNT"], flush=True)
if size == 1:
    signal.pause()
dist.destroy_process_group()
"""


@pytest.mark.distributed
@needs_proc
def test_a_machine_that_joins_uses_up_no_restart(launch, tmp_path):
    """With no restart left, all processes start again when a second machine comes."""
    script = tmp_path / "waits.py"
    script.write_text(WAITS_ALONE + AT_ONCE)
    common = ["--nnodes=1:2", "--nproc-per-node=1", "--max-restarts=0", "--rdzv-id=job"]
    common += ["--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{free_port()}"]
    common += ["--local-addr=127.0.0.1", "--rdzv-conf=last_call_timeout=1", str(script)]
    first = launch("first", *common)
    first.until(lambda: "size 1 restarts 0" in first.printed("^size .*$"))
    second = launch("second", *common)
    said = "\n".join((first.said, second.said))
    assert [first.ends(), second.ends()] == [0, 0], said
    printed = first.printed("^size .*$") + second.printed("^size .*$")
    assert printed.count("size 2 restarts 0") == 2, said


WAITS_FOR_A_FILE = """import os, time

print("up", flush=True)
while not os.path.exists("go-on"):
    time.sleep(0.05)
"""


TRAINS_WITH_OTHERS = """import os, signal, time, torch
import torch.distributed as dist

dist.init_process_group("gloo")
size, restarts = dist.get_world_size(), os.environ["TORCHELASTIC_RESTART_COUNT"]
print("size", size, "restarts", restarts, flush=True)
if size == 1 and restarts == "0":
    signal.pause()  # until the second machine comes
while size == 2:
    dist.all_reduce(torch.ones(1))
    time.sleep(0.1)
dist.destroy_process_group()
"""


@pytest.mark.distributed
@needs_proc
@pytest.mark.parametrize("restarts", [0, 1])
def test_a_machine_that_fails_uses_up_a_restart(launch, tmp_path, restarts):
    """Its processes are gone, so those of the other machine fail as well and count as a failure."""
    script = tmp_path / "trains.py"
    script.write_text(TRAINS_WITH_OTHERS + AT_ONCE)
    common = ["--nnodes=1:2", "--nproc-per-node=1", f"--max-restarts={restarts}", "--rdzv-id=job"]
    common += ["--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{free_port()}"]
    waits = "--rdzv-conf=last_call_timeout=1,keep_alive_interval=1"
    common += ["--local-addr=127.0.0.1", waits, str(script)]
    # The store is in the first agent, which is not the one to be killed.
    first = launch("first", *common)
    first.until(lambda: "size 1 restarts 0" in first.printed("^size .*$"))
    second = launch("second", *common)
    second.until(lambda: "size 2 restarts 0" in second.printed("^size .*$"))
    for pid in (second.process.pid, *second.workers().values()):
        os.kill(pid, signal.SIGKILL)
    assert first.ends() == (0 if restarts else 1), first.said
    assert ("size 1 restarts 1" in first.printed("^size .*$")) == bool(restarts), first.said


@pytest.mark.distributed
@needs_proc
def test_a_second_job_at_the_same_address_loses_its_store(launch, tmp_path):
    """The store is inside of the first torchrun, so the second breaks off when that one is done."""
    script, lasting = tmp_path / "waits.py", tmp_path / "lasting.py"
    script.write_text(WAITS_FOR_A_FILE)
    lasting.write_text(WAITS_FOR_A_FILE.replace("go-on", "never"))
    common = ["--nnodes=1", "--nproc-per-node=1", "--rdzv-backend=c10d"]
    common += [f"--rdzv-endpoint=localhost:{free_port()}"]
    first = launch("first", *common, "--rdzv-id=job", str(script))
    first.until(lambda: first.printed("^up$") == ["up"])
    second = launch("second", *common, "--rdzv-id=other", str(lasting))
    second.until(lambda: second.printed("^up$") == ["up"])
    (tmp_path / "go-on").touch()
    assert first.ends() == 0, first.said
    assert second.ends() == 1, second.said
    assert "The connection to the C10d store has failed" in second.said


@pytest.mark.distributed
@needs_proc
@pytest.mark.parametrize("handled", ["", "SIGTERM,SIGINT,SIGQUIT"])
def test_nohup_does_not_keep_torchrun_from_a_hangup(launch, tmp_path, handled):
    """It sets a handler of its own in place of what nohup has set, unless it is told not to."""
    script = tmp_path / "waits.py"
    script.write_text(WAITS_FOR_A_FILE)
    options = [f"--signals-to-handle={handled}"] if handled else []
    options += ["--standalone", "--nproc-per-node=1", str(script)]
    agent = launch("job", *options, ignored=[signal.SIGHUP])  # what nohup does
    agent.until(lambda: agent.printed("^up$"))
    os.kill(agent.process.pid, signal.SIGHUP)
    if handled:
        (tmp_path / "go-on").touch()
        assert agent.ends() == 0, agent.said
    else:
        assert agent.ends() != 0, agent.said
        assert "got signal: 1" in agent.said


@pytest.mark.distributed
@needs_proc
def test_without_a_port_two_jobs_run_on_one_machine(launch, tmp_path):
    """Neither has --standalone: torchrun takes a free port of its own accord."""
    script = tmp_path / "waits.py"
    script.write_text("import signal\nprint('begun', flush=True)\nsignal.pause()\n")
    jobs = [launch(name, "--nproc-per-node=1", str(script)) for name in ("first", "second")]
    for job in jobs:
        job.until(lambda job=job: job.printed("^begun$") == ["begun"])
    assert all(job.process.is_alive() for job in jobs)


@pytest.mark.distributed
@needs_proc
def test_the_log_of_each_rank_is_kept(launch, tmp_path):
    """And the true error stands in the log of the rank that failed."""
    script = tmp_path / "fails.py"
    script.write_text("import os\nprint('before')\n1 / int(os.environ['RANK'])\n")
    options = ("--standalone", "--nproc-per-node=2", "--tee=3")
    agent = launch("job", *options, str(script))
    assert agent.ends() == 1
    assert "ChildFailedError" in agent.said and "[default0]:ZeroDivisionError" in agent.said
    logs = {"/".join(path.parts[-3:]): path.read_text() for path in agent.logs.rglob("std*.log")}
    assert logs["attempt_0/0/stdout.log"] == "before\n"
    assert logs["attempt_0/0/stderr.log"].endswith("ZeroDivisionError: division by zero\n")


# --- job files -----------------------------------------------------------------------------------

PAGES = [ROOT / "docs" / lang / "multi-gpu" / "torchrun.md" for lang in ("zh", "en")]


def job_files(language: str, mark: str) -> list[str]:
    """The one fence of `language` with `mark` in it, from each page."""
    found = []
    for page in PAGES:
        texts = ["\n".join(f.content) for f in parse_page(page).fences if f.language == language]
        (text,) = [text for text in texts if mark in text]
        found.append(text)
    return found


SBATCH = frozenset(
    ["job-name", "nodes", "ntasks-per-node", "gpus-per-node", "cpus-per-task", "time", "output"]
)
"""Options of https://slurm.schedmd.com/sbatch.html that the job file uses."""
SRUN = frozenset(["cpus-per-task", "kill-on-bad-exit"])
"""Options of https://slurm.schedmd.com/srun.html."""


def test_slurm_job_is_the_same_on_both_pages():
    zh, en = job_files("bash", "#SBATCH")
    assert zh == en


def test_slurm_job_is_shell_with_known_options():
    text = job_files("bash", "#SBATCH")[0]
    rows = text.splitlines()
    assert rows[0] == "#!/bin/bash"
    options = [row for row in rows if row.startswith("#SBATCH")]
    # sbatch reads no option below the first command.
    assert rows[1 : 1 + len(options)] == options
    given = {re.fullmatch(r"#SBATCH --([a-z-]+)(?:=(\S+))?", row)[1] for row in options}
    assert given <= SBATCH and {"nodes", "ntasks-per-node", "gpus-per-node", "time"} <= given
    assert "#SBATCH --ntasks-per-node=1" in options, "one torchrun for each machine"


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_slurm_job_starts_torchrun_with_options_that_it_has(tmp_path):
    """Run by bash, with stand-ins for what only a cluster has."""
    text = job_files("bash", "#SBATCH")[0]
    done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for name, body in {
        "scontrol": '[ "$*" = "show hostnames node[3-4]" ] && printf "node3\\nnode4\\n"',
        "srun": 'printf "%s\\n" "$@"',
    }.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/bash\n{body}\n")
        program.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "SLURM_JOB_NODELIST": "node[3-4]",
        "SLURM_JOB_ID": "4711",
        "SLURM_NNODES": "2",
        "SLURM_CPUS_PER_TASK": "64",
    }
    out = subprocess.run(
        ["bash"], input=text, text=True, capture_output=True, env=environment, check=True
    ).stdout.splitlines()
    at = out.index("torchrun")
    assert {word.lstrip("-").split("=")[0] for word in out[:at]} <= SRUN
    arguments = torchrun_arguments(out[at + 1 :])
    assert (arguments.nnodes, arguments.nproc_per_node) == ("2", "gpu")
    assert arguments.rdzv_endpoint == "node3:24711" and arguments.rdzv_id == "4711"
    assert arguments.rdzv_backend == "c10d" and arguments.training_script == "train.py"


def torchrun_arguments(words: list[str]):
    """As torchrun reads them: it refuses an option that it does not know."""
    from torch.distributed.run import parse_args

    return parse_args(words)


def test_kubernetes_job_is_the_same_on_both_pages():
    zh, en = job_files("yaml", "kind: Job")
    assert zh == en


def test_kubernetes_job_has_what_an_indexed_job_needs():
    service, job = yaml.safe_load_all(job_files("yaml", "kind: Job")[0])
    # https://kubernetes.io/docs/concepts/services-networking/service/#headless-services
    assert (service["apiVersion"], service["kind"]) == ("v1", "Service")
    assert service["spec"]["clusterIP"] == "None"
    # https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    spec = job["spec"]
    assert spec["completionMode"] == "Indexed" and spec["completions"] == spec["parallelism"]
    template = spec["template"]["spec"]
    assert template["restartPolicy"] in ("Never", "OnFailure")
    # The Service gives the pods of this job their names: <job>-<index>.<subdomain>
    name = job["metadata"]["name"]
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": name}
    assert template["subdomain"] == service["metadata"]["name"]
    (container,) = template["containers"]
    assert container["image"] and container["resources"]["limits"]["nvidia.com/gpu"]
    mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    memory = {volume["name"]: volume.get("emptyDir") for volume in template["volumes"]}
    assert mounted["shm"] == "/dev/shm" and memory["shm"]["medium"] == "Memory"
    assert mounted.keys() == memory.keys()
    assert container["command"][0] == "torchrun"
    words = [w.replace("$(JOB_COMPLETION_INDEX)", "1") for w in container["command"][1:]]
    arguments = torchrun_arguments(words)
    assert arguments.node_rank == 1
    assert arguments.nnodes == str(spec["completions"])
    assert arguments.nproc_per_node == str(container["resources"]["limits"]["nvidia.com/gpu"])
    assert arguments.master_addr == f"{name}-0.{template['subdomain']}"


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("docs/*/multi-gpu/*.md")), ids=lambda p: p.relative_to(ROOT).as_posix()
)
def test_torchrun_knows_the_options_of_every_command(page):
    for fence in parse_page(page).fences:
        for row in "\n".join(fence.content).replace("\\\n", "").split("\n"):
            if fence.language == "bash" and row.startswith("torchrun "):
                torchrun_arguments(shlex.split(row)[1:])


@pytest.mark.distributed
@needs_proc
def test_the_growing_script_trains_the_same_on_two_machines(launch, tmp_path):
    """As the page on several machines has it tried out: two agents on this one."""
    source = (SCRIPTS / "train_with_ddp.py").read_text(encoding="utf-8")
    script = tmp_path / "train.py"
    script.write_text(source + AT_ONCE, encoding="utf-8")
    agents = two_machines(launch, str(script))
    assert [agent.ends() for agent in agents] == [0, 0]
    printed = [line for agent in agents for line in agent.printed("^test loss .*$")]
    assert printed == re.findall("^ *#> (test loss .*)$", source, re.M) and len(printed) == 4
