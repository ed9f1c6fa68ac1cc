"""What raises the messages of data/errors for real, without a GPU: `python raised.py CPU`.

Each table has calls by the id of the message. `CPU` needs a CPU-only build, `STAND_IN` the CUDA
build on two stand-in GPUs, and `FAULTS` a broken one, by the fault that breaks it. A table is run
in a process of its own, which prints a line of JSON for each call: the id, and everything that
was said. What records/broken holds is raised by tests/stand_in/test_symptoms.py.
"""

from __future__ import annotations

import argparse
import copy
import ctypes
import inspect
import json
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from io import BytesIO
from multiprocessing.process import BaseProcess
from pathlib import Path
from zipfile import ZipFile

import numpy
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader

X = torch.ones(2, 3)


class Dying(list):
    """A dataset in whose worker something happens to the process."""

    def __init__(self, how: Callable[[], object]) -> None:
        super().__init__(range(2))
        self.how = how

    def __getitem__(self, index: int) -> object:
        return self.how()


def load_batches(samples: list, **settings: object) -> list:
    """All batches of a DataLoader that takes two samples at a time."""
    return list(DataLoader(samples, batch_size=2, **settings))


def in_worker(how: Callable[[], object]) -> Callable[[Path], object]:
    """Let it happen in a worker."""
    return lambda _: load_batches(Dying(how), num_workers=1)


def by_signal(number: int) -> Callable[[Path], object]:
    """A worker ends by this signal."""
    return in_worker(lambda: os.kill(os.getpid(), number))


@contextmanager
def group() -> Iterator[None]:
    """A process group of this one process."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        dist.destroy_process_group()


KEPT: list[nn.Module] = []
"""Models whose backward pass was broken off. A thread of gloo may still have to give back objects
of Python; where the model's end, in which the interpreter waits for that thread, comes first, both
wait for ever. So they are never ended: main() ends at once."""


def in_ddp(model: nn.Module, **settings: object) -> nn.Module:
    """The model in DDP."""
    wrapped = nn.parallel.DistributedDataParallel(model, **settings)
    KEPT.append(wrapped)
    return wrapped


class TwoLayers(nn.Module):
    """Two layers, of which the forward pass uses one."""

    def __init__(self) -> None:
        super().__init__()
        self.used, self.unused = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.used(x)


def unused_parameters(_: Path) -> None:
    with group():
        model = in_ddp(TwoLayers())
        for _ in range(2):
            model(X).sum().backward()


class Twice(TwoLayers):
    """Uses a layer twice, and computes both again in the backward pass."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in (self.used, self.unused, self.used):
            x = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=True)
        return x


def ready_twice(_: Path) -> None:
    with group():
        model = in_ddp(Twice(), find_unused_parameters=True)
        model(X.clone().requires_grad_()).sum().backward()


def change_output(_: Path) -> None:
    """As in older releases, where DDP returned no copy."""
    with group():
        model = in_ddp(TwoLayers(), find_unused_parameters=True)
        model._set_ddp_sink_clone(False)
        model(X).div_(2)


def gradient_in_another_order(_: Path) -> None:
    with group():
        images = torch.rand(2, 4, 5, 5).to(memory_format=torch.channels_last)
        in_ddp(nn.Conv2d(4, 6, 1))(images).sum().backward()


def ddp(model: nn.Module, **settings: object) -> None:
    with group():
        nn.parallel.DistributedDataParallel(model, **settings)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def listen_twice(_: Path) -> None:
    with socket.socket() as one:
        one.bind(("0.0.0.0", 0))
        one.listen()
        port = one.getsockname()[1]
        dist.TCPStore("127.0.0.1", port, is_master=True, timeout=timedelta(seconds=2))


def nobody_listens(_: Path) -> None:
    dist.TCPStore("127.0.0.1", free_port(), is_master=False, timeout=timedelta(milliseconds=200))


def nobody_of_that_name(_: Path) -> None:
    wait = timedelta(milliseconds=200)
    dist.TCPStore("nowhere.invalid", free_port(), is_master=False, timeout=wait)


def saved(content: object) -> BytesIO:
    """A checkpoint in memory."""
    file = BytesIO()
    torch.save(content, file)
    file.seek(0)
    return file


