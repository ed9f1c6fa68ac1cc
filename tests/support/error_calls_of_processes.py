"""Calls that raise messages in other processes: workers, commands, torchrun, builds of code."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from unittest.mock import patch
from zipfile import ZipFile

import torch
from free_port import free_port
from torch.utils.data import DataLoader


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


def cuda_home(_: Path) -> None:
    from torch.utils import cpp_extension

    with patch.object(cpp_extension, "CUDA_HOME", None):
        cpp_extension.include_paths("cuda")


def other_toolkit(folder: Path) -> None:
    from torch.utils import cpp_extension

    nvcc = folder / "bin/nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text("#!/bin/sh\necho Cuda compilation tools, release 9.2, V9.2.148\n", "utf-8")
    nvcc.chmod(0o755)
    home = patch.object(cpp_extension, "CUDA_HOME", str(folder))
    with home, patch.object(torch.version, "cuda", "13.0"):
        cpp_extension._check_cuda_version("c++", None)


def sizes_that_differ(_: Path) -> None:
    load_batches([torch.ones(2), torch.ones(3)])


def arch_list(_: Path) -> None:
    from torch.utils import cpp_extension

    with patch.dict(os.environ, TORCH_CUDA_ARCH_LIST="99.9"):
        cpp_extension._get_cuda_arch_flags()


def no_ninja(folder: Path) -> None:
    from torch.utils import cpp_extension

    with patch.dict(os.environ, PATH=str(folder)):
        cpp_extension.verify_ninja_availability()


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


def wrong_hash(folder: Path) -> None:
    wheel, required = folder / "one-1-py3-none-any.whl", folder / "required.txt"
    with ZipFile(wheel, "w") as archive:
        archive.writestr("one-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: one\nVersion: 1")
    required.write_text(f"{wheel} --hash=sha256:{'0' * 64}\n", "utf-8")
    pip("--dry-run", "-r", str(required))(folder)


# The first ones fork, which goes wrong once PyTorch has threads.
CPU: Mapping[str, Callable[[Path], object]] = {
    "worker-bus-error": by_signal(signal.SIGBUS),
    "worker-killed": by_signal(signal.SIGKILL),
    "worker-segfault": by_signal(signal.SIGSEGV),
    "worker-exited": in_worker(lambda: os._exit(1)),
    "dataloader-timed-out": lambda _: load_batches(
        Dying(lambda: time.sleep(1)), num_workers=1, timeout=1
    ),
    "backend-extension-failed": plug_in_that_fails,
    "another-torch": folder_named_torch,
    "pin-no-accelerator": lambda _: load_batches([0, 0], pin_memory=True),
    "libcuda-missing": no_such_library("libcuda.so.1"),
    "libcudart-missing": no_such_library("libcudart.so.11.0"),
    "libcudnn-missing": no_such_library("libcudnn.so.9"),
    "nccl-version-symbol": not_defined("ncclCommWindowRegister"),
    "cusparse-symbol": not_defined("__nvJitLinkCreate_12_8"),
    "itt-symbol": not_defined("iJIT_NotifyEvent"),
    "cuda-home": cuda_home,
    "detected-cuda-mismatches": other_toolkit,
    "stack-size": sizes_that_differ,
    "default-collate-type": lambda _: load_batches([None, None]),
    "undefined-symbol-torch": not_defined("_ZN2at6Tensor9of_beforeEv"),
    "ninja-required": no_ninja,
    "unknown-cuda-arch": arch_list,
    "torch-error-named-torch": command("-I", "-S", "-c", "import torch"),
    "no-matching-torch": pip("torch==0.0"),
    "no-version-satisfies-cu": pip("torch==0.0+cu117"),
    "not-a-supported-wheel": pip("./torch-0.0-cp27-cp27m-win32.whl"),
    "child-failed": lambda _: print(killed()),
    "sigkill-9": lambda _: print(killed()),
    "sigbus-7": lambda _: print(killed(signal.SIGBUS)),
    "rendezvous-timeout": nobody_to_meet(join_timeout=1),
    "c10d-store-connection": nobody_to_meet(is_host=0, read_timeout=1),
    "omp-num-threads": lambda _: print(killed()),
    "torchrun-exitcode-2": no_such_script,
    "hashes-do-not-match": wrong_hash,
    "torchrun-sighup": told_to_end(signal.SIGHUP),
    "torchrun-sigterm": told_to_end(signal.SIGTERM),
}
