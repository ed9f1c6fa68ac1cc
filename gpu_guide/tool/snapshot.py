"""`gpu-guide snapshot`: what the allocator's snapshot holds, added up as the viewer does."""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gpu_guide.dry_run.report import size
from gpu_guide.dry_run.words import Words
from gpu_guide.tool.snapshot_counts import summary
from gpu_guide.tool.words import why_of

MOST_PLACES = 10
MOST_FAILURES = 3
NEEDED = ("segments", "device_traces")


class _Plain(pickle.Unpickler):
    """Reads texts, numbers, lists and dictionaries, as a snapshot has them. A pickle with anything
    else may run code, and is refused."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name}")


def load(file: Path) -> dict[str, Any]:
    """A snapshot. Raises OSError, or ValueError with the reason where it is none."""
    try:
        with file.open("rb") as opened:
            found = _Plain(opened).load()
    except OSError:
        raise
    except Exception as error:  # what is no pickle at all raises anything
        raise ValueError(f"{type(error).__name__}: {error}") from None
    if not isinstance(found, dict) or any(key not in found for key in NEEDED):
        raise ValueError(f"no {', '.join(NEEDED)}")
    return found


def run(options: argparse.Namespace, say: Words) -> int:
    """0: it was read."""
    try:
        found = load(options.file)
    except OSError as error:
        why = why_of(error, say.language)
        print(say("unreadable", file=options.file, why=why), file=sys.stderr)
        return options.not_done
    except ValueError as error:
        print(say("no_snapshot", file=options.file, why=error), file=sys.stderr)
        return options.not_done
    told = summary(found, "line", options.device)
    if options.json:
        print(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        print("\n".join(_lines(told, say)))
    return 0


def _lines(told: Mapping[str, Any], say: Words) -> Iterator[str]:
    for one in told["devices"]:
        given = {key: size(one[key]) for key in ("reserved", "allocated", "free", "waiting")}
        largest = size(one["largestFree"])
        yield say("snapshot_device", device=one["device"], largest=largest, **given)
        counts = {key: one[key] for key in ("segments", "blocks")}
        yield "  " + say("snapshot_counts", requested=size(one["requested"]), **counts)
    places = [row for row in told["places"]["rows"] if row["bytes"]][:MOST_PLACES]
    if places:
        yield ""
        yield say("snapshot_places")
        for row in places:
            label = row["label"] or say("snapshot_no_stack")
            yield f"  {size(row['bytes']):>11}  {row['blocks']:>6} ×  {label}"
    if line := told["timeline"]:
        yield ""
        given = {"peak": size(line["peak"]), "end": size(line["end"]), "events": line["events"]}
        yield say("snapshot_peak", device=line["device"], at=line["peakAt"], **given)
    for row in told["failures"]["rows"][:MOST_FAILURES]:
        free = "?" if row["free"] is None else size(row["free"])
        yield say("snapshot_failure", size=size(row["size"]), free=free, place=row["place"])