def saved_on_a_gpu(location: str) -> Callable[[Path], object]:
    """Load what has been saved on a GPU that is not here."""

    def load(_: Path) -> object:
        register = torch.serialization._package_registry
        before = list(register)
        torch.serialization.register_package(0, lambda one: location, lambda one, where: None)
        try:
            file = saved(X)
        finally:
            register[:] = before
        return torch.load(file)

    return load


def class_is_gone(_: Path) -> None:
    module = sys.modules["__main__"]
    Net = type("Net", (nn.Module,), {"__module__": "__main__"})
    module.Net = Net
    try:
        file = saved(Net())
    finally:
        del module.Net
    torch.load(file, weights_only=False)


def truncated(_: Path) -> None:
    torch.load(BytesIO(saved(X).getvalue()[:300]))


def load_into(model: nn.Module, state: Mapping[str, torch.Tensor]) -> None:
    model.load_state_dict(state)


def with_prefix(prefix: str) -> Callable[[Path], None]:
    """A state_dict whose names have a prefix, into a model without it."""
    state = {prefix + name: value for name, value in nn.Linear(3, 3).state_dict().items()}
    return lambda _: load_into(nn.Linear(3, 3), state)


def twice_backward(_: Path) -> None:
    y = (X.clone().requires_grad_() ** 2).sum()
    y.backward()
    y.backward()


def index_put(_: Path) -> None:
    X.half()[torch.tensor([0])] = X[:1]


def overwritten(_: Path) -> None:
    y = X.clone().requires_grad_().exp()
    y += 1
    y.sum().backward()


def scaled_half(_: Path) -> None:
    weight = torch.ones(2, dtype=torch.float16, requires_grad=True)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight.float().sum()).backward()
    scaler.unscale_(torch.optim.SGD([weight], lr=1))


def scaled_nothing(_: Path) -> None:
    weight = torch.ones(2, requires_grad=True)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(torch.ones(()))
    scaler.step(torch.optim.SGD([weight], lr=1))


def scheduler_first(_: Path) -> None:
    optimizer = torch.optim.SGD([nn.Parameter(X)], lr=1)
    torch.optim.lr_scheduler.StepLR(optimizer, 1).step()


def deterministic(_: Path) -> None:
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        torch.zeros(2).put_(torch.tensor([0, 0]), torch.ones(2))
    finally:
        torch.use_deterministic_algorithms(before)


def many_values(_: Path) -> None:
    torch._dynamo.reset()

    @torch.compile(backend="eager", dynamic=False)
    def scaled(x: torch.Tensor, name: str) -> torch.Tensor:
        return x * len(name)

    for n in range(12):
        scaled(X, "x" * n)


