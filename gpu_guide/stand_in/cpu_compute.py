"""Values for a stand-in GPU, whose kernels never run: the CPU computes them over the same bytes.

Every operator that PyTorch registers for CUDA first runs as PyTorch's own CUDA code, which checks
devices, allocates, launches and counts random numbers; then the CPU computes the operator, reads
and writes the bytes that stand for the GPU's memory. This happens below autograd and all modes, so
gradients, other threads and printing go the same way.

Imports nothing of this package: it works in every process of a stand-in, whatever its path is.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import torch

LARGEST = 2**28
"""Bytes that one operator may read and write on the CPU: above that its values stay unknown."""
MOST_WORK = 4 * 10**9
"""Floating-point operations that one operator may take there."""

DEVICE_SIDE_ASSERT = 710
"""CUDA's number for an assertion that failed in a kernel."""

WITHOUT_VALUES = re.compile(
    r"(empty|new_empty|resize_|set_|record_stream|is_set_to|_pin_memory|is_pinned|_assert_async"
    r"|_local_scalar_dense|_copy_from|_fused_sdp_choice|_use_\w+_ctc_loss|_cudnn_init_dropout_state"
    r"|_cudnn_rnn_flatten_weight|_efficientzerotensor|_nested_|_validate_)"
)
"""How the names of operators begin that allocate, ask or keep books, and compute nothing."""

ALLOCATORS = (
    "empty",
    "new_empty",
    "resize_",
    "_cudnn_init_dropout_state",
    "_cudnn_rnn_flatten_weight",
)
"""Of these, the ones that allocate: a dry run enters them in its ledger."""

SIZED_BY_VALUES = (
    "nonzero",
    "_unique",
    "_unique2",
    "unique_dim",
    "unique_consecutive",
    "unique_dim_consecutive",
    "bincount",
    "repeat_interleave",
)
"""In the middle of these, CUDA code reads from the GPU how large the result is, which nothing has
computed by then: it does not run, and the CPU alone says what comes out."""

_ONLY_WRITES = re.compile(
    r"(copy|fill|zero|uniform|normal|log_normal|exponential|cauchy|geometric|random|bernoulli)_$"
)
"""Operators that change a tensor without reading it."""

_CANNOT_RUN = re.compile(
    r"(CUBLAS|CUDNN|CUSOLVER|CUSPARSE)_STATUS|cu(DNN|solver|sparse) error|magma"
    r"|when calling .cu(blas|solver|sparse)"
    r"|pybind_utils\.cpp|CUDA driver error: operation not supported"
)
"""Why CUDA code does not end here: one of NVIDIA's libraries refused, because it finds no driver,
or CUDA code compiles a kernel while it runs, or calls another operator with a number that lies on
the GPU, which no kernel in Python can be given."""

_FAILED_ASSERTION = re.compile(r"out of bounds|out of range")
"""What the CPU says where a CUDA kernel would fail an assertion."""

Tensor = torch.Tensor
_library: torch.library.Library | None = None
_unknown: set[int] = set()
"""Addresses of storages with values that were not computed."""


class UnknownValue(RuntimeError):
    """Code reads a value that was not computed on this stand-in GPU."""


def install(
    kernel: type[Kernel] | None = None,
    reader: type[Reader] | None = None,
    *,
    allocators: bool = False,
) -> None:
    """Have each CUDA kernel of this process followed by what the CPU computes.

    Args:
        kernel: What stands for an operator, in place of `Kernel`.
        reader: What reads one value, in place of `Reader`.
        allocators: Also operators that only allocate.
    """
    global _library
    if _library is not None:
        return
    kernel, reader = kernel or Kernel, reader or Reader
    _library = torch.library.Library("aten", "IMPL")
    registered = torch._C._dispatch_get_registrations_for_dispatch_key("CUDA")
    for full_name in [*registered, "aten::copy_"]:
        namespace, _, name = full_name.partition("::")
        base, _, overload = name.partition(".")
        if namespace != "aten":
            continue
        operator = getattr(getattr(torch.ops.aten, base), overload or "default")
        if base == "_local_scalar_dense":
            made: Callable[..., Any] = reader(operator)
        elif _makes_views(operator._schema):
            continue
        elif WITHOUT_VALUES.match(base):
            if not (allocators and base.startswith(ALLOCATORS)):
                continue
            made = kernel(operator)
        else:
            made = kernel(operator)
        _library.impl(name, made, "CUDA", with_keyset=True, allow_override=True)
    _library.impl("_coalesce", _coalesce, "SparseCUDA", allow_override=True)
    _leave_frames_out_of_snapshots()


