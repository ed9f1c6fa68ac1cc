"""Steps of optimizers: where gradients and states are marked, and a script has run long enough."""

from __future__ import annotations

from typing import Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from .ledger import Ledger


class EnoughSteps(SystemExit):
    """Ends a script from within, in good order: as many steps as wanted are done."""


def install(ledger: Ledger) -> None:
    """Watch the steps of every optimizer."""
    last: list[Any] = []

    def before(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            for weight in group["params"]:
                ledger.mark("weights", weight)
                ledger.mark("gradients", weight.grad)
        ledger.doing = "optimizer"

    def after(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        ledger.doing = None
        ledger.mark_optimizer(optimizer)
        if not last:
            last.append(id(optimizer))
        # A script with several optimizers has made a step when the first one has made its own.
        if id(optimizer) == last[0] and ledger.end_step():
            ledger.stopped = True
            raise EnoughSteps(0)

    register_optimizer_step_pre_hook(before)
    register_optimizer_step_post_hook(after)