def many_sizes(_: Path) -> None:
    torch._dynamo.reset()

    @torch.compile(backend="eager", fullgraph=True, dynamic=False)
    def doubled(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    for n in range(2, 12):
        doubled(torch.ones(n))


def no_kernel_of_cuda(library: str, name: str) -> Callable[[Path], None]:
    """The fake kernel of an operator that no library has registered."""
    return lambda _: torch.library.register_fake(f"{library}::{name}")(lambda: None)


def no_such_library(name: str) -> Callable[[Path], object]:
    return lambda _: ctypes.CDLL(name)


def not_defined(symbol: str) -> Callable[[Path], object]:
    """A library that needs a symbol that no other one has, as the linker meets it."""

    def load(folder: Path) -> object:
        source, library = folder / "needs.c", folder / "needs.so"
        source.write_text(f"void {symbol}(void); void (*needed)(void) = {symbol};\n", "utf-8")
        os.spawnlp(os.P_WAIT, "cc", "cc", "-shared", "-fPIC", "-o", str(library), str(source))
        return ctypes.CDLL(str(library))

    return load


def old_argument(_: Path) -> None:
    argparse.ArgumentParser().parse_args(["--local-rank=0"])


def cuda_home(_: Path) -> None:
    from torch.utils import cpp_extension

    before, cpp_extension.CUDA_HOME = cpp_extension.CUDA_HOME, None
    try:
        cpp_extension.include_paths("cuda")
    finally:
        cpp_extension.CUDA_HOME = before


def other_toolkit(folder: Path) -> None:
    from torch.utils import cpp_extension

    nvcc = folder / "bin/nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text("#!/bin/sh\necho Cuda compilation tools, release 9.2, V9.2.148\n", "utf-8")
    nvcc.chmod(0o755)
    before = cpp_extension.CUDA_HOME, torch.version.cuda
    cpp_extension.CUDA_HOME, torch.version.cuda = str(folder), "13.0"
    try:
        cpp_extension._check_cuda_version("c++", None)
    finally:
        cpp_extension.CUDA_HOME, torch.version.cuda = before


def sizes_that_differ(_: Path) -> None:
    load_batches([torch.ones(2), torch.ones(3)])


def arch_list(_: Path) -> None:
    from torch.utils import cpp_extension

    before = os.environ.get("TORCH_CUDA_ARCH_LIST")
    os.environ["TORCH_CUDA_ARCH_LIST"] = "99.9"
    try:
        cpp_extension._get_cuda_arch_flags()
    finally:
        os.environ.pop("TORCH_CUDA_ARCH_LIST")
        os.environ |= {"TORCH_CUDA_ARCH_LIST": before} if before else {}


def no_ninja(folder: Path) -> None:
    from torch.utils import cpp_extension

    before, os.environ["PATH"] = os.environ["PATH"], str(folder)
    try:
        cpp_extension.verify_ninja_availability()
    finally:
        os.environ["PATH"] = before


def command(*arguments: str) -> Callable[[Path], object]:
    """A command of this Python: what it writes goes where ours goes."""
    return lambda _: subprocess.run([sys.executable, *arguments], check=False, timeout=120)


def pip(*arguments: str) -> Callable[[Path], object]:
    """An installation without a network, and without what the machine's settings of pip demand."""
    arguments = ("-m", "pip", "--isolated", "install", "--no-index", *arguments)
    settings = os.environ | {"PIP_CONFIG_FILE": os.devnull}
    return lambda _: subprocess.run(
        [sys.executable, *arguments], check=False, timeout=120, env=settings
    )


def plug_in_that_fails(folder: Path) -> None:
    """An installed package is to be loaded with torch, and has no such module."""
    about = folder / "plug_in-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plug-in\nVersion: 1\n", "utf-8")
    (about / "entry_points.txt").write_text("[torch.backends]\ntorch_npu = not_there\n", "utf-8")
    made = {**os.environ, "PYTHONPATH": str(folder)}
    subprocess.run([sys.executable, "-c", "import torch"], env=made, check=False, timeout=120)


def folder_named_torch(folder: Path) -> None:
    """A folder of that name stands before the package."""
    (folder / "torch").mkdir()
    code = f"import sys; sys.path = [{str(folder)!r}]; from torch import Tensor"
    subprocess.run([sys.executable, "-c", code], check=False, timeout=120)


def begin_torchrun(
    folder: Path, *arguments: str, without: str = "", **options: str
) -> tuple[BaseProcess, Path]:
    """torchrun in `folder`, and the file in which it writes; a variable is taken away from it."""
    import forked_torchrun

    from gpu_guide.run.runner import start

    made = {name: value for name, value in os.environ.items() if name != without}
    given = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    out = folder / "said.txt"
    do = ([*given, *arguments], str(folder), made, str(out))
    return start(forked_torchrun.torchrun, *do), out


def said_by_torchrun(folder: Path, *arguments: str, **options: str) -> str:
    """What torchrun has written when it has ended."""
    process, out = begin_torchrun(folder, *arguments, **options)
    process.join(120)
    process.kill()  # where it has not ended by then
    return out.read_text("utf-8")


def no_such_script(folder: Path) -> None:
    """torchrun is to start a script that is not there."""
    missing = str(folder / "missing.py")
    print(said_by_torchrun(folder, "--standalone", missing, nproc_per_node="1"))


