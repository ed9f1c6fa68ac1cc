"""The ledger: what each kernel allocated, for which line, and what was assumed on the way."""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import pickle
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import torch

from .errors import FOLDER
from .sites import Sites

STEPS = "GPU_GUIDE_DRY_RUN_STEPS"
"""After how many optimizer steps a script is stopped; 0 is never."""
ASSUMED = "GPU_GUIDE_DRY_RUN_ASSUMED"
"""What a value is taken to be that no kernel computed."""
SHARE = "GPU_GUIDE_DRY_RUN_SHARE"
"""Which share of a mask is taken to be true, from 0 to 1."""
SNAPSHOT = "GPU_GUIDE_DRY_RUN_SNAPSHOT"
"""Where the allocator's own snapshot is written; none where it is not set."""
MOST_EVENTS = 4_000_000
"""Events of the allocator that are kept: the oldest are lost beyond that."""


class Ledger:
    """One process's record. Times are numbers of kernels: `now` is that of the last one begun."""

    def __init__(self, folder: Path, steps: int, assumed: float, share: float) -> None:
        self.folder, self.steps, self.assumed, self.share = folder, steps, assumed, share
        self.sites = Sites()
        self.now = 0
        self.ops: list[tuple[int, int, int]] = []
        """For each kernel: its name, its place in the code, its phase, as numbers."""
        self.names: dict[str, int] = {}
        self.phases = ("forward", "backward", "optimizer", "communication")
        self.doing: str | None = None
        """A phase that the code has entered; None: forward, or backward within a node."""
        self.results: list[list[int]] = []
        """For each kernel the addresses of what it returned."""
        self.marks: list[tuple[str, int, int]] = []
        """Kind, address of a storage, and when it was seen."""
        self.step_ends: list[dict[str, int]] = []
        self.steps_without_gpu = 0
        self.shapes_only: Counter[str] = Counter()
        self.assumptions: Counter[tuple[str, int]] = Counter()
        self.rank = int(os.environ.get("RANK", "0"))
        self.ranks = int(os.environ.get("WORLD_SIZE", "1"))
        self.compiled = False
        """Whether the script asked for torch.compile."""
        self.saved: list[tuple[str, int]] = []
        """Files that torch.save wrote, and where in the code."""
        self.applied = True
        """Whether what was to be tried found something to act on."""
        self.searched = False
        """Whether it asked cuDNN to search for the fastest algorithms."""
        self.out_of_memory: dict[str, Any] | None = None
        self.stopped = False
        self._history = False
        self._written = False
        self._lock = threading.Lock()

    @classmethod
    def of_environment(cls) -> Ledger:
        """The ledger that the variables of this process describe."""
        read = os.environ
        return cls(Path(read[FOLDER]), int(read[STEPS]), float(read[ASSUMED]), float(read[SHARE]))

    def begin(self, name: str) -> int:
        """Enter a kernel, so that what is allocated from here on is its own. Returns its time."""
        if not self._history:
            self._history = True
            stacks = "all" if os.environ.get(SNAPSHOT) else None
            torch.cuda.memory._record_memory_history(
                enabled="all", context=stacks, stacks="python", max_entries=MOST_EVENTS
            )
            torch._C._cuda_attach_out_of_memory_observer(self._on_out_of_memory)
        node = torch._C._current_autograd_node()
        phase = self.phases.index(self.doing) if self.doing else int(node is not None)
        with self._lock:
            number = self.names.setdefault(name, len(self.names))
            self.ops.append((number, self.sites.here(node), phase))
            self.results.append([])
            self.now += 1
            return self.now - 1

    def allocates_for(self, time: int) -> None:
        """Say whose the next allocations are; -1: nobody's."""
        torch._C._cuda_setMemoryMetadata(str(time) if time >= 0 else "")

    def mark(self, kind: str, tensor: torch.Tensor | None) -> None:
        """Say what the memory of a tensor on a GPU is for."""
        if tensor is None or not tensor.is_cuda:
            return
        local = getattr(tensor, "_local_tensor", tensor)  # of a DTensor, what lies on this rank
        try:
            address = local.untyped_storage().data_ptr()
        except (RuntimeError, NotImplementedError):  # without storage, as a fake tensor is
            return
        if address:
            self.marks.append((kind, address, self.now))

    def mark_what_is_there(self) -> None:
        """Mark the weights, gradients and optimizer states that the process holds now."""
        for thing in gc.get_objects():
            try:
                kind = type(thing)  # isinstance would ask proxies for their class
                if issubclass(kind, torch.nn.Module):
                    for weight in thing.parameters(recurse=False):
                        self.mark("weights", weight)
                        for part in _beside(weight):
                            self.mark("weights", part)
                        self.mark("gradients", weight.grad)
                    for buffer in thing.buffers(recurse=False):
                        self.mark("weights", buffer)
                elif issubclass(kind, torch.optim.Optimizer):
                    self.mark_optimizer(thing)
            except Exception:  # a proxy that answers for its class, and nothing else
                continue

    def mark_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        """Mark what an optimizer keeps for each weight."""
        for state in optimizer.state.values():
            for value in state.values() if isinstance(state, dict) else ():
                if isinstance(value, torch.Tensor):
                    self.mark("optimizer", value)

    def end_step(self) -> bool:
        """Note the end of an optimizer step; whether it was the last one that is wanted."""
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            self.rank, self.ranks = torch.distributed.get_rank(), torch.distributed.get_world_size()
        if not self._history:  # what trains on the CPU shows nothing, however long it runs
            self.steps_without_gpu += 1
            return bool(self.steps) and self.steps_without_gpu >= self.steps
        self.step_ends.append({"now": self.now})
        return bool(self.steps) and len(self.step_ends) >= self.steps

    def _on_out_of_memory(self, device: int, asked: int, total: int, free: int) -> None:
        self.out_of_memory = {
            "device": device,
            "asked": asked,
            "now": self.now,
            "site": self.sites.here(torch._C._current_autograd_node()),
            "in_step": len(self.step_ends) + 1,
        }
        self.mark_what_is_there()

    def write_at_exit(self) -> None:
        """Write the ledger when the process ends, however it does."""
        atexit.register(self.write)
        leave = os._exit

        def write_and_leave(status: int) -> None:
            self.write()
            leave(status)

        os._exit = write_and_leave

    def write(self) -> None:
        """Write it, once: `<folder>/<process>.json`. Nothing where no GPU was used."""
        if self._written or not self._history or os.getpid() != _PROCESS:
            return
        self._written = True
        self.mark_what_is_there()
        devices = range(torch.cuda.device_count())
        snapshot = torch.cuda.memory._snapshot()
        traces = snapshot["device_traces"]
        stats = [torch.cuda.memory_stats(device) for device in devices]
        record = {
            "rank": self.rank,
            "ranks": self.ranks,
            "compiled": self.compiled,
            "searched": self.searched,
            "applied": self.applied,
            "saved": self.saved,
            "managed": _managed(),
            "torch": torch.__version__,
            "events": [[_short(event) for event in trace] for trace in traces],
            "peak": [_peak(one, "allocated_bytes") for one in stats],
            "reserved": [_peak(one, "reserved_bytes") for one in stats],
            "total": [torch.cuda.get_device_properties(d).total_memory for d in devices],
            "names": list(self.names),
            "phases": self.phases,
            "sites": self.sites.described(),
            "ops": self.ops,
            "results": self.results,
            "marks": self.marks,
            "steps": self.step_ends,
            "stopped": self.stopped,
            "shapes_only": dict(self.shapes_only),
            "assumed": [[kind, site, n] for (kind, site), n in self.assumptions.items()],
            "out_of_memory": self.out_of_memory,
            # A script that goes on with a smaller batch has made a step since.
            "survived": bool(self.out_of_memory)
            and len(self.step_ends) >= self.out_of_memory["in_step"],
            "lost": any(len(trace) >= MOST_EVENTS for trace in traces),
        }
        file = self.folder / f"{os.getpid()}.json"
        part = file.with_suffix(".part")
        part.write_text(json.dumps(record), encoding="utf-8")
        part.replace(file)
        if (wanted := os.environ.get(SNAPSHOT)) and record["rank"] == 0:
            with open(wanted, "wb") as out:
                pickle.dump(snapshot, out)


_PROCESS = os.getpid()


def _beside(weight: torch.Tensor) -> list[torch.Tensor]:
    """The tensors that a quantized weight of bitsandbytes keeps in itself: scales and tables."""
    found: list[torch.Tensor] = []
    inner = [vars(weight)]
    while inner:
        for value in inner.pop().values():
            if isinstance(value, torch.Tensor):
                found.append(value)
            elif type(value).__name__ == "QuantState":  # and the state of its scales
                inner.append(vars(value))
    return found


def _managed() -> int:
    """Bytes of memory that moves between GPU and host."""
    asked = ctypes.CDLL(None).stand_in_managed
    asked.restype = ctypes.c_size_t
    return int(asked())


def _short(event: dict[str, Any]) -> list[Any]:
    return [event["action"], event.get("addr", 0), event["size"], event.get("user_metadata", "")]


def _peak(stats: dict[str, Any], name: str) -> int:
    return stats.get(f"{name}.all.peak", 0)
