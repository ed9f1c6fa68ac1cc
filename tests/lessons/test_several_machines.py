"""Job files of multi-gpu/several-machines and fault-tolerance: equal in both languages."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import signal
import subprocess
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpu_guide import ROOT
from gpu_guide.pages.page import parse as parse_page
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.run import with_libraries

PAGES = [
    ROOT / "docs" / lang / "multi-gpu" / f"{name}.md"
    for name in ("several-machines", "fault-tolerance")
    for lang in ("zh", "en")
]
PATIENCE = 30.0
"""Seconds until the shell of the job has to have done what it was asked for."""


def job_file(mark: str) -> str:
    """The fence with `mark` in it, which is the same on both pages."""
    texts = {
        "\n".join(fence.content)
        for page in PAGES
        for fence in parse_page(page).fences
        if mark in "\n".join(fence.content)
    }
    (text,) = texts
    return text


def torchrun_arguments(words: list[str]) -> Any:
    """As torchrun reads them: it refuses an option that it does not know."""
    from torch.distributed.run import parse_args

    return parse_args(words)


# --- Slurm ---------------------------------------------------------------------------------------

needs_bash = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a shell and pipes")


def started(folder: Path) -> subprocess.Popen[str]:
    """The job file, run by bash, with stand-ins for what only a cluster has.

    The training, `srun`, ends once something is written into the pipe `training`.
    """
    os.mkfifo(folder / "training")
    for name, body in {
        "scontrol": 'echo "$*" >> asked\n[ "$1" = show ] && printf "node3\\nnode4\\n"\nexit 0',
        "srun": 'printf "%s\\n" "$@" > words.new\nmv words.new words\nread line < training\n'
        "echo trained >> asked",
    }.items():
        program = folder / name
        program.write_text(f"#!/bin/bash\n{body}\n")
        program.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "SLURM_JOB_NODELIST": "node[3-4]",
        "SLURM_JOB_ID": "4711",
        "SLURM_NNODES": "2",
        "SLURM_CPUS_PER_TASK": "64",
    }
    return subprocess.Popen(
        ["bash", "-c", job_file("#SBATCH")], cwd=folder, env=environment, text=True
    )


def until(there: Path, job: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not there.exists():
        try:
            job.wait(0.01)
        except subprocess.TimeoutExpired:
            assert time.monotonic() < deadline, f"no {there.name}"
        else:
            pytest.fail("the job has ended too early")


def trained(folder: Path, job: subprocess.Popen[str]) -> list[str]:
    """What scontrol was asked for, and when the training ended."""
    (folder / "training").write_text("done\n")
    assert job.wait(PATIENCE) == 0
    return (folder / "asked").read_text().splitlines()


@needs_bash
def test_a_job_whose_time_is_up_saves_and_queues_itself_again(tmp_path) -> None:
    job = started(tmp_path)
    until(tmp_path / "words", job)
    words = (tmp_path / "words").read_text().splitlines()
    arguments = torchrun_arguments(words[words.index("torchrun") + 1 :])
    assert (arguments.nnodes, arguments.rdzv_endpoint) == ("2", "node3:24711")
    assert arguments.training_script == "train.py"
    stop = tmp_path / "stop-4711"
    assert not stop.exists()
    job.send_signal(signal.SIGUSR1)
    until(stop, job)
    assert trained(tmp_path, job)[1:] == ["trained", "requeue 4711"]


@needs_bash
def test_a_job_that_is_done_does_not_come_back(tmp_path) -> None:
    (tmp_path / "stop-4711").touch()  # left by the run before
    job = started(tmp_path)
    until(tmp_path / "words", job)
    assert trained(tmp_path, job) == ["show hostnames node[3-4]", "trained"]


SBATCH = frozenset(
    [
        "job-name",
        "nodes",
        "ntasks-per-node",
        "gpus-per-node",
        "cpus-per-task",
        "time",
        "output",
        "open-mode",
        "requeue",
        "signal",
    ]
)
"""Options of https://slurm.schedmd.com/sbatch.html that the job file uses."""


def test_the_options_of_slurm_stand_above_all_commands() -> None:
    rows = job_file("#SBATCH").splitlines()
    options = [row for row in rows if row.startswith("#SBATCH")]
    assert rows[0] == "#!/bin/bash" and rows[1 : 1 + len(options)] == options
    given = {re.match(r"#SBATCH --([a-z-]+)", row)[1] for row in options}
    assert given == SBATCH
    assert "#SBATCH --signal=B:USR1@600" in options


# --- Kubernetes: both files were read by the models of kubeflow-trainer-api 2.3.0 -----------------


