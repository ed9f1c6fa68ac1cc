"""Between user code and PyTorch's API: device arguments, `.device`, gradients, printing.

A `TorchFunctionMode` sees every call of PyTorch's API. `HANDLERS` holds those that need more than
to be carried out on the CPU; functions with a device argument go to `_create`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack
from torch.utils import _device as default_device
from torch.utils._pytree import tree_leaves

from gpu_guide.simulate import rules, transfers
from gpu_guide.simulate.machine import CPU, Frame, Machine, needs_gpu
from gpu_guide.simulate.operators import Operators
from gpu_guide.simulate.transfers import Handler

Tensor = torch.Tensor
ENGINE = Frame(ambient=lambda: CPU, lenient=True)
_FROM_DATA = (torch.tensor, torch.as_tensor, torch.asarray)


@contextlib.contextmanager
def labelled(machine: Machine) -> Iterator[None]:
    """Carry labels in this thread while it lasts."""
    with Operators(machine), Calls(machine):
        yield


class Calls(TorchFunctionMode):
    """Gives PyTorch's API its device arguments back as labels, and answers where a tensor is."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = dict(kwargs or {})
        handler = HANDLERS.get(func)
        if handler is not None:
            return handler(self.machine, func, args, kwargs)
        if kwargs.get("device") is not None or func in default_device._device_constructors():
            return _create(self.machine, func, args, kwargs)
        generator = kwargs.get("generator")
        if generator is not None:
            _check_generator(generator, _home(self.machine, args, kwargs))
        if torch.is_grad_enabled():
            self._return_gradients_of_cpu_scalars(args, kwargs)
        with self.machine.call(Frame(partial(_home, self.machine, args, kwargs))):
            return func(*args, **kwargs)

    def _return_gradients_of_cpu_scalars(self, args: tuple, kwargs: dict[str, Any]) -> None:
        """A CPU tensor without dimensions among CUDA tensors gets its gradient on the CPU."""
        for value in args:
            if (
                isinstance(value, Tensor)
                and value.requires_grad
                and value.dim() == 0
                and self.machine.device_of(value) == CPU
                and _home(self.machine, args, kwargs) != CPU
            ):
                value.register_hook(partial(transfers.gradient_to, self.machine, CPU))