def _coalesce(tensor: Tensor) -> Tensor:
    """A sparse tensor with each index once. How many there are, CUDA code would read from the GPU,
    where nothing has computed it."""
    indices, values = tensor._indices(), tensor._values()
    make = torch.ops.aten._sparse_coo_tensor_unsafe
    if _is_too_large([indices, values]) or is_unknown(indices) or is_unknown(values):
        indices, values = _without_doubles(indices.clone(), values.clone())
    else:
        with _below_everything():
            given = make(_same_bytes(indices), _same_bytes(values), tensor.shape)
            known = torch.ops.aten._coalesce(given)
            parts = known._indices(), known._values()
            indices, values = (_on(tensor.device, part) for part in parts)
    return make(indices, values, tensor.shape, is_coalesced=True)


def _without_doubles(indices: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """What is taken for indices that are not known. Raises UnknownValue."""
    _refuse()


def _makes_views(schema: Any) -> bool:
    """Whether what it returns shares memory with what is given, and nothing is written."""
    aliases = [argument.alias_info for argument in schema.arguments if argument.alias_info]
    returned = any(one.alias_info is not None for one in schema.returns)
    return returned and not any(alias.is_write for alias in aliases)


class Reader:
    """Reads one value from the GPU: `item()`, `float()`, `bool()`."""

    def __init__(self, operator: Any) -> None:
        self.cuda = torch.library.get_kernel(operator, "CUDA")

    def __call__(self, keyset: Any, tensor: Tensor) -> Any:
        value = self.cuda.call_boxed(keyset, tensor)  # raises where a kernel failed before
        _require_known(tensor)
        return value


class Kernel:
    """One operator: its CUDA code, and behind it what the CPU computes."""

    def __init__(self, operator: Any) -> None:
        schema = operator._schema
        self.operator = operator
        self.name = schema.name.removeprefix("aten::")
        self.cuda = torch.library.get_kernel(operator, "CUDA")
        self._names = [argument.name for argument in schema.arguments]
        self._tensor_names = frozenset(
            argument.name for argument in schema.arguments if "Tensor" in str(argument.type)
        )
        self.outs = [argument.name for argument in schema.arguments if argument.is_out]
        self.changed = [
            argument.name
            for argument in schema.arguments
            if argument.alias_info and argument.alias_info.is_write and not argument.is_out
        ]
        self.new = [one for one in schema.returns if one.alias_info is None]
        self._takes_numbers = torch._C._should_allow_numbers_as_tensors(self.name)
        self._random = torch.Tag.nondeterministic_seeded in operator.tags

    def __call__(self, keyset: Any, *args: Any, **kwargs: Any) -> Any:
        given = dict(zip(self._names, args, strict=False)) | kwargs
        with _below_everything():
            device = self.device(given)
            seed = _seed(given.get("generator"), device) if self._random else None
            _settle(device)
            inputs = self._inputs(given)
        result, ran = None, self.name not in SIZED_BY_VALUES
        if not ran:
            self._wait_as_cuda_does(device)
        else:
            try:
                result = self.cuda.call_boxed(keyset, **self._boxed(given))
            except RuntimeError as error:
                if not _CANNOT_RUN.search(str(error)):
                    raise
                ran = False
        with _below_everything():
            if inputs is not None and not _is_too_large(tensors(result)):
                self._add_outs(inputs, given, ran)
                known, answer = self._compute(inputs, seed)
            else:
                known, answer = False, None
            if not known:
                if self.name == "copy_" and not given["self"].is_cuda:
                    return _mark_on_cpu(given["self"])
                return self.without_values(given, result, ran)
            for name in [*self.outs, *self.changed]:
                for target, value in pairs(given.get(name), inputs.get(name)):
                    _write(target, value, resize=not ran)
            if not self.new:
                return result if ran else self.given_back(given)
            if not ran:
                return map_tensors(answer, lambda tensor: _on(device, tensor))
            for target, value in pairs(result, answer):
                _write(target, value)
            return answer if isinstance(answer, bool | int | float) else result

    @staticmethod
    def _wait_as_cuda_does(device: torch.device) -> None:
        """Read one value, as the CUDA code that is left out does: it waits, and may warn of it."""
        with _below_everything():
            read = torch.empty((), dtype=torch.int64, device=device)
            _unknown.discard(address(read))  # what lay there before is not what is read
            torch.ops.aten._local_scalar_dense(read)

    def _boxed(self, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments with tensors where a number came in place of one, such as the 2 of `x * 2`.

        A kernel in Python is given the number, but takes a tensor. Of its value nothing depends in
        CUDA code; its dtype is one that changes the result's as the number does.
        """
        numbers = {
            name: value
            for name, value in given.items()
            if name in self._tensor_names and isinstance(value, bool | int | float | complex)
        }
        if not numbers:
            return given
        dtypes = [tensor.dtype for tensor in tensors(list(given.values()))]
        with _below_everything():
            return given | {name: _number(value, dtypes) for name, value in numbers.items()}

    def device(self, given: dict[str, Any]) -> torch.device:
        for tensor in tensors(list(given.values())):
            if tensor.is_cuda:
                return tensor.device
        return torch.device("cuda", torch.cuda.current_device())

    def _inputs(self, given: dict[str, Any]) -> dict[str, Any] | None:
        """The arguments on the CPU, but for outs; None if their values are lost.

        They are the same bytes. What is read and then changed is a copy, since CUDA code may
        consist of operators that are computed themselves.
        """
        names = [*self.outs, *self.changed]
        changed = {address(tensor) for name in names for tensor in tensors(given.get(name))}
        reads = [
            tensor
            for name, value in given.items()
            if name not in self.outs
            and not (name in self.changed and _ONLY_WRITES.match(self.name))
            for tensor in tensors(value)
        ]
        if any(map(is_unknown, reads)):
            return None
        if _is_too_large(reads) or _is_too_much(self.operator, given) or _is_capturing():
            return None
        copied = {address(tensor) for tensor in reads} & changed
        copies: dict[int, Tensor] = {}

        def place(tensor: Tensor) -> Tensor:
            if not tensor.is_cuda:
                return tensor
            if address(tensor) not in copied:
                return _same_bytes(tensor)
            raw = copies.setdefault(address(tensor), _bytes_of(tensor).clone())
            return _seen_as(raw, tensor)

        inputs = {n: map_tensors(v, place) for n, v in given.items() if n not in self.outs}
        if "device" in inputs:
            inputs["device"] = torch.device("cpu")
        return inputs if self._takes_numbers else self._boxed(inputs)

    def _add_outs(self, inputs: dict[str, Any], given: dict[str, Any], ran: bool) -> None:
        """Room for results: of the size that CUDA code gave them, so that nothing is resized."""
        for name in self.outs:
            inputs[name] = map_tensors(
                given[name],
                lambda out: torch.empty(out.shape if ran else 0, dtype=out.dtype, device="cpu"),
            )

    def _compute(self, inputs: dict[str, Any], seed: int | None) -> tuple[bool, Any]:
        """Whether the CPU has an answer, and what it returns."""
        call = EQUIVALENTS.get(self.name, self.operator)
        try:
            with _seeded(inputs, seed):
                try:
                    return True, call(**inputs)
                except RuntimeError as error:
                    if not re.search("not implemented for|half to float", str(error)):
                        raise
                    return True, self._in_single_precision(call, inputs)
        except (RuntimeError, IndexError) as error:
            if _FAILED_ASSERTION.search(str(error)):
                _fail_on_device(f"{self.operator}: {error}")
            elif os.environ.get("STAND_IN_LOG") == "1":
                why = str(error).partition("\n")[0]
                print(f"stand-in: no values of {self.operator}: {why}", file=sys.stderr)
            return False, None

    def _in_single_precision(self, call: Callable[..., Any], inputs: dict[str, Any]) -> Any:
        """What the CPU cannot do in half precision: done in single precision, then rounded."""
        wide = {name: map_tensors(value, _widened) for name, value in inputs.items()}
        if "half_to_float" in wide:
            wide["half_to_float"] = False
        answer = call(**wide)
        for name in [*self.outs, *self.changed]:
            for narrow, value in pairs(inputs[name], wide[name]):
                if narrow is not value:
                    narrow.resize_(value.shape).copy_(value)
        return answer

    def without_values(self, given: dict[str, Any], result: Any, ran: bool) -> Any:
        """The result of CUDA code alone. Raises UnknownValue where it has none."""
        if not ran:
            raise UnknownValue(f"{self.operator} cannot be computed on a stand-in GPU")
        targets = [t for n in [*self.outs, *self.changed] for t in tensors(given.get(n))]
        targets += tensors(result)
        on_gpu = (t for t in targets if t.is_cuda and t.layout is torch.strided and t.numel())
        _unknown.update(map(address, on_gpu))
        return result

    def given_back(self, given: dict[str, Any]) -> Any:
        """What the operator returns where its CUDA code did not end: the tensors it changed."""
        returned = [given[name] for name in [*self.outs, *self.changed]]
        if not self.operator._schema.returns:
            return None
        return returned[0] if len(returned) == 1 else tuple(returned)


def _convolution(
    self: Tensor, weight: Tensor, padding: Any, stride: Any, dilation: Any, groups: int, **_: Any
) -> Tensor:
    none = [0] * (weight.dim() - 2)
    return torch.ops.aten.convolution(
        self, weight, None, stride, padding, dilation, False, none, groups
    )


def _attention(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> tuple[Any, ...]:
    """The result alone: what backward needs besides is CUDA's own."""
    math = torch.ops.aten._scaled_dot_product_attention_math
    bias, causal = options.get("attn_bias"), options.get("is_causal", False)
    return (math(query, key, value, bias, 0.0, causal, scale=options.get("scale"))[0],)


def _batch_norm(
    training: bool, exponential_average_factor: float, epsilon: float, **given: Any
) -> tuple[Any, ...]:
    """The result and what backward needs: cuDNN keeps nothing besides."""
    options = {"training": training, "momentum": exponential_average_factor, "eps": epsilon}
    return torch.ops.aten.native_batch_norm(**given, **options)


def _batch_norm_backward(
    input: Tensor, grad_output: Tensor, epsilon: float, reserveSpace: Tensor, **given: Any
) -> tuple[Any, ...]:
    saved = {"save_mean": given.pop("save_mean"), "save_invstd": given.pop("save_var")}
    return torch.ops.aten.native_batch_norm_backward(
        grad_output, input, **given, **saved, train=True, eps=epsilon, output_mask=[True] * 3
    )


def _rnn(
    input: Tensor,
    weight: list[Tensor],
    weight_stride0: int,
    hx: Tensor,
    cx: Tensor | None,
    mode: int,
    num_layers: int,
    batch_first: bool,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_sizes: list[int],
    **_: Any,
) -> tuple[Any, ...]:
    """The results alone: what backward needs besides is cuDNN's own."""
    layer = getattr(torch.ops.aten, ("rnn_relu", "rnn_tanh", "lstm", "gru")[mode])
    states = hx if cx is None else [hx, cx]
    options = (weight, weight_stride0 > 3, num_layers, dropout, train, bidirectional)
    if batch_sizes:
        return layer.data(input, torch.tensor(batch_sizes, device="cpu"), states, *options)
    return layer.input(input, states, *options, batch_first)


EQUIVALENTS: dict[str, Callable[..., Any]] = {
    "cudnn_convolution": _convolution,
    "cudnn_batch_norm": _batch_norm,
    "cudnn_batch_norm_backward": _batch_norm_backward,
    "_cudnn_rnn": _rnn,
    "_conv_depthwise2d": lambda self, weight, kernel_size, bias, stride, padding, dilation: (
        torch.ops.aten.convolution(
            self, weight, bias, stride, padding, dilation, False, [0, 0], self.shape[1]
        )
    ),
    "_scaled_dot_product_flash_attention": _attention,
    "_scaled_dot_product_efficient_attention": _attention,
}
"""What to ask the CPU instead, where an operator is CUDA's alone."""


_KINDS = (torch.bool, torch.int64, torch.float64, torch.complex128)
"""One dtype for each kind of numbers, the later the more it takes in."""


def _kind(dtype: torch.dtype) -> int:
    return next(rank for rank, kind in enumerate(_KINDS) if torch.can_cast(dtype, kind))


def _number(value: complex, dtypes: list[torch.dtype]) -> Tensor:
    """A tensor on the CPU that counts for dtypes as the number `value` beside tensors does."""
    number = torch.tensor(value, device="cpu")
    largest = max(dtypes, key=_kind, default=number.dtype)
    return number.to(largest) if _kind(largest) >= _kind(number.dtype) else number


def is_unknown(tensor: Tensor) -> bool:
    if tensor.layout is not torch.strided:
        return True
    return tensor.is_cuda and tensor.numel() > 0 and address(tensor) in _unknown


def _mark_on_cpu(copy: Tensor) -> Tensor:
    """Let a copy of unknown values be seen as such: NaN is what nobody takes for a result.

    Raises UnknownValue for numbers that have no NaN.
    """
    if not copy.is_floating_point():
        _refuse()
    return copy.fill_(float("nan"))


def _require_known(tensor: Tensor) -> None:
    if is_unknown(tensor):
        _refuse()


def _refuse() -> NoReturn:
    raise UnknownValue(
        "this value was not computed: on a stand-in GPU, operators on more than "
        f"{LARGEST >> 20} MiB, long products and some of CUDA's own have no values"
    )


def _write(target: Tensor, value: Tensor, *, resize: bool = False) -> None:
    """Put computed values where CUDA code would have left them."""
    if not target.is_cuda:
        if target is not value:
            target.copy_(value)
        return
    if resize and target.shape != value.shape:
        target.resize_(value.shape)
    if target.shape == value.shape:
        _same_bytes(target).copy_(value)
    if target.numel() * target.element_size() >= target.untyped_storage().nbytes():
        _unknown.discard(address(target))


def _on(device: torch.device, tensor: Tensor) -> Tensor:
    """A new tensor on the GPU with the values of one on the CPU."""
    new = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=device)
    _write(new, tensor)
    return new


def address(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _bytes_of(tensor: Tensor) -> Tensor:
    """All bytes of the storage of a tensor on the GPU, as a tensor on the CPU."""
    storage = tensor.untyped_storage()
    if not storage.nbytes():
        return torch.empty(0, dtype=torch.uint8, device="cpu")
    start = (ctypes.c_ubyte * storage.nbytes()).from_address(storage.data_ptr())
    return torch.frombuffer(start, dtype=torch.uint8)


def _seen_as(raw: Tensor, tensor: Tensor) -> Tensor:
    seen = torch.empty(0, dtype=tensor.dtype, device="cpu")
    storage = raw.untyped_storage()
    return seen.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())


def _same_bytes(tensor: Tensor) -> Tensor:
    """A tensor on the CPU over the bytes of one on the GPU."""
    return _seen_as(_bytes_of(tensor), tensor) if tensor.is_cuda else tensor


def _widened(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, list | tuple):
        return [tensor for one in value for tensor in tensors(one)]
    return []


def map_tensors(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, list | tuple):
        return type(value)(map_tensors(one, change) for one in value)
    return value


def pairs(targets: Any, values: Any) -> Iterator[tuple[Tensor, Tensor]]:
    if isinstance(targets, Tensor) and isinstance(values, Tensor):
        yield targets, values
    elif isinstance(targets, list | tuple) and isinstance(values, list | tuple):
        for target, value in zip(targets, values, strict=False):
            yield from pairs(target, value)


def _is_too_large(tensors: list[Tensor]) -> bool:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors) > LARGEST


