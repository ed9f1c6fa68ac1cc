"""Answers of `torch.cuda`, `torch.accelerator` and a few other names for simulated devices."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from gpu_guide.simulate import calls, patched_types, unsupported
from gpu_guide.simulate.machine import NO_CALL, Machine, RealDevice
from gpu_guide.simulate.unsupported import Patch

_REAL_CODE = """
    device device_of cudaStatus classproperty manual_seed manual_seed_all seed seed_all initial_seed
    get_rng_state get_rng_state_all set_rng_state set_rng_state_all
"""
"""Names of torch.cuda whose own Python code is right on top of the answers below."""


def patches(machine: Machine) -> Iterator[Patch]:
    """Everything that the simulation replaces, refusals among it."""
    cuda = cuda_answers(machine)
    accelerator = accelerator_answers(machine)
    real_of = {id(getattr(torch.cuda, name)): name for name in cuda if hasattr(torch.cuda, name)}
    for name, answer in cuda.items():
        if hasattr(torch.cuda, name):
            yield torch.cuda, name, answer
    for module_name, module in list(sys.modules.items()):
        if not module_name.startswith("torch.cuda.") or module is None:
            continue
        kept = {*_REAL_CODE.split(), *cuda}
        for name, value in list(vars(module).items()):
            if id(value) in real_of:
                kept.add(name)
                yield module, name, cuda[real_of[id(value)]]
        if not module_name.startswith(("torch.cuda.amp", "torch.cuda._")):
            yield from unsupported.of_module(module, kept)
    yield from unsupported.of_module(torch.cuda, {*_REAL_CODE.split(), *cuda})
    for name, answer in accelerator.items():
        if hasattr(torch.accelerator, name):
            yield torch.accelerator, name, answer
    yield from unsupported.of_module(torch.accelerator, accelerator.keys())
    yield from unsupported.of_names()
    yield from unsupported.for_cuda_only()
    yield from unsupported.for_decorators()
    yield from patched_types.patches(machine)
    yield from _storages(machine)
    yield from _internals(machine)


def cuda_answers(machine: Machine) -> dict[str, Any]:
    """The functions of torch.cuda that simulated devices can answer."""

    def is_available() -> bool:
        machine.check_visible_devices()
        return True

    def device_count() -> int:
        machine.check_visible_devices()
        return machine.devices

    def current_device() -> int:
        machine.initialize()
        return machine.thread.current

    def set_device(device: Any) -> None:
        # Stricter than the others: neither None nor a device without a number.
        machine.exchange(torch.cuda._get_device_index(device))

    def synchronize(device: Any = None) -> None:
        _cuda_index(machine, device)

    def get_device_name(device: Any = None) -> str:
        index = torch.cuda._get_device_index(device, optional=True)
        if not 0 <= index < machine.devices:
            raise AssertionError("Invalid device id")
        return f"simulated CUDA device {index} (no GPU)"

    return {
        "is_available": is_available,
        "device_count": device_count,
        "current_device": current_device,
        "set_device": set_device,
        "synchronize": synchronize,
        "get_device_name": get_device_name,
        "is_initialized": lambda: machine.initialized,
        "init": machine.initialize,
        "empty_cache": lambda: None,
        "is_current_stream_capturing": lambda: False,
        "_is_in_bad_fork": lambda: False,
        "_lazy_init": machine.initialize,
        "_lazy_call": lambda callback, **kwargs: callback(),
        "_exchange_device": machine.exchange,
        "_maybe_exchange_device": machine.exchange,
    }


def accelerator_answers(machine: Machine) -> dict[str, Any]:
    """The functions of torch.accelerator that simulated devices can answer."""
    cuda = cuda_answers(machine)

    def current_accelerator(check_available: bool = False) -> torch.device:
        machine.check_visible_devices()
        return RealDevice("cuda")

    class device_index:
        """Makes a device the current one for the duration of the context; None does nothing."""

        def __init__(self, device: int | None, /) -> None:
            self.idx = device
            self.prev_idx = -1

        def __enter__(self) -> None:
            if self.idx is not None:
                self.prev_idx = machine.exchange(self.idx)

        def __exit__(self, *exception: object) -> None:
            if self.idx is not None:
                machine.exchange(self.prev_idx)

    return {
        "is_available": cuda["is_available"],
        "device_count": cuda["device_count"],
        "current_accelerator": current_accelerator,
        "current_device_index": cuda["current_device"],
        "current_device_idx": cuda["current_device"],
        "set_device_index": cuda["set_device"],
        "set_device_idx": cuda["set_device"],
        "synchronize": cuda["synchronize"],
        "empty_cache": cuda["empty_cache"],
        "device_index": device_index,
    }


def _cuda_index(machine: Machine, device: Any) -> int:
    """The index that a device argument of torch.cuda names; negative means none, as there."""
    if device is None:
        machine.initialize()
        return machine.thread.current
    if isinstance(device, int) and device < 0:
        return device
    resolved = machine.resolve(device)
    if resolved.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    return resolved.index


def _storages(machine: Machine) -> Iterator[Patch]:
    """Where a storage is, and its copies: what saving and loading go by."""
    storage_type = torch.UntypedStorage
    real_device = torch._C.StorageBase.device.__get__
    real_to = storage_type.to

    def device(storage: torch.UntypedStorage) -> torch.device:
        place = None if machine.thread.real_storages else machine.place_of(storage)
        return place or real_device(storage)

    def to(storage: torch.UntypedStorage, *, device: Any, non_blocking: bool = False) -> Any:
        wanted = machine.resolve(device)
        if wanted.type != "cuda":
            return real_to(storage, device=device, non_blocking=non_blocking)
        if machine.place_of(storage) == wanted:
            return storage
        with machine.real_storages():
            copied = storage.clone()
        machine.put_storage(copied, wanted)
        return copied

    def cuda(storage: Any, device: Any = None, non_blocking: bool = False) -> Any:
        return to(storage, device="cuda" if device is None else device)

    yield storage_type, "device", property(device)
    yield storage_type, "to", to
    yield storage_type, "cuda", cuda
    yield storage_type, "is_pinned", lambda storage, device=None: machine.is_pinned(storage)


def _internals(machine: Machine) -> Iterator[Patch]:
    """Where PyTorch's own Python asks C++ for what only labels know."""
    run_backward = torch.autograd._engine_run_backward

    def labelled_backward(outputs: Any, gradients: Any, *args: Any, **kwargs: Any) -> Any:
        for output, gradient in zip(outputs, gradients, strict=False):
            if not (isinstance(output, torch.Tensor) and isinstance(gradient, torch.Tensor)):
                continue
            if gradient.dim() and not torch._C._functorch.is_legacy_batchedtensor(gradient):
                expected, got = machine.device_of(output), machine.device_of(gradient)
                if expected != got:
                    raise RuntimeError(f"expected device {expected} but got {got}")
        with calls.Calls(machine), machine.call(calls.ENGINE):
            return run_backward(outputs, gradients, *args, **kwargs)

    hooks = torch.autograd.graph.saved_tensors_hooks
    init_hooks = hooks.__init__

    def init_labelled_hooks(self: Any, pack: Callable[..., Any], unpack: Any) -> None:
        init_hooks(self, _user_code(machine, pack), _user_code(machine, unpack))

    parse_to = torch._C._nn._parse_to

    def parse(*args: Any, **kwargs: Any) -> Any:
        # Not a call with a device argument, but one about it: `Calls` would take the device away.
        with torch._C.DisableTorchFunction():
            device, *rest = parse_to(
                *(RealDevice("cuda", a) if type(a) is int else a for a in args),
                **{k: RealDevice("cuda", v) if type(v) is int else v for k, v in kwargs.items()},
            )
        for value in (*args, *kwargs.values()):
            if isinstance(value, torch.Tensor):  # module.to(tensor): to where that one lives
                device = machine.device_of(value)
        return device, *rest

    start = threading.Thread.start

    def start_labelled(thread: threading.Thread) -> None:
        run = thread.run

        def labelled_run() -> None:
            with calls.labelled(machine):
                run()

        thread.run = labelled_run
        start(thread)

    yield torch.autograd, "_engine_run_backward", labelled_backward
    yield hooks, "__init__", init_labelled_hooks
    yield torch._C._nn, "_parse_to", parse
    yield torch._C, "_group_tensors_by_device_and_dtype", _grouping(machine)
    yield threading.Thread, "start", start_labelled
    yield torch.backends.cudnn, "is_acceptable", lambda tensor: False
    for name in ("_accelerator_graph_capture_health_check", "_cuda_graph_capture_health_check"):
        if hasattr(torch.optim.Optimizer, name):
            yield torch.optim.Optimizer, name, lambda optimizer: None


def _user_code(machine: Machine, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the user's that PyTorch calls in the middle of its own work."""

    def labelled_function(*args: Any) -> Any:
        with calls.Calls(machine), machine.call(NO_CALL):
            return function(*args)

    return labelled_function


def _grouping(machine: Machine) -> Callable[..., dict]:
    """How the optimizers sort their tensors by device before they work on lists."""

    def group(lists: Sequence[Sequence[Any]], with_indices: bool = False) -> dict:
        groups: dict[Any, Any] = {}
        for index, first in enumerate(lists[0]):
            key = (first.device, first.dtype)
            rows, indices = groups.setdefault(key, ([[] for _ in lists], []))
            for row, values in zip(rows, lists, strict=True):
                if values:
                    row.append(values[index])
            if with_indices:
                indices.append(index)
        return groups

    return group
