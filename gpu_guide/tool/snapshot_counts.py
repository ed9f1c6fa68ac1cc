"""What the snapshot viewer counts, counted from the dictionary that Python's own pickle reads.

`theme/assets/snapshot-engine.js` counts the same from the bytes of the file, without ever having
all of it: the tests hold the two against each other. Sizes are in bytes.
"""

from __future__ import annotations

import pickletools
import re
from collections import Counter
from itertools import pairwise
from typing import Any

BINS = 512
ROWS = {"segments": 50, "blocks": 50, "places": 100, "failures": 20}
# The opcodes of the types that a snapshot has, in protocols 2 to 5.
ALLOWED = frozenset(
    re.findall(
        r"\w+",
        "PROTO FRAME MEMOIZE BINPUT LONG_BINPUT BINGET LONG_BINGET MARK STOP EMPTY_DICT EMPTY_LIST"
        " EMPTY_TUPLE NONE NEWTRUE NEWFALSE BININT1 BININT2 BININT LONG1 BINFLOAT SHORT_BINUNICODE"
        " BINUNICODE BINUNICODE8 SHORT_BINBYTES BINBYTES BINBYTES8 TUPLE1 TUPLE2 TUPLE3 TUPLE"
        " APPEND APPENDS SETITEM SETITEMS",
    )
)
_OWN = re.compile(r"[/\\](?:site|dist)-packages[/\\]torch[/\\]")
_PLUMBING = re.compile(r"\?\?$|torch::unwind|torch::CapturedTraceback|c10::|std::|at::detail::")

Stack = tuple[tuple[str, int], ...]


def refused(data: bytes) -> tuple[str, int] | None:
    """The first opcode that no snapshot needs and the byte where it stands."""
    for opcode, _, at in pickletools.genops(data):
        if opcode.name not in ALLOWED:
            return opcode.name, at or 0
    return None


def _rank(name: str, file: str) -> int:
    if file.endswith(".py") or file.startswith("<"):
        return 1 if _OWN.search(file) else 0
    return 3 if _PLUMBING.match(name) else 2


def _stack(frames: list[dict[str, Any]] | None) -> Stack:
    """Label and rank of each frame, the innermost first."""
    found = []
    for frame in frames or []:
        name, file = frame.get("name", "??"), frame.get("filename", "??")
        rank = _rank(name, file)
        shown = re.split(r"[/\\]", file)[-1] if rank > 1 else file
        found.append((f"{name} ({shown}:{frame.get('line', 0)})", rank))
    return tuple(found)


def _places(stack: Stack, by: str) -> list[str]:
    if not stack:
        return [""]
    if by == "all":
        return list(dict.fromkeys(label for label, _ in stack))
    for worst in (0, 1, 2) if by == "line" else (2,):
        for label, rank in stack:
            if rank <= worst:
                return [label]
    return [stack[0][0]]


def _of(snapshot: dict[str, Any], device: int | None) -> list[dict[str, Any]]:
    """The segments of a device, or all."""
    return [one for one in snapshot["segments"] if device in (None, one.get("device", 0))]


def _traces(snapshot: dict[str, Any], device: int | None) -> list[tuple[int, list[dict[str, Any]]]]:
    """The events of each device that has any."""
    traces = enumerate(snapshot.get("device_traces", []))
    return [(number, trace) for number, trace in traces if trace and device in (None, number)]


def _uses(snapshot: dict[str, Any], by: str, device: int | None) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}

    def rows(stack: Stack) -> list[dict[str, Any]]:
        empty = {"bytes": 0, "blocks": 0, "largest": 0, "allocations": 0, "given": 0}
        return [found.setdefault(one, {"label": one, **empty}) for one in _places(stack, by)]

    for segment in _of(snapshot, device):
        for block in segment["blocks"]:
            if block["state"] != "active_allocated":
                continue
            for row in rows(_stack(block.get("frames"))):
                row["bytes"] += block["size"]
                row["blocks"] += 1
                row["largest"] = max(row["largest"], block["size"])
    for _, trace in _traces(snapshot, device):
        for event in trace:
            if event["action"] == "alloc":
                for row in rows(_stack(event.get("frames"))):
                    row["allocations"] += 1
                    row["given"] += event["size"]
    return found


def _device(snapshot: dict[str, Any], number: int) -> dict[str, int]:
    segments = _of(snapshot, number)
    blocks = [block for segment in segments for block in segment["blocks"]]

    def size(chosen: list[dict[str, Any]]) -> int:
        return sum(block["size"] for block in chosen)

    allocated = [one for one in blocks if one["state"] == "active_allocated"]
    waiting = [one for one in blocks if one["state"].startswith("active") and one not in allocated]
    free = [one for one in blocks if not one["state"].startswith("active")]
    return {
        "device": number,
        "segments": len(segments),
        "blocks": len(blocks),
        "reserved": sum(segment["total_size"] for segment in segments),
        "allocated": size(allocated),
        "waiting": size(waiting),
        "free": size(free),
        "requested": sum(one.get("requested_size", one["size"]) for one in allocated),
        "largestFree": max((one["size"] for one in free), default=0),
    }


def _segments(snapshot: dict[str, Any], device: int | None) -> list[dict[str, Any]]:
    found = []
    for segment in _of(snapshot, device):
        blocks = segment["blocks"]
        inside = [one["size"] for one in blocks if one["state"] == "active_allocated"]
        free = [one["size"] for one in blocks if not one["state"].startswith("active")]
        found.append(
            {
                "device": segment.get("device", 0),
                "address": segment.get("address") or 0,
                "size": segment["total_size"],
                "stream": segment.get("stream", 0),
                "pool": segment.get("segment_type", ""),
                "blocks": len(blocks),
                "allocated": sum(inside),
                "largestFree": max(free, default=0),
            }
        )
    return sorted(found, key=lambda one: (-one["size"], one["device"], one["address"]))


