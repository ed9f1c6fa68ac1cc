"""Steps: where gradients and states are marked, and where a script has run long enough."""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from .ledger import Ledger


class EnoughSteps(BaseException):
    """Ends a script from within: as many steps as wanted are done. No `except Exception` keeps it."""


def install(ledger: Ledger) -> None:
    """Watch the steps of every optimizer."""
    last: list[Any] = []

    def before(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            for weight in group["params"]:
                ledger.mark("weights", weight)
                ledger.mark("gradients", weight.grad)
        ledger.in_optimizer = True

    def after(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        ledger.in_optimizer = False
        ledger.mark_optimizer(optimizer)
        if not last:
            last.append(id(optimizer))
        # A script with several optimizers has made a step when the first one has made its own.
        if id(optimizer) == last[0] and ledger.end_step():
            ledger.stopped = True
            raise EnoughSteps

    register_optimizer_step_pre_hook(before)
    register_optimizer_step_post_hook(after)
    shown = sys.excepthook

    def quiet(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        if not issubclass(kind, EnoughSteps):
            shown(kind, error, trace)

    sys.excepthook = quiet
