"""Names that simulated devices do not support: each raises NotSimulated, by kind and by list.

In `torch.cuda` and `torch.accelerator` the rule is the other way round: what `answers` does not
answer is refused, so that a function that a later PyTorch adds is refused as well.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Collection, Iterator
from types import FunctionType, ModuleType
from typing import Any, ClassVar, NoReturn

import torch
import torch.cuda.comm  # loaded late by PyTorch, too late to be refused

from gpu_guide.simulate.machine import needs_gpu

Patch = tuple[Any, str, Any]
"""Object, name of an attribute, and its value during the simulation."""


def refusal(what: str) -> Callable[..., NoReturn]:
    """A function that refuses whatever it is called with."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise needs_gpu(what)

    return refuse


class _RefusingType(type):
    """A class that nothing is an instance of and that cannot be instantiated."""

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise needs_gpu(cls.__qualname__)

    def __instancecheck__(cls, instance: object) -> bool:
        if cls.__qualname__.endswith("Storage"):
            raise needs_gpu(f"isinstance(..., {cls.__qualname__})")
        dtype = vars(cls).get("dtype")
        return isinstance(instance, torch.Tensor) and instance.is_cuda and instance.dtype == dtype


def stand_in(value: Any, what: str) -> Any:
    """What refuses in the place of a class or a function."""
    if isinstance(value, type) or type(value).__name__ == "tensortype":
        names = {"__qualname__": what, "__module__": "torch"}
        if type(value).__name__ == "tensortype":
            # torch.cuda.FloatTensor: what is one can be told, none is made. A storage has a dtype,
            # too, but warns whoever asks for it.
            names["dtype"] = value.dtype
        return _RefusingType(what, (), names)
    return refusal(what)


def of_module(module: ModuleType, answered: Collection[str]) -> Iterator[Patch]:
    """Patches that refuse every public callable of a module but the names in `answered`."""
    home = module.__name__.split(".")[:2]
    for name, value in list(vars(module).items()):
        if name.startswith("_") or name in answered or not callable(value):
            continue
        if isinstance(value, type) and issubclass(value, BaseException):
            continue
        legacy = name.endswith(("Tensor", "Storage")) and name != "Storage"
        theirs = (getattr(value, "__module__", None) or "").split(".")[:2] == home
        if theirs or legacy:
            yield module, name, stand_in(value, f"{module.__name__}.{name}")


_COMMUNICATION = "broadcast broadcast_coalesced reduce_add reduce_add_coalesced scatter gather"
_NAMES: dict[str, str] = {
    "torch.cuda.memory": "_record_memory_history _dump_snapshot _snapshot",
    "torch": "Stream Event cond",
    "torch.func": "linearize functionalize",
    "torch.jit": "trace trace_module freeze",
    "torch.export": "export",
    "torch.nn.parallel": "data_parallel replicate scatter gather parallel_apply",
    "torch.nn.parallel.comm": _COMMUNICATION,
    "torch.cuda.comm": _COMMUNICATION,
    "torch.nested": "nested_tensor as_nested_tensor nested_tensor_from_jagged narrow",
    "torch.nn.DataParallel": "__init__",
    "torch.nn.parallel.DistributedDataParallel": "__init__",
    "torch.distributed": "init_process_group init_device_mesh",
    "torch.multiprocessing": "spawn",
    "torch.profiler": "profile",
    "torch.autograd.profiler": "profile emit_nvtx",
}


def of_names() -> Iterator[Patch]:
    """Patches that refuse the names of a list, where this PyTorch has them."""
    for path, names in _NAMES.items():
        try:
            owner = _find(path)
        except AttributeError:
            continue
        for name in names.split():
            if inspect.getattr_static(owner, name, None) is not None:
                yield owner, name, stand_in(getattr(owner, name), f"{path}.{name}")


def _find(path: str) -> Any:
    if path in sys.modules:
        return sys.modules[path]
    owner: Any = torch
    for part in path.split(".")[1:]:
        owner = getattr(owner, part)
    return owner


def for_cuda_only() -> Iterator[Patch]:
    """Patches for what is refused only when it is asked of CUDA."""
    autocast, scaler = torch.amp.autocast, torch.amp.GradScaler
    enter, init = autocast.__enter__, scaler.__init__

    def enter_autocast(context: Any) -> Any:
        if context.device == "cuda" and context._enabled:
            raise needs_gpu("torch.autocast('cuda')")
        return enter(context)

    def init_scaler(self: Any, device: str = "cuda", *args: Any, **kwargs: Any) -> None:
        if str(device).startswith("cuda") and kwargs.get("enabled", True):
            raise needs_gpu("torch.amp.GradScaler('cuda')")
        init(self, device, *args, **kwargs)

    set_type = torch.set_default_tensor_type

    def set_default_tensor_type(kind: Any, /) -> None:
        if "cuda" in getattr(kind, "__qualname__", str(kind)):
            raise needs_gpu(f"torch.set_default_tensor_type({kind!r})")
        set_type(kind)

    yield autocast, "__enter__", enter_autocast
    yield scaler, "__init__", init_scaler
    yield torch, "set_default_tensor_type", set_default_tensor_type


class _Scripted:
    """A function for TorchScript, run as the Python that it is: its tensors live on the same
    devices. What else is asked of it, such as its graph, is refused."""

    def __init__(self, function: FunctionType) -> None:
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise needs_gpu(f"torch.jit.script(...).{name}")


class _Compiled(torch.nn.Module):
    """A module that was to be compiled: until it is called, it is the one it was made from."""

    forward = refusal("torch.compile")

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        self._orig_mod = module

    def __getattr__(self, name: str) -> Any:
        own = name == "_orig_mod" or name in vars(self)
        return super().__getattr__(name) if own else getattr(self._orig_mod, name)


def for_decorators() -> Iterator[Patch]:
    """Patches for what stands above functions in a module that is imported: no code runs yet."""

    real_script = torch.jit.script

    def script(function: Any, *args: Any, **kwargs: Any) -> Any:
        code = isinstance(function, (FunctionType, type))
        if code and (function.__module__ or "").startswith("torch."):
            # PyTorch's own, as it is imported; names are looked up in the frame of the caller.
            return real_script(function, *args, **{"_frames_up": 1, **kwargs})
        if not isinstance(function, FunctionType):
            raise needs_gpu("torch.jit.script")
        return _Scripted(function)

    def compile(model: Any = None, **kwargs: Any) -> Any:
        if model is None:
            return compile
        if isinstance(model, torch.nn.Module):
            return _Compiled(model)
        return functools.wraps(model)(refusal("torch.compile"))

    yield torch.jit, "script", script
    yield torch, "compile", compile


class RefusingModule(ModuleType):
    """Stands where a module would be imported that cannot be used."""

    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise needs_gpu(f"{self.__name__}.{name}")