def _blocks(snapshot: dict[str, Any], device: int | None) -> list[dict[str, Any]]:
    found = []
    for segment in _of(snapshot, device):
        for block in segment["blocks"]:
            found.append(
                {
                    "device": segment.get("device", 0),
                    "address": block.get("address") or 0,
                    "size": block["size"],
                    "requested": block.get("requested_size", block["size"]),
                    "state": block["state"],
                    "place": _places(_stack(block.get("frames")), "line")[0],
                }
            )
    return sorted(found, key=lambda one: (-one["size"], one["device"], one["address"]))


def _summed(snapshot: dict[str, Any], device: int | None, key: str) -> list[dict[str, Any]]:
    rows = []
    for number, trace in _traces(snapshot, device):
        times: Counter[str] = Counter()
        sizes: Counter[str] = Counter()
        for event in trace:
            label = event.get(key)
            if label and (key == "action" or event["action"] == "alloc"):
                times[label] += 1
                sizes[label] += event.get("size", 0)
        rows += [
            {"device": number, "label": one, "times": times[one], "bytes": sizes[one]}
            for one in times
        ]
    return sorted(rows, key=lambda row: (row["device"], -row["bytes"], row["label"]))


def _failures(snapshot: dict[str, Any], device: int | None) -> list[dict[str, Any]]:
    return [
        {
            "device": number,
            "event": at,
            "size": event["size"],
            "free": event.get("device_free"),
            "place": _places(_stack(event.get("frames")), "line")[0],
        }
        for number, trace in _traces(snapshot, device)
        for at, event in enumerate(trace, 1)
        if event["action"] == "oom"
    ]


def _timeline(snapshot: dict[str, Any], device: int | None) -> dict[str, Any] | None:
    traces = _traces(snapshot, device)
    if not traces:
        return None
    number, trace = max(traces, key=lambda one: len(one[1]))
    signs = {
        "alloc": (1, 0),
        "free_requested": (-1, 0),
        "segment_alloc": (0, 1),
        "segment_map": (0, 1),
        "segment_free": (0, -1),
        "segment_unmap": (0, -1),
    }
    lines = [(0, 0)]
    for event in trace:
        allocated, reserved = signs.get(event["action"], (0, 0))
        size = event.get("size", 0)
        lines.append((lines[-1][0] + allocated * size, lines[-1][1] + reserved * size))
    now = _device(snapshot, number)
    start = (now["allocated"] - lines[-1][0], now["reserved"] - lines[-1][1])
    lines = [(start[0] + allocated, start[1] + reserved) for allocated, reserved in lines[1:]]
    width = 1
    while len(trace) > width * BINS:
        width *= 2
    edges = [*range(0, len(lines), width), len(lines)]
    peak = max(allocated for allocated, _ in lines)
    times = [event["time_us"] for event in trace if "time_us" in event]
    actions = Counter(event["action"] for event in trace)
    return {
        "device": number,
        "events": len(trace),
        "width": width,
        "whole": not (actions["free_completed"] and not actions["free_requested"]),
        "microseconds": times[-1] - times[0] if times else None,
        "start": start[0],
        "end": now["allocated"],
        "peak": peak,
        "peakAt": 1 + [allocated for allocated, _ in lines].index(peak),
        "bins": [
            [max(line[which] for line in lines[first:last]) for which in (0, 1)]
            for first, last in pairwise(edges)
        ],
    }


def _few(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return {"rows": rows[: ROWS[name]], "of": len(rows)}


def summary(snapshot: dict[str, Any], by: str, device: int | None) -> dict[str, Any]:
    """What the tables show of one file, of one device or of all (None)."""
    seen = {segment.get("device", 0) for segment in snapshot["segments"]}
    numbers = sorted(seen | {number for number, _ in _traces(snapshot, None)})
    places = sorted(
        _uses(snapshot, by, device).values(),
        key=lambda row: (-row["bytes"], -row["given"], row["label"]),
    )
    return {
        "numbers": numbers,
        "devices": [_device(snapshot, one) for one in numbers if device in (None, one)],
        "places": _few(places, "places"),
        "segments": _few(_segments(snapshot, device), "segments"),
        "blocks": _few(_blocks(snapshot, device), "blocks"),
        "actions": _summed(snapshot, device, "action"),
        "categories": _summed(snapshot, device, "category"),
        "metadata": _summed(snapshot, device, "user_metadata"),
        "failures": _few(_failures(snapshot, device), "failures"),
        "timeline": _timeline(snapshot, device),
    }


def growth(
    before: dict[str, Any], after: dict[str, Any], by: str, device: int | None
) -> dict[str, Any]:
    """What grew from one snapshot to the other, by place: most first, then what shrank."""
    old, new = _uses(before, by, device), _uses(after, by, device)
    rows = []
    for label in dict.fromkeys([*old, *new]):
        was, now = ({"bytes": 0, "blocks": 0} | one.get(label, {}) for one in (old, new))
        row = {
            "label": label,
            "before": was["bytes"],
            "after": now["bytes"],
            "grown": now["bytes"] - was["bytes"],
            "blocks": now["blocks"] - was["blocks"],
        }
        if row["grown"] or row["blocks"]:
            rows.append(row)
    rows.sort(key=lambda row: (-row["grown"], -row["blocks"], row["label"]))
    return _few(rows, "places")