@cache
def killed(number: int = signal.SIGKILL) -> str:
    """What torchrun writes when one of its processes is killed."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "train.py")
        script.write_text(f"import os; os.kill(os.getpid(), {int(number)})\n", "utf-8")
        one = (Path(folder), "--standalone", str(script))
        return said_by_torchrun(*one, nproc_per_node="2", without="OMP_NUM_THREADS")


def nobody_to_meet(**settings: object) -> Callable[[Path], None]:
    """torchrun waits for a second machine, or for the place where they meet."""

    def meet(folder: Path) -> None:
        script = folder / "empty.py"
        script.write_text("", "utf-8")
        options = {
            "nnodes": "2",
            "nproc_per_node": "1",
            "rdzv_backend": "c10d",
            "rdzv_endpoint": f"127.0.0.1:{free_port()}",
            "rdzv_conf": ",".join(f"{name}={value}" for name, value in settings.items()),
        }
        print(said_by_torchrun(folder, str(script), **options))

    return meet


def split_over_a_whole_mesh(_: Path) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module

    with group():
        mesh = init_device_mesh("cpu", (1, 1), mesh_dim_names=("dp", "tp"))
        parallelize_module(nn.Linear(3, 3), mesh, ColwiseParallel())


def told_to_end(number: int) -> Callable[[Path], None]:
    """torchrun gets a signal while its process runs, and says so."""

    def end(folder: Path) -> None:
        begun = folder / f"begun-{number}"
        script = folder / f"waits_{number}.py"
        lines = ["import sys, time", f"open({str(begun)!r}, 'w').close()", "time.sleep(60)"]
        script.write_text("\n".join(lines), "utf-8")
        process, out = begin_torchrun(folder, "--standalone", str(script), nproc_per_node="1")
        for _ in range(600):
            if begun.exists():
                break
            time.sleep(0.1)
        os.kill(process.pid, number)
        process.join(60)
        process.kill()
        print(out.read_text("utf-8"))

    return end


def sharded(model: nn.Module) -> nn.Module:
    """The model, sharded by FSDP2 over this one process."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    fully_shard(model, mesh=init_device_mesh("cpu", (1,)))
    return model


def layer_of_a_sharded_model(_: Path) -> None:
    with group():
        sharded(nn.Sequential(nn.Linear(3, 3)))[0](X)


def two_dtypes_sharded(_: Path) -> None:
    with group():
        sharded(nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3).bfloat16()))(X)


def not_in_the_checkpoint(folder: Path) -> None:
    import torch.distributed.checkpoint as dcp

    dcp.save({"saved": X}, checkpoint_id=folder)
    try:
        dcp.load({"new": X.clone()}, checkpoint_id=folder)
    except dcp.CheckpointException:  # which is no Exception
        traceback.print_exc()


def no_metadata(folder: Path) -> None:
    import torch.distributed.checkpoint as dcp

    try:
        dcp.load({"new": X.clone()}, checkpoint_id=folder)
    except dcp.CheckpointException:
        traceback.print_exc()


def synchronized_on_cpu(_: Path) -> None:
    with group():
        nn.SyncBatchNorm(3)(X)


def unscaled_twice(_: Path) -> None:
    weight = torch.ones(2, requires_grad=True)
    scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD([weight], lr=1)
    scaler.scale(weight.sum()).backward()
    for _ in range(2):
        scaler.unscale_(optimizer)


def checkpointed(**settings: bool) -> Callable[[Path], object]:
    """A layer with activation checkpointing, whose input needs no gradient."""
    return lambda _: torch.utils.checkpoint.checkpoint(nn.Linear(3, 3), X, **settings)


def recomputed_otherwise(_: Path) -> None:
    """A block with activation checkpointing that differs when it is run again."""
    dtypes = iter((torch.float32, torch.float64))
    weight = torch.ones(3, requires_grad=True)

    def block(x: torch.Tensor) -> torch.Tensor:
        return (x * weight).to(next(dtypes)).sin()

    torch.utils.checkpoint.checkpoint(block, X, use_reentrant=False).sum().backward()


def wrong_hash(folder: Path) -> None:
    wheel, required = folder / "one-1-py3-none-any.whl", folder / "required.txt"
    with ZipFile(wheel, "w") as archive:
        archive.writestr("one-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: one\nVersion: 1")
    required.write_text(f"{wheel} --hash=sha256:{'0' * 64}\n", "utf-8")
    pip("--dry-run", "-r", str(required))(folder)


def inference(_: Path) -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    (x * nn.Parameter(torch.ones(2))).sum().backward()


def gradient_of_root(_: Path) -> None:
    with torch.autograd.set_detect_anomaly(True):
        (torch.zeros(1, requires_grad=True).sqrt() * 0).backward()


def other_groups(_: Path) -> None:
    one, two = (torch.optim.SGD([nn.Parameter(X) for _ in range(n)], lr=1) for n in (1, 2))
    one.load_state_dict(two.state_dict())


