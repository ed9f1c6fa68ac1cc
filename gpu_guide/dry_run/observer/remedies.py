"""What may help, tried on a script that does not know: as its author would write it."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from .ledger import Ledger

TRY = "GPU_GUIDE_DRY_RUN_TRY"
"""The variable that names one: foreach, checkpointing, or the dtype of an autocast."""
_CHOICE = "_default_to_fused_or_foreach"


def install(ledger: Ledger) -> None:
    """Apply the remedy that the environment names."""
    match os.environ.get(TRY):
        case None:
            return
        case "foreach":
            _from_weight_to_weight()
        case "checkpointing":
            ledger.applied = False
            register_module_forward_pre_hook(_Checkpointing(ledger))
        case dtype:
            _autocast(getattr(torch, dtype))


def _from_weight_to_weight() -> None:
    """foreach=False, where an optimizer is not asked for either way."""
    for name, module in list(sys.modules.items()):
        if name.startswith("torch.optim.") and hasattr(module, _CHOICE):
            setattr(module, _CHOICE, lambda *_, **__: (False, False))


def _autocast(dtype: torch.dtype) -> None:
    """Autocast around everything but the optimizers: the copies of weights that it keeps go where
    the forward pass ends, as they do at the end of a `with`."""
    torch.set_autocast_dtype("cuda", dtype)
    torch.set_autocast_enabled("cuda", True)

    def turn(on: bool) -> Callable[..., None]:
        return lambda *_: torch.set_autocast_enabled("cuda", on)

    register_optimizer_step_pre_hook(turn(False))
    register_optimizer_step_post_hook(turn(True))
    backward = torch.autograd.backward

    @functools.wraps(backward)
    def forgetting(*args: Any, **kwargs: Any) -> None:
        torch.clear_autocast_cache()
        backward(*args, **kwargs)

    torch.autograd.backward = forgetting


class _Checkpointing:
    """Checkpoints each block of a model: what a list of modules holds several of, or what the
    model's own switch chooses."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._seen: set[int] = set()

    def __call__(self, module: nn.Module, _: Any) -> None:
        if id(module) in self._seen:
            return
        self._seen.update(map(id, module.modules()))
        self._look(module)

    def _look(self, module: nn.Module) -> None:
        if getattr(module, "supports_gradient_checkpointing", False) and hasattr(
            module, "gradient_checkpointing_enable"
        ):
            module.gradient_checkpointing_enable()
            self.ledger.applied = True
            return
        children = list(module.children())
        listed = isinstance(module, nn.ModuleList | nn.Sequential)
        for child in children:
            alike = sum(type(other) is type(child) for other in children)
            if listed and alike > 1 and any(True for _ in child.children()):
                child.forward = _checkpointed(child.forward)
                self.ledger.applied = True
            else:
                self._look(child)


def _checkpointed(forward: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(forward)
    def again_in_backward(*args: Any, **kwargs: Any) -> Any:
        if not torch.is_grad_enabled():
            return forward(*args, **kwargs)
        checkpoint = torch.utils.checkpoint.checkpoint
        return checkpoint(forward, *args, use_reentrant=False, **kwargs)

    return again_in_backward