def _is_too_much(operator: Any, given: dict[str, Any]) -> bool:
    """Whether a product of matrices takes too long."""
    if operator.overloadpacket not in (torch.ops.aten.mm, torch.ops.aten.bmm):
        factors = ("mat1", "mat2") if "mat1" in given else ("batch1", "batch2")
    else:
        factors = ("self", "mat2")
    first, second = (given.get(name) for name in factors)
    if not isinstance(first, Tensor) or not isinstance(second, Tensor):
        return False
    return 2 * first.numel() * second.shape[-1] > MOST_WORK


def _is_capturing() -> bool:
    """Whether CUDA only notes down what is to run later, as part of a graph."""
    return torch.cuda.is_current_stream_capturing()


@contextlib.contextmanager
def _below_everything() -> Iterator[None]:
    """Nothing that the code set has a say: no gradients, no default device, no function modes."""
    with torch._C._AutoDispatchBelowAutograd(), torch._C.DisableTorchFunction():
        yield


def _seed(generator: torch.Generator | None, device: torch.device) -> int:
    """A seed that says how far the GPU's generator is. CUDA's own random numbers are others."""
    generator = generator or torch.cuda.default_generators[device.index]
    if generator.device.type != "cuda":
        return 0  # CUDA code will refuse it
    return (generator.initial_seed() * 1_000_003 + generator.get_offset() + 1) % 2**63


