"""What the page on torchrun says about launching: for real, on loopback, with time limits."""

from __future__ import annotations

import os
import re
import signal

import pytest
from exit_early import AT_ONCE
from free_port import free_port
from torchrun_agents import of_launching, two_machines

from gpu_guide.project import HERE

pytestmark = of_launching

WAITS_FOR_A_FILE = """import os, time

print("up", flush=True)
while not os.path.exists("go-on"):
    time.sleep(0.05)
"""


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


def test_without_a_port_two_jobs_run_on_one_machine(launch, tmp_path):
    """Neither has --standalone: torchrun takes a free port of its own accord."""
    script = tmp_path / "waits.py"
    script.write_text("import signal\nprint('begun', flush=True)\nsignal.pause()\n")
    jobs = [launch(name, "--nproc-per-node=1", str(script)) for name in ("first", "second")]
    for job in jobs:
        job.until(lambda job=job: job.printed("^begun$") == ["begun"])
    assert all(job.process.is_alive() for job in jobs)


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


def test_the_growing_script_trains_the_same_on_two_machines(launch, tmp_path):
    """As the page on several machines has it tried out: two agents on this one."""
    source = (HERE.snippets / "multi_gpu/train_with_ddp.py").read_text(encoding="utf-8")
    script = tmp_path / "train.py"
    script.write_text(source + AT_ONCE, encoding="utf-8")
    agents = two_machines(launch, str(script))
    assert [agent.ends() for agent in agents] == [0, 0]
    printed = [line for agent in agents for line in agent.printed("^test loss .*$")]
    assert printed == re.findall("^ *#> (test loss .*)$", source, re.M) and len(printed) == 4
