"""A model of memory/fit that PyTorch runs, for what the formulas are held against.

Its block is the one that the page shows: snippets/memory/transformer_block.py.
"""

from __future__ import annotations

import contextlib
import gc
import io
import runpy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from gpu_guide.fit.model import Model
from gpu_guide.fit.terms import Setting, four_bit
from gpu_guide.project import HERE

with contextlib.redirect_stdout(io.StringIO()):
    _SNIPPET = runpy.run_path(str(HERE.snippets / "memory/transformer_block.py"))
kept: Callable[..., list[torch.Tensor]] = _SNIPPET["kept"]
LINEAR = ("q", "k", "v", "o", "gate", "up", "down")


def block_of(model: Model) -> nn.Module:
    return _SNIPPET["Block"](
        model.hidden,
        model.heads,
        model.key_heads,
        model.head_size,
        model.middle,
        norm=norm_of(model),
        attention_bias=model.attention_bias,
        bias=model.bias,
        gated=model.gated,
        head_norms=model.head_norms,
    )


def norm_of(model: Model) -> type[nn.Module]:
    return nn.LayerNorm if model.layer_norm else nn.RMSNorm


class Network(nn.Module):
    """Embedding, blocks, norm and output layer."""

    def __init__(self, model: Model, again: bool = False) -> None:
        super().__init__()
        self.again = again
        self.embedding = nn.Embedding(model.vocabulary, model.hidden)
        if model.positions:
            self.positions = nn.Embedding(model.positions, model.hidden)
        self.blocks = nn.ModuleList(block_of(model) for _ in range(model.layers))
        self.norm = norm_of(model)(model.hidden)
        self.head = nn.Linear(model.hidden, model.vocabulary, bias=False)
        if model.tied:
            self.head.weight = self.embedding.weight

    def start(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        if hasattr(self, "positions"):
            x = x + self.positions.weight[: tokens.shape[1]]
        return x

    def forward(
        self, tokens: torch.Tensor, rope: Any, labels: Any = None, pieces: int = 1
    ) -> torch.Tensor:
        """The logits, or with labels the loss, computed in so many pieces of the tokens."""
        x = self.start(tokens)
        for block in self.blocks:
            run = partial(checkpoint, block, use_reentrant=False) if self.again else block
            x = run(x, rope)
        if labels is None:
            return self.head(self.norm(x))
        size = -(-labels.numel() // pieces)
        both = zip(
            self.norm(x).flatten(0, 1).split(size), labels.flatten().split(size), strict=True
        )
        losses = [checkpoint(self.of_a_piece, *one, use_reentrant=False) for one in both]
        return torch.stack(losses).sum() / labels.numel()

    def of_a_piece(self, hidden: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(self.head(hidden).float(), labels, reduction="sum")


class _FourBits(torch.autograd.Function):
    """A product with a weight that is unpacked for it, and again in the backward pass."""

    @staticmethod
    def forward(ctx, x, packed, shape):
        ctx.save_for_backward(packed)
        ctx.shape = shape
        return x @ torch.empty(shape, dtype=x.dtype, device=x.device).T

    @staticmethod
    def backward(ctx, g):
        return g @ torch.empty(ctx.shape, dtype=g.dtype, device=g.device), None, None


class Packed(nn.Module):
    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.shape = tuple(layer.weight.shape)
        size = four_bit(layer.weight.numel())
        self.register_buffer("packed", torch.empty(size, dtype=torch.uint8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return _FourBits.apply(x, self.packed, self.shape)


class Adapted(nn.Module):
    def __init__(self, base: nn.Module, shape: tuple[int, int], rank: int, dtype) -> None:
        super().__init__()
        self.base = base
        self.a = nn.Linear(shape[1], rank, bias=False, dtype=dtype)
        self.b = nn.Linear(rank, shape[0], bias=False, dtype=dtype)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + self.b(self.a(x))


def network(model: Model, on: Setting) -> Network:
    """As `on` has it, with all types; on whichever device is the default."""
    net = Network(model, on.checkpoint)
    low = torch.bfloat16 if on.low else torch.float32
    packed = on.task == "qlora" or on.precision == "int4"
    if on.task != "full" or on.precision == "bfloat16":
        net.to(low)
    if on.task == "full":
        return net
    net.requires_grad_(False)
    dtype = torch.bfloat16 if on.precision == "bfloat16" else torch.float32
    for block in net.blocks:
        for name in LINEAR:
            layer = getattr(block, name)
            if layer is None:
                continue
            base = Packed(layer) if packed else layer
            adapted = on.task != "predict" and (on.everywhere or name in "qv")
            shape = tuple(layer.weight.shape)
            setattr(block, name, Adapted(base, shape, on.rank, dtype) if adapted else base)
    return net


def optimizer_of(net: nn.Module, on: Setting) -> torch.optim.Optimizer:
    trained = [p for p in net.parameters() if p.requires_grad]
    if on.optimizer == "adamw":
        return torch.optim.AdamW(trained, fused=on.fused, foreach=not on.fused)
    return torch.optim.SGD(trained, 0.1, momentum=0.9 * (on.optimizer == "momentum"))


def _as_it_is(_, bucket):
    """In place of DDP's all-reduce. No annotations, which DDP would check."""
    done: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    done.set_result(bucket.buffer())
    return done


@contextlib.contextmanager
def one_of(gpus: int) -> Iterator[None]:
    """This process as one rank of several, which send nothing."""
    if gpus == 1:
        yield
        return
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=gpus)
    try:
        yield
    finally:
        dist.destroy_process_group()


def split(net: Network, on: Setting) -> None:
    """FSDP2, a unit for each block and one for the rest."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard

    low = {"mixed": torch.bfloat16}.get(on.precision)
    options: dict[str, Any] = {
        "mesh": init_device_mesh("cuda", (on.gpus,)),
        "mp_policy": MixedPrecisionPolicy(low, torch.float32 if on.low else None),
    }
    if on.offload == "state":
        options["offload_policy"] = CPUOffloadPolicy()
    after = {1: True, 0: False}.get(on.reshard, on.reshard)
    for block in net.blocks:
        fully_shard(block, reshard_after_forward=after, **options)
    fully_shard(net, **options)


def split_tensors(net: Network, gpus: int) -> None:
    """Tensor parallelism: layers by columns, then by rows; embedding and logits by vocabulary."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    mesh = init_device_mesh("cpu", (gpus,))
    for block in net.blocks:
        ways = {name: RowwiseParallel if name in "o down" else ColwiseParallel for name in LINEAR}
        plan = {name: way() for name, way in ways.items() if getattr(block, name) is not None}
        parallelize_module(block, mesh, plan)
    of_words = RowwiseParallel(input_layouts=Replicate())
    logits = ColwiseParallel(output_layouts=Shard(-1), use_local_output=False)
    parallelize_module(net, mesh, {"embedding": of_words, "head": logits})


def choose_attention(on: Setting) -> None:
    """Which kernels may be taken. cuDNN's cannot run on a stand-in; flash keeps as much."""
    torch.backends.cuda.enable_cudnn_sdp(False)
    torch.backends.cuda.enable_flash_sdp(on.fused_attention)
    torch.backends.cuda.enable_mem_efficient_sdp(on.fused_attention)


def _inputs(model: Model, on: Setting) -> tuple[torch.Tensor, Any]:
    tokens = torch.zeros(on.batch, on.sequence, dtype=torch.long)
    if model.positions:
        return tokens, None
    dtype = torch.bfloat16 if on.low else torch.float32
    return tokens, tuple(torch.zeros(on.sequence, model.head_size, dtype=dtype) for _ in range(2))


def peak(model: Model, on: Setting) -> int:
    """The most bytes that tensors took on the GPU: in a second step or the first, or while a prompt
    is read."""
    gc.collect()
    torch.cuda.empty_cache()
    torch._C._cuda_clearCublasWorkspaces()
    before = torch.cuda.memory_allocated()
    choose_attention(on)
    with one_of(on.gpus):
        most = _reading(model, on) if on.task == "predict" else _training(model, on)
    return most - before


def _training(model: Model, on: Setting) -> int:
    with torch.device("meta"):
        net = network(model, on)
    fsdp = on.gpus > 1 and on.split == "fsdp"
    if fsdp:
        split(net, on)
    net.to_empty(device="cpu" if on.offload == "state" else "cuda")
    if model.tied and not fsdp:
        net.head.weight = net.embedding.weight
    whole: nn.Module = net
    if on.gpus > 1 and on.split == "ddp":
        whole = nn.parallel.DistributedDataParallel(net)
        whole.register_comm_hook(None, _as_it_is)
    optimizer = optimizer_of(net, on)
    with torch.device("cuda"):
        tokens, rope = _inputs(model, on)
        labels = torch.zeros_like(tokens)
    cast = torch.autocast("cuda", torch.bfloat16, enabled=on.auto)
    aside = torch.autograd.graph.save_on_cpu if on.offload == "activations" else None
    for _ in range(1 if on.first_step else 2):
        torch.cuda.reset_peak_memory_stats()
        for _ in range(2 if on.accumulate else 1):
            with cast, aside() if aside else contextlib.nullcontext():
                if on.pieces > 1:
                    loss = whole(tokens, rope, labels, on.pieces)
                else:
                    logits = whole(tokens, rope).flatten(0, 1).float()
                    loss = F.cross_entropy(logits, labels.flatten())
                    del logits
            loss.backward()
            del loss
        optimizer.step()
        optimizer.zero_grad()
    return torch.cuda.max_memory_allocated()


def _reading(model: Model, on: Setting) -> int:
    with torch.device("meta"):
        net = network(model, on)
    net.to_empty(device="cuda")
    if model.tied:
        net.head.weight = net.embedding.weight
    torch.cuda.reset_peak_memory_stats()
    shape = (on.batch, model.key_heads, on.sequence, model.head_size)
    dtype = net.norm.weight.dtype
    with torch.inference_mode(), torch.device("cuda"):
        tokens, rope = _inputs(model, on)
        cache = [[torch.empty(shape, dtype=dtype) for _ in "kv"] for _ in net.blocks]
        x = net.start(tokens)
        for block, both in zip(net.blocks, cache, strict=True):
            x = block(x, rope, both)
        net.head(net.norm(x[:, -1])).float()
    return torch.cuda.max_memory_allocated()