def full_disk(_: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as file:
        file.write("x")


HERE_OR_NOT = ("libcuda-missing", "libcudart-missing", "libcudnn-missing")
"""Those whose library this machine may have."""

CPU: Mapping[str, Callable[[Path], object]] = {
    # The first ones fork, which goes wrong once PyTorch has threads.
    "worker-bus-error": by_signal(signal.SIGBUS),
    "worker-killed": by_signal(signal.SIGKILL),
    "worker-segfault": by_signal(signal.SIGSEGV),
    "worker-exited": in_worker(lambda: os._exit(1)),
    "dataloader-timed-out": lambda _: load_batches(
        Dying(lambda: time.sleep(1)), num_workers=1, timeout=1
    ),
    "backend-extension-failed": plug_in_that_fails,
    "another-torch": folder_named_torch,
    "not-compiled-with-cuda": lambda _: X.cuda(),
    "parent-directory": lambda folder: torch.save({}, folder / "none" / "x.pt"),
    "open-file-failed": lambda folder: torch._C.PyTorchFileReader(str(folder / "none.pt")),
    "no-attribute-cuda-setdevice": lambda _: torch.cuda.set_device(0),
    "accelerator-none": lambda _: X.to(0),
    "no-attribute-to": lambda _: {}.to("cpu"),
    "no-module-pynvml": lambda _: torch.cuda.utilization(),
    "no-nccl": lambda _: dist.init_process_group(
        "nccl", store=dist.HashStore(), rank=0, world_size=1
    ),
    "pin-no-accelerator": lambda _: load_batches([X, X], pin_memory=True),
    "deserialize-no-cuda": saved_on_a_gpu("cuda:1"),
    "nms-missing": no_kernel_of_cuda("torchvision", "nms"),
    "libcuda-missing": no_such_library("libcuda.so.1"),
    "libcudart-missing": no_such_library("libcudart.so.11.0"),
    "libcudnn-missing": no_such_library("libcudnn.so.9"),
    "nccl-version-symbol": not_defined("ncclCommWindowRegister"),
    "cusparse-symbol": not_defined("__nvJitLinkCreate_12_8"),
    "itt-symbol": not_defined("iJIT_NotifyEvent"),
    "cuda-home": cuda_home,
    "detected-cuda-mismatches": other_toolkit,
    "input-type-weight-type": lambda _: nn.Conv1d(1, 1, 1)(torch.ones(1, 1, 2).double()),
    "numpy-requires-grad": lambda _: torch.ones(2, requires_grad=True).numpy(),
    "numpy-bfloat16": lambda _: X.bfloat16().numpy(),
    "item-many-elements": lambda _: X.item(),
    "meta-no-data": lambda _: nn.Linear(2, 2, device="meta").to("cpu"),
    "item-on-meta": lambda _: torch.ones((), device="meta").item(),
    "invalid-device-string": lambda _: torch.device("cuda 0"),
    "expected-one-of-device": lambda _: torch.device("gpu"),
    "non-leaf-optimizer": lambda _: torch.optim.SGD([nn.Parameter(X) * 2], lr=1),
    "empty-parameter-list": lambda _: torch.optim.SGD(nn.ReLU().parameters(), lr=1),
    "mat-shapes": lambda _: nn.Linear(4, 1)(X),
    "backward-second-time": twice_backward,
    "inplace-modified": overwritten,
    "no-grad-fn": lambda _: X.sum().backward(),
    "assert-bce": lambda _: nn.functional.binary_cross_entropy(X + 1, X),
    "target-out-of-bounds": lambda _: nn.functional.cross_entropy(X, torch.tensor([0, 3])),
    "index-out-of-range-self": lambda _: nn.Embedding(2, 2)(torch.tensor([2])),
    "cant-pickle": lambda _: pickle.dumps(lambda: None),
    "stack-size": sizes_that_differ,
    "default-collate-type": lambda _: load_batches([None, None]),
    "module-prefix": with_prefix("module."),
    "orig-mod-prefix": with_prefix("_orig_mod."),
    "missing-keys": with_prefix("model."),
    "state-dict-size-mismatch": lambda _: load_into(nn.Linear(3, 3), nn.Linear(2, 3).state_dict()),
    "zero3-empty-weights": lambda _: load_into(
        nn.Linear(3, 3), {"weight": torch.empty(0), "bias": torch.empty(0)}
    ),
    "weights-only-failed": lambda _: torch.load(saved(types.SimpleNamespace())),
    "unsupported-operand": lambda _: torch.load(BytesIO(b"<html>\n")),
    "zip-archive": truncated,
    "no-module-when-loading": class_is_gone,
    "unscale-fp16": scaled_half,
    "no-inf-checks": scaled_nothing,
    "half-but-float": lambda _: X @ X.T.half(),
    "half-overflow": lambda _: X.half().masked_fill(X > 0, -1e9),
    "index-put-dtype": index_put,
    "list-of-arrays": lambda _: torch.tensor([numpy.ones(3)] * 2),
    "lengths-on-cpu": lambda _: nn.utils.rnn.pack_padded_sequence(
        X, torch.tensor([2, 1], device="meta")
    ),
    "data-dependent-branching": lambda _: torch.compile(
        lambda x: x if x.sum() > 0 else -x, fullgraph=True, backend="eager"
    )(X),
    "trace-compiled": lambda _: torch.fx.symbolic_trace(
        torch.compile(lambda x: x + 1, backend="eager")
    ),
    "long-but-float": lambda _: nn.functional.cross_entropy(X, torch.ones(2)),
    "not-implemented-for-half": lambda _: torch.cdist(X.half(), X.half()),
    "amp-deprecated": lambda _: torch.cuda.amp.autocast(enabled=False),
    "scheduler-before-optimizer": scheduler_first,
    "deterministic-error": deterministic,
    "recompile-limit": many_values,
    "recompile-limit-fullgraph": many_sizes,
    "reduction-not-finished": unused_parameters,
    "marked-ready-twice": ready_twice,
    "ddp-sink-inplace": change_output,
    "grad-strides": gradient_in_another_order,
    "ddp-no-grad-params": lambda _: ddp(nn.ReLU()),
    "ddp-device-ids-cpu": lambda _: ddp(nn.Linear(2, 2), device_ids=[0]),
    "default-group": lambda _: dist.all_reduce(torch.ones(1)),
    "env-rank-expected": lambda _: dist.init_process_group("gloo"),
    "address-in-use": listen_twice,
    "tcpstore-timeout": nobody_listens,
    "address-not-resolved": nobody_of_that_name,
    "unrecognized-local-rank": old_argument,
    "compiled-without-cuda": lambda _: torch.cuda.device(0).__enter__(),
    "not-linked-with-device": lambda _: X.to("mps"),
    "negative-device-index": lambda _: torch.device("cuda", -1),
    "module-to-integers": lambda _: nn.Linear(2, 2).to(torch.int64),
    "deepcopy-non-leaf": lambda _: copy.deepcopy(nn.Parameter(X) * 2),
    "leaf-inplace": lambda _: nn.Parameter(torch.ones(2)).add_(1),
    "grad-of-vector": lambda _: nn.Parameter(torch.ones(2)).backward(),
    "size-of-tensor-a": lambda _: X + torch.ones(2, 4),
    "expected-channels": lambda _: nn.Conv2d(3, 1, 1)(torch.ones(1, 4, 4, 3)),
    "view-stride": lambda _: X.t().view(6),
    "bool-of-tensor": lambda _: bool(X),
    "inference-tensor": inference,
    "memory-summary-keyerror": lambda _: torch.cuda.memory_summary(),
    "index-of-dimension": lambda _: X[torch.tensor([3])],
    "negative-strides": lambda _: torch.from_numpy(numpy.ones(3)[::-1]),
    "numpy-object": lambda _: torch.tensor(numpy.array([[1], [1, 2]], dtype=object)),
    "num-samples-zero": lambda _: DataLoader([], shuffle=True),
    "prefetch-without-workers": lambda _: DataLoader([1], prefetch_factor=2),
    "parameter-group-size": other_groups,
    "returned-nan": gradient_of_root,
    "autocast-disabled": lambda _: torch.autocast("cuda"),
    "low-precision-linalg": lambda _: torch.linalg.inv(torch.eye(2).half()),
    "undefined-symbol-torch": not_defined("_ZN2at6Tensor9of_beforeEv"),
    "ninja-required": no_ninja,
    "unknown-cuda-arch": arch_list,
    "mixed-dtensor": layer_of_a_sharded_model,
    "no-space-left": full_disk,
    "torch-error-named-torch": command("-I", "-S", "-c", "import torch"),
    "no-matching-torch": pip("torch==0.0"),
    "no-version-satisfies-cu": pip("torch==0.0+cu117"),
    "not-a-supported-wheel": pip("./torch-0.0-cp27-cp27m-win32.whl"),
    "child-failed": lambda _: print(killed()),
    "sigkill-9": lambda _: print(killed()),
    "sigbus-7": lambda _: print(killed(signal.SIGBUS)),
    "rendezvous-timeout": nobody_to_meet(join_timeout=1),
    "c10d-store-connection": nobody_to_meet(is_host=0, read_timeout=1),
    "zero3-weight-2d": lambda _: nn.functional.embedding(torch.tensor([0]), torch.empty(0)),
    "parallelize-mesh-2d": split_over_a_whole_mesh,
    "omp-num-threads": lambda _: print(killed()),
    "torchrun-exitcode-2": no_such_script,
    "fsdp2-uniform-dtype": two_dtypes_sharded,
    "batch-norm-one-value": lambda _: nn.BatchNorm1d(3)(X[:1]),
    "sampler-and-shuffle": lambda _: DataLoader([X], sampler=[0], shuffle=True),
    "dcp-missing-key": not_in_the_checkpoint,
    "dcp-metadata-missing": no_metadata,
    "sync-batch-norm-cpu": synchronized_on_cpu,
    "unscale-twice": unscaled_twice,
    "checkpoint-use-reentrant": checkpointed(),
    "checkpoint-no-gradients": checkpointed(use_reentrant=True),
    "checkpoint-recomputed-differs": recomputed_otherwise,
    "hashes-do-not-match": wrong_hash,
    "torchrun-sighup": told_to_end(signal.SIGHUP),
    "torchrun-sigterm": told_to_end(signal.SIGTERM),
}


def grown_graph(body: Callable[[], object]) -> Callable[[Path], None]:
    """Record this in a CUDA graph."""

    def record(_: Path) -> None:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            body()

    return record


def on_gpu(*shape: int, device: object = "cuda:0") -> torch.Tensor:
    return torch.zeros(*shape, device=device)


def in_child(how: Callable[[], object]) -> Callable[[Path], None]:
    """What a forked process says of it, after this one has used CUDA."""

    def fork(_: Path) -> None:
        on_gpu(1)
        context = torch.multiprocessing.get_context("fork")
        child = context.Process(target=how)
        child.start()
        child.join(60)

    return fork


def mixed_autocast(_: Path) -> None:
    with torch.autocast("cuda", dtype=torch.bfloat16):
        nn.functional.binary_cross_entropy(on_gpu(3), on_gpu(3))


def linear_for_the_cpu(_: Path) -> None:
    weight = torch.quantize_per_tensor(torch.ones(2, 2), 1.0, 0, torch.qint8)
    packed = torch.ops.quantized.linear_prepack(weight, None)
    torch.ops.quantized.linear_dynamic(on_gpu(1, 2), packed)


def cpu_only_nms(_: Path) -> None:
    library = torch.library.Library("torchvision", "DEF")
    library.define("nms(Tensor boxes, Tensor scores, float iou_threshold) -> Tensor")
    library.impl("nms", lambda boxes, scores, iou: scores, "CPU")
    torch.ops.torchvision.nms(on_gpu(1, 4), on_gpu(1), 0.5)


class Replicated(nn.Linear):
    """A model whose forward pass is `how`, called with the replica and its part of the batch."""

    def __init__(self, how: Callable[[nn.Module, torch.Tensor], torch.Tensor]) -> None:
        super().__init__(3, 3)
        self.how = how

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.how(self, x)


def in_replicas(
    how: Callable[[nn.Module, torch.Tensor], torch.Tensor],
) -> Callable[[Path], object]:
    return lambda _: nn.DataParallel(Replicated(how).cuda())(on_gpu(4, 3))


def replicas(_: Path) -> None:
    nn.DataParallel(nn.Linear(3, 3).to("cuda:1"), device_ids=[0, 1])(on_gpu(2, 3))


class NotPinned:
    """A sample that cannot be copied to pinned memory."""

    def pin_memory(self) -> None:
        raise RuntimeError("CUDA error: out of memory")


def pinned_by_a_thread(_: Path) -> None:
    on_gpu(1)
    load_batches([0, 0], num_workers=1, pin_memory=True, collate_fn=lambda _: NotPinned())


def no_compiler(folder: Path) -> None:
    from triton.runtime import build

    before = {name: os.environ.pop(name, "") for name in ("PATH", "CC")}
    os.environ["PATH"] = str(folder)
    try:
        asked = inspect.signature(build._build).parameters.values()  # differs by version
        lists = [[] for one in asked if one.default is one.empty][3:]
        build._build("none", "", str(folder), *lists)
    finally:
        os.environ |= {name: value for name, value in before.items() if value}


def cpu_in_nccl(_: Path) -> None:
    device = torch.device("cuda:0")
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1, device_id=device)
    try:
        dist.all_reduce(torch.ones(1))
    finally:
        dist.destroy_process_group()


