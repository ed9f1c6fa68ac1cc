"""A process that has PyTorch imported and waits for programs to run: `python serve.py`.

Each line of its input is a list of jobs, which run side by side; their results are written to the
files that the jobs name, and a line is printed when all are there. Where processes can be forked,
every job is a fork; elsewhere a process does one job and ends, and whoever asks starts the next one
beforehand.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[2]
FORKS = hasattr(os, "fork")
_STILL = 0.2
"""Seconds between two looks at whether a program still waits."""


def main() -> None:
    """Serve until the input ends."""
    _import()
    answers = os.fdopen(os.dup(1), "w")  # what a job prints must not come in between
    for line in sys.stdin:
        jobs = json.loads(line)
        if FORKS:
            for child in [_forked(job) for job in jobs]:
                os.waitpid(child, 0)
        else:
            _do(jobs[0])
        print("done", file=answers, flush=True)
        if not FORKS:
            break


def _import() -> None:
    """Find the package by its place: on `sys.path` this Python would find other packages, too."""
    spec = spec_from_file_location(
        _PACKAGE.name, _PACKAGE / "__init__.py", submodule_search_locations=[str(_PACKAGE)]
    )
    package = sys.modules[_PACKAGE.name] = module_from_spec(spec)
    spec.loader.exec_module(package)
    import_module("gpu_guide.exercises.observer.program")  # and with it PyTorch


def _forked(job: dict[str, Any]) -> int:
    child = os.fork()
    if not child:
        try:
            _do(job)
        finally:
            os._exit(0)
    return child


def _do(job: dict[str, Any]) -> None:
    """Run one job. What it prints goes nowhere; what is wrong with its check, into its result."""
    import torch

    from gpu_guide.exercises.observer.program import Ran, observe

    with open(os.devnull, "r+b") as nothing:
        for stream in (0, 1, 2):
            os.dup2(nothing.fileno(), stream)
    os.environ.update(job["environment"])
    result = Path(job["result"])
    os.chdir(result.parent)  # what a program writes goes with the run
    ran = Ran(Path(job["program"]), job["gpus"], job["rank"], job["ranks"], result)
    simulated = not (job["memory"] and torch.cuda.is_available())
    threading.Thread(target=_watch, args=(ran, job["seconds"], job["grace"]), daemon=True).start()
    store = None
    try:
        store = _meeting_place(ran) if ran.ranks > 1 else None
        found = observe(ran, Path(job["check"]), simulated)
    except BaseException as error:
        found = {"broken_check": f"{type(error).__name__}: {error}"}
    _write(result, found)
    del store  # it has served until now


def _meeting_place(ran: Any) -> Any:
    """Where processes meet: a store of rank 0 that has picked its port, and that
    `init_process_group` finds there. A port that is free now and taken later may be another's by
    then."""
    from torch import distributed

    said = distributed.FileStore(str(ran.result.with_name("port")), ran.ranks)
    store = None
    if not ran.rank:
        libuv = sys.platform != "win32"  # PyTorch is built without it there
        store = distributed.TCPStore(
            "127.0.0.1",
            0,
            is_master=True,
            wait_for_workers=False,
            multi_tenant=True,  # what asks for this port gets this server
            use_libuv=libuv,
        )
        said.set("port", str(store.port))
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", said.get("port").decode()
    return store


def _watch(ran: Any, seconds: float, grace: float) -> None:
    """End a program that waits in vain: for long, or for a process that has ended."""
    main = threading.main_thread().ident
    while seconds > 0:
        time.sleep(_STILL)
        seconds -= _STILL
        if any(other.exists() for other in ran.others(".json" if ran.ended else ".ended")):
            seconds = min(seconds, grace)
    frame = sys._current_frames()[main]
    while frame is not None and frame.f_code.co_filename != str(ran.path):
        frame = frame.f_back
    line = frame.f_lineno if frame else 0
    told = {} if ran.ended else {"rank": str(ran.rank), "line": str(line)}
    _write(ran.result, {"key": "hangs" if told else "", "values": told, "output": []})
    os._exit(1)


def _write(result: Path, found: dict[str, Any]) -> None:
    """Whole or not at all: whoever looks may look in between."""
    partial = result.with_suffix(".part")
    partial.write_text(json.dumps(found), encoding="utf-8")
    partial.replace(result)


if __name__ == "__main__":
    main()