def test_a_jobset_gives_its_first_pod_the_address_that_torchrun_is_told() -> None:
    jobset = yaml.safe_load(job_file("kind: JobSet"))
    assert jobset["apiVersion"] == "jobset.x-k8s.io/v1alpha2"
    spec = jobset["spec"]
    assert set(spec) == {"failurePolicy", "network", "replicatedJobs"}
    assert spec["network"]["enableDNSHostnames"] and spec["failurePolicy"]["maxRestarts"]
    (replicated,) = spec["replicatedJobs"]
    job = replicated["template"]["spec"]
    assert job["completions"] == job["parallelism"] and job["backoffLimit"] == 0
    (container,) = job["template"]["spec"]["containers"]
    words = [w.replace("$(JOB_COMPLETION_INDEX)", "1") for w in container["command"]]
    arguments = torchrun_arguments(words[1:])
    name = jobset["metadata"]["name"]
    assert arguments.master_addr == f"{name}-{replicated['name']}-0-0.{name}"
    assert arguments.nnodes == str(job["completions"]) and arguments.node_rank == 1
    limit = container["resources"]["limits"]["nvidia.com/gpu"]
    assert arguments.nproc_per_node == str(limit)
    mounted = {m["name"]: m["mountPath"] for m in container["volumeMounts"]}
    assert mounted == {"shm": "/dev/shm"}
    (volume,) = job["template"]["spec"]["volumes"]
    assert volume == {"name": "shm", "emptyDir": {"medium": "Memory"}}


def test_a_train_job_leaves_the_machines_to_kubeflow(monkeypatch) -> None:
    job = yaml.safe_load(job_file("kind: TrainJob"))
    assert job["apiVersion"] == "trainer.kubeflow.org/v1alpha1"
    assert job["spec"]["runtimeRef"] == {"name": "torch-distributed"}
    trainer = job["spec"]["trainer"]
    # What Kubeflow passes to torchrun.
    monkeypatch.setenv("PET_NNODES", str(trainer["numNodes"]))
    monkeypatch.setenv("PET_NPROC_PER_NODE", str(trainer["numProcPerNode"]))
    monkeypatch.setenv("PET_MASTER_ADDR", "train-node-0-0.train")
    arguments = torchrun_arguments(trainer["command"][1:])
    assert (arguments.nnodes, arguments.nproc_per_node) == ("2", "8")
    assert arguments.master_addr == "train-node-0-0.train"
    assert trainer["resourcesPerNode"]["limits"]["nvidia.com/gpu"] == trainer["numProcPerNode"]


# --- torchft -------------------------------------------------------------------------------------


def test_a_replica_group_is_one_torchrun_that_other_machines_can_reach() -> None:
    command = job_file("TORCHFT_LIGHTHOUSE=").replace("\\\n", "").replace("$(hostname)", "node1")
    lighthouse, program, *words = shlex.split(command)
    assert lighthouse == "TORCHFT_LIGHTHOUSE=http://node0:29510" and program == "torchrun"
    arguments = torchrun_arguments(words)
    assert (arguments.nnodes, arguments.local_addr) == ("1", "node1")
    assert arguments.max_restarts > 0 and arguments.training_script == "train.py"


@pytest.mark.slow
def test_the_lighthouse_begins_to_listen_with_the_options_of_the_page() -> None:
    try:
        python = with_libraries.find_or_make(HERE)
    except GuideError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"other libraries cannot be installed here: {error}")
    program, *words = shlex.split(job_file("torchft_lighthouse --"))
    help_text = subprocess.check_output([python.parent / program, "--help"], text=True)
    port = re.search(r"Address to bind the server to \[default: .*:(\d+)\]", help_text)[1]
    assert f":{port} torchrun" in job_file("TORCHFT_LIGHTHOUSE=")
    # A port that is free, in place of the one that the page leaves as it is.
    server = subprocess.Popen(
        [python.parent / program, *words, "--bind", "[::]:0"],
        env={**os.environ, "RUST_LOG": "info"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        # Its two threads write: a line of the other may come first.
        assert any("Lighthouse listening on" in line for line in islice(server.stderr, 10))
    finally:
        server.kill()
        server.communicate()


def test_other_lines_that_the_grep_of_the_page_finds_are_skipped(tmp_path, capsys) -> None:
    text = (ROOT / "snippets/multi_gpu/read_nccl_log.py").read_text(encoding="utf-8")
    lines = (
        "node0:812:901 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so\n"
        "node0:812:901 [0] NCCL INFO Channel 00/0 : 1[1] -> 0[0] [receive] via NET/IB/0\n"
    )
    printed = []
    for more in ("", lines):
        path = tmp_path / "x.py"
        path.write_text(text.replace('log = """\n', 'log = """\n' + more), encoding="utf-8")
        runpy.run_path(str(path))
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != ""
