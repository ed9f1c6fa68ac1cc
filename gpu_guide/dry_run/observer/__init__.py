"""What watches a script from inside its own process while it runs dry.

A process of a stand-in loads this package when it has imported torch. It imports nothing of
`gpu_guide`, because the script's Python need not have that; beside it lies what computes small
values, `stand_in/cpu_compute.py`.
"""

from __future__ import annotations

from typing import Any

import torch

from . import kernels, optimizers
from .ledger import Ledger


def install() -> None:
    """Watch this process: every kernel, every optimizer, and what is there when it ends."""
    ledger = Ledger.of_environment()
    optimizers.install(ledger)
    kernels.install(ledger)
    ledger.write_at_exit()
    compile = torch.compile

    def noted(*args: Any, **kwargs: Any) -> Any:
        ledger.compiled = True
        return compile(*args, **kwargs)

    torch.compile = noted