STAND_IN: Mapping[str, Callable[[Path], object]] = {
    "alloc-conf-unrecognized": lambda _: torch._C._accelerator_setAllocatorSettings("wrong:1"),
    "different-devices": lambda _: on_gpu(2) + on_gpu(2, device="cuda:1"),
    "index-on-cpu": lambda _: torch.zeros(2)[on_gpu(1).long()],
    "numpy-cuda": lambda _: on_gpu(2).numpy(),
    "generator-device": lambda _: torch.rand(2, device="cuda", generator=torch.Generator()),
    "pin-cuda-tensor": lambda _: on_gpu(2).pin_memory(),
    "out-of-memory": lambda _: on_gpu(2**40),
    "invalid-device-ordinal": lambda _: on_gpu(1, device="cuda:2"),
    "deserialize-fewer-gpus": saved_on_a_gpu("cuda:7"),
    "unsafe-to-autocast": mixed_autocast,
    "no-nms-cuda": cpu_only_nms,
    "no-backend-cuda": cpu_only_nms,
    "quantized-on-cuda": linear_for_the_cpu,
    "dp-device-ids": replicas,
    "dp-replica-failed": in_replicas(lambda model, _: next(model.parameters())),
    "dp-zero-dimensions": lambda _: nn.DataParallel(nn.Identity())(on_gpu(1).sum()),
    "dp-outputs-differ": in_replicas(lambda _, x: x[:, x.device.index :]),
    "fork-cuda": in_child(lambda: on_gpu(1)),
    "caught-in-pin-memory-thread": pinned_by_a_thread,
    "failed-c-compiler": no_compiler,
    "nccl-cpu-tensor": cpu_in_nccl,
    "capture-not-permitted": grown_graph(lambda: on_gpu(2).sum().item()),
    "cuda-graph-empty": grown_graph(lambda: None),
}


