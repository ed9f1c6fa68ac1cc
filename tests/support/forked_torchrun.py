"""torchrun as tests start it: its own `main`, in a process that has torch imported.

A new interpreter would be two seconds slower each time. The workers are new ones, as ever.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence


def torchrun(
    arguments: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    out: str,
    ignored: Sequence[int] = (),
) -> None:
    """Entry point of the process: works in `folder`, writes to the file `out`.

    `ignored` are signals that it ignores to begin with, as what nohup starts does.
    """
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    written = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(written, stream.fileno())
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)

    from torch.distributed.run import main

    main(arguments)
