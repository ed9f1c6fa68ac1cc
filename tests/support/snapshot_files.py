"""Snapshots for the tests of the viewer: small ones at random, and a file as large as one likes."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

MIB = 2**20
STATES = ["active_allocated", "active_allocated", "active_pending_free", "inactive"]


def _frames(rng: random.Random, deepest: int = 6) -> list[dict[str, Any]]:
    """The pool of frames that the stacks of one snapshot are made of."""
    files = [
        "/home/me/train.py",
        "/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py",
        "C:\\venv\\Lib\\site-packages\\torch\\optim\\adamw.py",
        "<stdin>",
        "/tmp/ipykernel_7/训练.py",
        "/usr/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so",
    ]
    names = ["forward", "step", "__proto__", "torch::unwind::unwind()", "at::native::empty", "??"]
    pool = []
    for _ in range(12):
        frame = {"name": rng.choice(names), "filename": rng.choice(files)}
        pool.append(frame | {"line": rng.choice([0, 7, 300, 70_000, 3_000_000_000])})
    return [[rng.choice(pool) for _ in range(rng.randrange(deepest))] for _ in range(10)]


def _trace(rng: random.Random, stacks: list[Any], events: int) -> list[dict[str, Any]]:
    actions = ["alloc", "alloc", "free_requested", "free_completed", "segment_alloc", "oom"]
    actions += ["segment_free", "segment_map", "segment_unmap", "snapshot"]
    trace = []
    for number in range(events):
        event: dict[str, Any] = {"action": rng.choice(actions), "frames": rng.choice(stacks)}
        event["size"] = rng.choice([512, 1024, 3 * MIB, rng.randrange(2**34)])
        event["stream"] = 0
        event["pool_id"] = (0, rng.randrange(2))
        if rng.random() < 0.8:
            event["time_us"] = 1_795_384_120_829_770 + 1000 * number
        if rng.random() < 0.3:
            event["category"] = rng.choice(["parameter", "activation"])
        if rng.random() < 0.3:
            event["user_metadata"] = rng.choice(["", "step 1", "步骤 2"])
        if event["action"] == "oom":
            event["device_free"] = rng.choice([0, 5 * MIB])
        else:
            event["addr"] = rng.randrange(2**47)
        trace.append(event)
    return trace


def random_snapshot(seed: int) -> dict[str, Any]:
    """A snapshot in PyTorch's form; some keys are missing, some lists are empty or long."""
    rng = random.Random(seed)
    stacks = _frames(rng)
    segments = []
    for _ in range(rng.choice([0, 1, 2, 9, 60])):
        blocks = []
        for _ in range(rng.choice([0, 1, 5])):
            block: dict[str, Any] = {"size": 512 * rng.randrange(1, 90_000)}
            block["state"] = rng.choice(STATES)
            if rng.random() < 0.8:
                block["address"] = rng.randrange(2**47)
                block["requested_size"] = block["size"] - rng.randrange(512)
            if rng.random() < 0.8:
                block["frames"] = rng.choice(stacks)
            blocks.append(block)
        segment = {"total_size": sum(block["size"] for block in blocks), "blocks": blocks}
        if rng.random() < 0.8:
            segment |= {"device": rng.randrange(3), "address": rng.randrange(2**47), "stream": 0}
            segment |= {"segment_type": rng.choice(["small", "large"]), "is_expandable": False}
        segments.append(segment)
    counts = [rng.choice([0, 1, 3, 1500]) for _ in range(rng.randrange(4))]
    snapshot = {
        "segments": segments,
        "device_traces": [_trace(rng, stacks, events) for events in counts],
        "allocator_settings": {"max_split_size": -1, "threshold": 0.5, "big": 2**70, "raw": b"ab"},
        "external_annotations": [{"stage": "START", "time_us": 1}, {"stage": "END", "time_us": 2}],
        "host_traces": [[{"action": "alloc", "size": 1}]],
        "__proto__": None,
    }
    keys = list(snapshot)
    rng.shuffle(keys)
    return {key: snapshot[key] for key in keys}


def write_large(path: Path, size: int, depth: int = 90) -> int:
    """Write a snapshot of about `size` bytes as PyTorch's long histories are, and return the number
    of its events: each has a stack of its own of `depth` frames out of a few hundred.

    It is put together from opcodes, because Python would need many times as much memory.
    """
    memo: dict[str, int] = {}

    def text(value: str) -> bytes:
        if value in memo:
            return b"j" + struct.pack("<I", memo[value])
        memo[value] = len(memo)
        raw = value.encode()
        return b"X" + struct.pack("<I", len(raw)) + raw + b"r" + struct.pack("<I", memo[value])

    def number(value: int) -> bytes:
        return b"\x8a\x08" + struct.pack("<q", value)

    def put(name: str) -> bytes:
        memo[name] = len(memo)
        return b"r" + struct.pack("<I", memo[name])

    stacks: dict[int, bytes] = {}

    def stack(top: int) -> bytes:
        """Its frames, which are the same each time once all of them have been written."""
        known, parts = len(memo), []
        for level in range(depth):
            name = f"f{(level * 7 + (top if level < 3 else 0)) % 200}"
            if name in memo:
                parts.append(b"j" + struct.pack("<I", memo[name]))
                continue
            frame = b"}" + put(name) + b"(" + text("name") + text(f"call_{name}")
            frame += text("filename") + text(f"/home/me/{name}.py")
            parts.append(frame + text("line") + b"M\x10\x00u")
        written = b"".join(parts)
        if len(memo) == known:
            stacks[top] = written
        return written

    rng = random.Random(size)
    events = 0
    with path.open("wb") as file:
        file.write(b"\x80\x02}(" + text("device_traces") + b"]](")
        first = True
        while file.tell() < size:
            parts = []
            for _ in range(1000):
                action = ("alloc", "free_requested", "free_completed")[events % 3]
                parts.append(b"}" + put(f"event {events}") + b"(" + text("action") + text(action))
                parts.append(text("addr") + number(2**46 + 512 * (events // 3)))
                parts.append(text("size") + number(512 * (1 + events // 3 % 4000)))
                parts.append(text("stream") + b"K\x00" + text("time_us") + number(10**15 + events))
                parts.append(text("pool_id") + b"K\x00K\x00\x86" + put(f"pool {events}"))
                parts.append(text("frames") + b"]" + put(f"stack {events}") + b"(")
                top = rng.randrange(40)
                parts.append(stacks.get(top) or stack(top))
                parts.append(b"eu")
                events += 1
            file.write(b"" if first else b"(")
            file.write(b"".join(parts) + b"e")
            first = False
        file.write(b"a" + text("segments") + b"]u.")
    return events