@contextlib.contextmanager
def _seeded(inputs: dict[str, Any], seed: int | None) -> Iterator[None]:
    """Have the CPU draw from `seed`, and leave its own generator as it was."""
    if seed is None:
        yield
        return
    if "generator" in inputs:
        inputs["generator"] = None
    before = torch.default_generator.get_state()
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        torch.default_generator.set_state(before)


def _settle(device: torch.device) -> None:
    """Wait for what other processes send into the current stream: what is read may be a copy, which
    is made before the operator's own CUDA code waits."""
    stream = torch._C._cuda_getCurrentRawStream(device.index)
    ctypes.CDLL(None).stand_in_settle(ctypes.c_void_p(stream), device.index)


def _fail_on_device(what: str) -> None:
    """Let the next call that waits for the GPU fail, as after an assertion in a kernel.

    With CUDA_LAUNCH_BLOCKING=1 that is the launch, which raises here.
    """
    print(f"stand-in: {what}", file=sys.stderr)
    ctypes.CDLL(None).stand_in_kernel_failed(DEVICE_SIDE_ASSERT)
    if os.environ.get("CUDA_LAUNCH_BLOCKING") == "1":
        torch.cuda.synchronize()


def _leave_frames_out_of_snapshots() -> None:
    """Keep our own files out of the stacks that the allocator records."""
    ask = torch._C._cuda_memorySnapshot
    ours = str(Path(__file__).parents[1])

    def without_ours(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: without_ours(one) for key, one in value.items()}
        if not isinstance(value, list):
            return value
        return [without_ours(one) for one in value if not _is_frame_of(ours, one)]

    torch._C._cuda_memorySnapshot = lambda *given: without_ours(ask(*given))


def _is_frame_of(folder: str, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return str(value.get("filename", "")).startswith((f"{folder}/stand_in/", f"{folder}/dry_run/"))
