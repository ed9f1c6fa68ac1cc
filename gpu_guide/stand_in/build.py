"""Compile the stand-in's libraries for one CUDA build of PyTorch, once, into a folder of its own.

The headers are those of the wheels in that environment, and nothing of them is kept here. Calls
that no source file answers are listed when it is built, from NVIDIA's own libraries and headers: a
stub for each says its name and fails.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gpu_guide.problems import fault
from gpu_guide.stand_in.environments import CUDA_MAJOR, CudaEnvironment, root

SOURCES = Path(__file__).parent / "runtime"
RUNTIME = f"libcudart.so.{CUDA_MAJOR}"
LIBRARIES = "libstand_in_libraries.so"
DRIVER = "driver"
"""The folder of what a driver brings: left out of the path on a machine that has none."""
_DRIVER_NAMES = ("libcuda.so.1", "libnvidia-ml.so.1")
_OF_LIBRARIES = (
    "cublas.c",
    "products.c",
    "cudnn.c",
    "cufft.c",
    "messages.c",
    "reductions.c",
    "groups.c",
    "exchanges.c",
    "collectives.c",
    "ends.c",
)
_FLAGS = ("-std=gnu17", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-pthread")
_DRIVER_CALL = re.compile(r"\bCUresult\s+(cu[A-Z]\w*)\s*\(")
# Calls whose answer needs no GPU are left to NVIDIA's own libraries: versions, texts of errors,
# the id of a group, cuDNN's plans, descriptors and sizes. cuptiGetVersion is none of them, because
# in CUDA 13.2 it looks for the driver.
_PURE = re.compile(
    r"(?<!^cuptiGet)Version|GetProperty|GetErrorString|GetErrorName|GetLastError"
    r"|GetResultString|GetStatus|GetUniqueId|cudnnBackend(Create|Destroy|Finalize|Get)"
    r"|cudnn(Create|Destroy|Set|Get)\w+Descriptor|cudnnGet(BatchNormalization|CTCLoss|RNNWeight)"
)
_NOT_SUPPORTED = {
    "cublas": 15,
    "cudnn": 3000,
    "cufft": 16,
    "cupti": 27,
    "cusolver": 9,
    "cusparse": 10,
    "nccl": 5,
}
"""How each library says that it does not support a call, in the numbers of its header."""
_CUDA_NOT_SUPPORTED = 801

_TEXTS = """
import ctypes, json, sys
cuda = ctypes.CDLL(sys.argv[1])
cuda.cudaGetErrorName.restype = cuda.cudaGetErrorString.restype = ctypes.c_char_p
codes = [*range(1000), 10**6]
texts = [[code, cuda.cudaGetErrorName(code), cuda.cudaGetErrorString(code)] for code in codes]
print(json.dumps([[code, name.decode(), words.decode()] for code, name, words in texts]))
"""


_ARCHITECTURES = "import torch; print(torch._C._cuda_getArchFlags() or '')"


@dataclass(frozen=True)
class Libraries:
    """The compiled libraries."""

    folder: Path

    @property
    def preloaded(self) -> tuple[Path, ...]:
        """What has to be loaded before all others."""
        return (self.folder / RUNTIME, self.folder / LIBRARIES)

    @property
    def driver(self) -> Path:
        """The folder in which a process finds a driver library."""
        return self.folder / DRIVER


def compiler() -> str:
    """The C compiler of this system. Raises GuideError where there is none."""
    named = os.environ.get("CC")
    for name in (named,) if named else ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return found
    what = f"CC names {named!r}, which is not there" if named else "no C compiler (cc, gcc, clang)"
    raise fault(None, None, what, "install one, for example with `sudo apt-get install gcc`")


def build(environment: CudaEnvironment) -> Libraries:
    """The libraries for this environment, compiled unless they have been already.

    Raises GuideError where there is no compiler, no space, or a source that does not compile; then
    nothing is left.
    """
    folder = root() / f"stand-in-{_key(environment)}"
    if folder.is_dir():
        return Libraries(folder)
    tool = compiler()
    if shutil.which("nm") is None:
        raise fault(None, None, "no nm, which lists symbols", "install the package binutils")
    try:
        with tempfile.TemporaryDirectory(prefix="stand-in-", dir=root()) as temporary:
            made = Path(temporary) / "made"
            work = Path(temporary) / "work"
            (made / DRIVER).mkdir(parents=True)
            work.mkdir()
            _Build(environment, tool, work, made).run()
            made.replace(folder)
    except OSError as error:
        if not folder.is_dir():  # another process was faster
            remedy = "free some space there, or name another folder in GPU_GUIDE_CUDA_ENVIRONMENTS"
            raise fault(root(), None, f"the stand-in cannot be written: {error}", remedy) from None
    return Libraries(folder)


def _key(environment: CudaEnvironment) -> str:
    parts = [environment.torch.encode(), Path(__file__).read_bytes()]
    parts += [file.name.encode() + file.read_bytes() for file in sorted(SOURCES.glob("*.[ch]"))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


@dataclass(frozen=True)
class _Build:
    environment: CudaEnvironment
    tool: str
    work: Path
    made: Path

    def run(self) -> None:
        self._write_error_texts()
        self._write_architectures()
        libraries = [self._compile(SOURCES / name) for name in _OF_LIBRARIES]
        others = sorted(file for file in SOURCES.glob("*.c") if file.name not in _OF_LIBRARIES)
        runtime = [self._compile(file) for file in others]
        here = self._defined(runtime)
        stubs = {name: _CUDA_NOT_SUPPORTED for name in self._cuda_calls() - here}
        runtime.append(self._compile(self._write_stubs("refused_cuda.c", stubs)))
        exported = self.work / "exported"
        version = f"{RUNTIME} {{ global: cuda*; __cuda*; cu*; nvml*; stand_in_*; local: *; }};\n"
        exported.write_text(version, encoding="utf-8")
        script = f"-Wl,--version-script={exported}"
        self._link(self.made / RUNTIME, [script, *map(str, runtime)])
        refused = self._library_calls() - self._defined(libraries)
        numbers = {name: _status(name) for name in refused}
        libraries.append(self._compile(self._write_stubs("refused_libraries.c", numbers)))
        after = ["-Wl,--no-as-needed", str(self.made / RUNTIME)]
        self._link(self.made / LIBRARIES, [*map(str, libraries), *after])
        for name in _DRIVER_NAMES:
            # Empty: what is asked of it is found in the runtime's library, which it needs.
            self._link(self.made / DRIVER / name, after)

    def _write_error_texts(self) -> None:
        runtime = self.environment.nvidia / "lib" / RUNTIME
        command = [str(self.environment.python), "-c", _TEXTS, str(runtime)]
        texts = json.loads(self._said(command))
        _, _, unknown = texts.pop()  # what it says of a number that is no error
        rows = [
            f'  {{{code}, "{name}", {json.dumps(words)}}},'
            for code, name, words in texts
            if name != unknown
        ]
        lines = [
            "static const struct text { int error; const char *name, *words; } texts[] = {",
            *rows,
            "};",
            f"#define UNRECOGNIZED {json.dumps(unknown)}",
        ]
        (self.work / "error_texts.h").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _write_architectures(self) -> None:
        """The compute capabilities for which PyTorch's kernels are compiled, in rising order."""
        said = self._said([str(self.environment.python), "-c", _ARCHITECTURES])
        numbers = sorted({int(number) for number in re.findall(r"sm_(\d+)", said)})
        text = f"static const int architectures[] = {{{', '.join(map(str, numbers))}}};\n"
        (self.work / "architectures.h").write_text(text, encoding="utf-8")

    def _cuda_calls(self) -> set[str]:
        """Every call of the runtime and of the driver."""
        runtime = self.environment.nvidia / "lib" / RUNTIME
        exported = self._names(["nm", "-D", "--defined-only", str(runtime)])
        header = self.work / "driver.c"
        header.write_text("#include <cuda.h>\n", encoding="utf-8")
        text = self._said([self.tool, "-E", *self._includes(), str(header)])
        calls = {name for name in exported if re.match(r"(__)?cuda[A-Z]", name)}
        return calls | set(_DRIVER_CALL.findall(text))

    def _library_calls(self) -> set[str]:
        """The calls of cuBLAS, cuDNN and the others that PyTorch's libraries make.

        The profiler is in libtorch_cpu.so. It calls CUPTI, which needs tables of the driver that
        are not documented. Without them, CUPTI of CUDA 13.2 recurses until the stack is full.
        """
        folder = self.environment.site / "torch" / "lib"
        libraries = [*sorted(folder.glob("*cuda*.so")), folder / "libtorch_cpu.so"]
        asked = self._names(["nm", "-D", "--undefined-only", *map(str, libraries)])
        return {name for name in asked if _status(name) and not _PURE.search(name)}

    def _write_stubs(self, name: str, statuses: dict[str, int]) -> Path:
        file = self.work / name
        lines = [
            "int stand_in_refused(const char *call, int status);",
            '#define REFUSED(name, status) __attribute__((visibility("default"))) int name(void) '
            "{ return stand_in_refused(#name, status); }",
            *(f"REFUSED({call}, {status})" for call, status in sorted(statuses.items())),
        ]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return file

    def _includes(self) -> list[str]:
        return [*(f"-I{folder}" for folder in self.environment.headers), f"-I{self.work}"]

    def _compile(self, source: Path) -> Path:
        out = self.work / f"{source.stem}.o"
        # __cudaGetKernel and the like are no names that a compiler knows to be its own.
        quiet = ["-fno-builtin", "-Wno-builtin-declaration-mismatch"]
        command = [self.tool, *_FLAGS, *quiet, *self._includes(), "-c", str(source), "-o", str(out)]
        self._said(command)
        return out

    def _link(self, out: Path, parts: Iterable[str]) -> None:
        self._said([self.tool, "-shared", "-pthread", f"-Wl,-soname,{out.name}", "-o", str(out),
                    *parts, "-ldl"])  # fmt: skip

    def _defined(self, objects: Iterable[Path]) -> set[str]:
        return self._names(["nm", "-g", "--defined-only", *map(str, objects)])

    def _names(self, command: list[str]) -> set[str]:
        words = (line.split() for line in self._said(command).splitlines())
        return {word[-1].partition("@")[0] for word in words if len(word) > 1}

    def _said(self, command: list[str]) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            what = f"building the stand-in stopped at\n  {' '.join(command)}\n{done.stderr.strip()}"
            remedy = "a compiler that is too old, a full disk, or headers of another CUDA"
            raise fault(None, None, what, remedy)
        return done.stdout


def _status(call: str) -> int:
    """What a library returns for a call that it does not support; 0 if it is none of theirs."""
    return next((code for name, code in _NOT_SUPPORTED.items() if call.startswith(name)), 0)
