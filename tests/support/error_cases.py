"""What raises the messages of data/errors for real, without a GPU: `python error_cases.py CPU`.

Each table has calls by the id of the message. `CPU` needs a CPU-only build, `STAND_IN` the CUDA
build on two stand-in GPUs, and `FAULTS` a broken one, by the fault that breaks it. A table is run
in a process of its own, which prints a line of JSON for each call: the id, and everything that
was said. What records/broken holds is raised by tests/stand_in/test_symptoms.py.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import error_calls_of_gpus
import error_calls_of_groups
import error_calls_of_processes
import error_calls_of_tensors

HERE_OR_NOT = ("libcuda-missing", "libcudart-missing", "libcudnn-missing")
"""Those whose library this machine may have."""

CPU: Mapping[str, Callable[[Path], object]] = {
    **error_calls_of_processes.CPU,  # first, as a fork goes wrong once PyTorch has threads
    **error_calls_of_tensors.CPU,
    **error_calls_of_groups.CPU,
}
STAND_IN = error_calls_of_gpus.STAND_IN
FAULTS = error_calls_of_gpus.FAULTS


def said(call: Callable[[Path], object]) -> str:
    """What the call writes, warns of and raises, with what led to it."""
    sys.stderr.flush()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as written:
        kept = os.dup(1), os.dup(2)
        os.dup2(written.fileno(), 1)
        os.dup2(written.fileno(), 2)
        try:
            call(Path(folder))
        except (Exception, SystemExit):
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, old in zip((1, 2), kept, strict=True):
                os.dup2(old, number)
                os.close(old)
        written.seek(0)
        return written.read()


def main(table: str, *ids: str) -> None:
    """Make the calls of a table, or those of the `ids` in it."""
    warnings.simplefilter("always")
    logging.basicConfig()
    for id, call in globals()[table].items():
        if not ids or id in ids:
            print(json.dumps([id, said(call if callable(call) else call[1])]), flush=True)
    os._exit(0)  # without the ends of what is KEPT


if __name__ == "__main__":
    main(*sys.argv[1:])