def waiting(_: Path) -> None:
    on_gpu(2).add_(1)  # a kernel, while zeros may be a memset
    torch.cuda.synchronize()


FAULTS: Mapping[str, tuple[Mapping[str, object], Callable[[Path], object]]] = {
    "misaligned-address": ({"fault": "launch=716@1"}, waiting),
    "launch-timed-out": ({"fault": "launch=702@1"}, waiting),
    "invalid-configuration": ({"fault": "launch=9@1"}, waiting),
    "ptx-unsupported": ({"fault": "launch=222@1"}, waiting),
    "ecc-error": ({"fault": "synchronize=214@1"}, waiting),
    "cuda-error-out-of-memory": ({"fault": "init=2"}, waiting),
    "nccl-no-gpus": (
        {"count": 0},
        lambda _: dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1),
    ),
    "sm70-required": (
        {"capability": "6.1"},
        lambda _: torch.compile(lambda x: x + 1)(on_gpu(2)),
    ),
}


def said(call: Callable[[Path], object]) -> str:
    """What the call writes, warns of and raises, with what led to it."""
    sys.stderr.flush()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as written:
        kept = os.dup(1), os.dup(2)
        os.dup2(written.fileno(), 1)
        os.dup2(written.fileno(), 2)
        try:
            call(Path(folder))
        except (Exception, SystemExit):
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, old in zip((1, 2), kept, strict=True):
                os.dup2(old, number)
                os.close(old)
        written.seek(0)
        return written.read()


def main(table: str, *ids: str) -> None:
    """Make the calls of a table, or those of the `ids` in it."""
    warnings.simplefilter("always")
    logging.basicConfig()
    for id, call in globals()[table].items():
        if not ids or id in ids:
            print(json.dumps([id, said(call if callable(call) else call[1])]), flush=True)
    os._exit(0)  # without the ends of what is KEPT


if __name__ == "__main__":
    main(*sys.argv[1:])
