"""The job files of Slurm and Kubernetes, and the options that the pages give torchrun."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess

import pytest
import yaml

from gpu_guide import ROOT
from gpu_guide.pages.page import parse as parse_page

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