def _home(machine: Machine, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """Where the arguments of a call live: the first CUDA device among them, else the CPU."""
    for leaf in tree_leaves((args, kwargs)):
        if isinstance(leaf, Tensor) and (device := machine.device_of(leaf)).type == "cuda":
            return device
    return CPU


def _check_generator(generator: torch.Generator, device: torch.device) -> None:
    if generator.device.type != device.type:
        raise RuntimeError(
            f"Expected a '{device.type}' device type for generator but found "
            f"'{generator.device.type}'"
        )


def _create(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """A function with a device argument, given or by default: run it on the CPU, then label."""
    wanted = kwargs.get("device")
    if wanted is None:
        wanted = _default_for(machine, func, args)
    device = machine.resolve(wanted)
    if device.type not in ("cpu", "cuda"):
        return func(*args, **kwargs)
    if kwargs.get("generator") is not None:
        _check_generator(kwargs["generator"], device)
    pinned = bool(kwargs.pop("pin_memory", False))
    if pinned and device != CPU:
        raise RuntimeError("Only dense CPU tensors can be pinned")
    source = args[0] if args else None
    if func in _FROM_DATA[1:] and isinstance(source, Tensor):
        source = transfers.move(machine, source, device)
        args = (source, *args[1:])
    kwargs["device"] = CPU
    with machine.call(Frame(ambient=lambda: device)):
        out = func(*args, **kwargs)
        if func in _FROM_DATA and device != CPU and not isinstance(source, Tensor):
            # What shares memory with a NumPy array on the CPU is a copy on a GPU.
            out = out.detach().clone().requires_grad_(out.requires_grad)
    for tensor in tree_leaves(out):
        if isinstance(tensor, Tensor):
            machine.put(tensor, device)
            if pinned:
                machine.pin(tensor.untyped_storage())
    return out


def _default_for(machine: Machine, func: Callable[..., Any], args: tuple) -> torch.device:
    for mode in _get_current_function_mode_stack():
        if isinstance(mode, default_device.DeviceContext):
            return mode.device
    if func in _FROM_DATA and args and isinstance(args[0], Tensor):
        return machine.device_of(args[0])
    return CPU


def _represent(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> str:
    with Calls(machine):
        return torch._tensor_str._str(args[0], tensor_contents=kwargs.get("tensor_contents"))


def _format(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> str:
    if args[0].dim() == 0:
        return func(*args, **kwargs)
    return format(_represent(machine, func, args, {}), *args[1:])


def _deepcopy(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Tensor:
    with machine.real_storages():
        out = func(*args, **kwargs)
    return machine.put(out, machine.device_of(args[0]))


def _numpy(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    device = machine.device_of(args[0])
    if device.type == "cuda" and not kwargs.get("force"):
        raise TypeError(
            f"can't convert {device} device type tensor to numpy. Use Tensor.cpu() to copy the "
            "tensor to host memory first."
        )
    return func(*args, **kwargs)


def _type(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    wanted = args[1] if len(args) > 1 else kwargs.get("dtype")
    if wanted is None:
        return rules.type_name(args[0], machine.device_of(args[0]))
    cuda = machine.device_of(args[0]).type == "cuda" or str(wanted).startswith("torch.cuda")
    if cuda and not isinstance(wanted, torch.dtype):
        raise needs_gpu(f"Tensor.type({wanted!r})")
    return func(*args, **kwargs)


def _gradient(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    gradient = func(*args)
    if gradient is not None:
        device = machine.device_of(args[0])
        if machine.device_of(gradient) != device:
            machine.put(gradient, device)
    return gradient


def _set_gradient(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> None:
    tensor, gradient = args
    if gradient is not None and machine.device_of(gradient) != machine.device_of(tensor):
        raise RuntimeError("assigned grad has data located on a different device")
    func(*args)


def _gradients(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """`torch.autograd.grad`: each gradient lives with its input."""
    found = func(*args, **kwargs)
    inputs = args[1] if len(args) > 1 else kwargs["inputs"]
    for gradient, tensor in zip(found, tree_leaves(inputs), strict=False):
        if gradient is not None:
            machine.put(gradient, machine.device_of(tensor))
    return found


def _item(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """Of an index that is `True` or one such tensor, a new one is made where the tensor lives."""
    with machine.call(Frame(ambient=lambda: machine.device_of(args[0]))):
        return func(*args, **kwargs)


def _set_item(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """Indices are brought to the tensor that is written, whichever operator then writes it."""
    tensor, index, value = args
    device = machine.device_of(tensor)

    def here(one: Any) -> Any:
        moves_along = isinstance(one, Tensor) and one.dim() and one.dtype is not torch.bool
        return transfers.move(machine, one, device) if moves_along else one

    index = tuple(map(here, index)) if isinstance(index, tuple) else here(index)
    return _item(machine, func, (tensor, index, value), kwargs)


def _hook(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    tensor, hook = args
    device = machine.device_of(tensor)
    return func(tensor, lambda gradient: hook(machine.put(gradient, device)))


def _pin(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Tensor:
    tensor = args[0]
    device = machine.device_of(tensor)
    if device != CPU:
        name = rules.type_name(tensor, device)
        raise RuntimeError(f"cannot pin '{name}' only dense CPU tensors can be pinned")
    if machine.is_pinned(tensor.untyped_storage()):
        return tensor
    out = tensor.clone()
    machine.pin(out.untyped_storage())
    return out


def _new_tensor(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Tensor:
    if kwargs.get("device") is None:
        kwargs["device"] = machine.device_of(args[0])
    return _create(machine, func, args, kwargs)


def _pad(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """The lengths that come with a padded batch are on the CPU wherever the batch is."""
    with machine.call(Frame(partial(_home, machine, args, kwargs))):
        out = func(*args, **kwargs)
    machine.put(out[1], CPU)
    return out


def _on_cpu_only(what: str) -> Handler:
    def handler(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        if machine.device_of(args[0]).type == "cuda":
            raise needs_gpu(f"{what} of a CUDA tensor")
        return func(*args, **kwargs)

    return handler


def _handlers() -> dict[Any, Handler]:
    table: dict[Any, Handler] = {
        Tensor.device.__get__: lambda m, f, a, k: m.device_of(a[0]),
        Tensor.is_cuda.__get__: lambda m, f, a, k: m.device_of(a[0]).type == "cuda",
        Tensor.is_cpu.__get__: lambda m, f, a, k: m.device_of(a[0]).type == "cpu",
        Tensor.get_device: lambda m, f, a, k: _index_of(m.device_of(a[0])),
        Tensor.is_pinned: lambda m, f, a, k: m.is_pinned(a[0].untyped_storage()),
        Tensor.is_shared: lambda m, f, a, k: m.device_of(a[0]).type == "cuda" or f(*a),
        Tensor.grad.__get__: _gradient,
        Tensor.grad.__set__: _set_gradient,
        Tensor.to: transfers.to,
        Tensor.type_as: lambda m, f, a, k: transfers.to(m, Tensor.to, a, k),
        Tensor.cuda: transfers.to_cuda,
        Tensor.cpu: transfers.to_cpu,
        Tensor.copy_: transfers.copy,
        Tensor.numpy: _numpy,
        Tensor.__array__: _numpy,
        Tensor.__repr__: _represent,
        Tensor.__format__: _format,
        Tensor.__deepcopy__: _deepcopy,
        Tensor.type: _type,
        Tensor.register_hook: _hook,
        Tensor.__getitem__: _item,
        Tensor.__setitem__: _set_item,
        Tensor.pin_memory: _pin,
        Tensor.new: _new_tensor,
        Tensor.new_tensor: _new_tensor,
        torch.autograd.grad: _gradients,
        torch._VF._pad_packed_sequence: _pad,
    }
    for name in ("data_ptr", "record_stream", "apply_", "map_", "__dlpack__", "__dlpack_device__"):
        table[getattr(Tensor, name)] = _on_cpu_only(f"Tensor.{name}()")
    table[Tensor.__cuda_array_interface__.__get__] = _on_cpu_only("__cuda_array_interface__")
    return table


def _index_of(device: torch.device) -> int:
    return -1 if device.type == "cpu" else device.index


HANDLERS = _handlers()
