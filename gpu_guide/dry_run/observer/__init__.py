"""What watches a script from inside its own process while it runs dry.

A process of a stand-in loads this package when it has imported torch. It imports nothing of
`gpu_guide`, because the script's Python need not have that; beside it lies what computes small
values, `stand_in/cpu_compute.py`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import torch

from . import kernels, optimizers, remedies
from .ledger import Ledger


def install() -> None:
    """Watch this process: every kernel, every optimizer, and what is there when it ends."""
    ledger = Ledger.of_environment()
    optimizers.install(ledger)
    kernels.install(ledger)
    remedies.install(ledger)
    ledger.write_at_exit()
    _watch_compiler(ledger)
    _leave_out_search(ledger)
    _watch_saving(ledger)
    kernels.take_as_finite()
    replicas = torch.nn.parallel.DistributedDataParallel
    # The buckets of gradients are made when a model is wrapped, and again before the second step.
    for name in ("__init__", "_pre_forward"):
        setattr(replicas, name, _as_communication(getattr(replicas, name), ledger))
    replicas._pre_forward = _first(replicas._pre_forward, _let_nccl_forget)


def _watch_compiler(ledger: Ledger) -> None:
    """Take note of `torch.compile`; what Inductor compiled counts as one kernel each time."""
    torch.compile = _first(torch.compile, lambda: setattr(ledger, "compiled", True))
    if os.environ.get("TORCHDYNAMO_DISABLE") == "1":
        return
    from torch._inductor.output_code import CompiledFxGraph

    run = CompiledFxGraph.__call__
    CompiledFxGraph.__call__ = kernels.as_one_kernel(ledger, "compiled", run)


def _leave_out_search(ledger: Ledger) -> None:
    """Take note of `torch.backends.cudnn.benchmark`, and search nothing.

    cuDNN would compile every algorithm for every shape, which takes minutes, and which of them is
    the fastest nobody can say here.
    """
    cudnn = type(torch.backends.cudnn)
    wanted = [torch.backends.cudnn.benchmark]

    def want(search: bool) -> None:
        wanted[0] = search
        ledger.searched |= search

    torch._C._set_cudnn_benchmark(False)
    torch._C._set_cudnn_benchmark = want
    torch._C._get_cudnn_benchmark = lambda: wanted[0]
    cudnn.benchmark = torch.backends.ContextProp(lambda: wanted[0], want)


def _watch_saving(ledger: Ledger) -> None:
    """Take note of each file that torch.save writes: what lies in it was assumed."""
    save = torch.save

    @functools.wraps(save)
    def noted(obj: Any, f: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(f, str | os.PathLike):
            ledger.saved.append((os.fspath(f), ledger.sites.here()))
        save(obj, f, *args, **kwargs)

    torch.save = noted


def _let_nccl_forget() -> None:
    """Wait until NCCL's watchdog has let go of what was sent, as it has after 100 ms: a step on a
    GPU takes longer, but here none does, and replaced buckets would stay for a few steps."""
    group = torch.distributed.group.WORLD
    if group is not None and torch.distributed.get_backend() == "nccl":
        group._wait_for_pending_works()


def _first(function: Callable[..., Any], do: Callable[[], None]) -> Callable[..., Any]:
    @functools.wraps(function)
    def both(*args: Any, **kwargs: Any) -> Any:
        do()
        return function(*args, **kwargs)

    return both


def _as_communication(function: Callable[..., Any], ledger: Ledger) -> Callable[..., Any]:
    @functools.wraps(function)
    def marked(*args: Any, **kwargs: Any) -> Any:
        ledger.doing = "communication"
        try:
            return function(*args, **kwargs)
        finally:
            ledger.doing = None

    return marked
