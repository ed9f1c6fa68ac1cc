"""The table that `nvidia-smi` prints, in the formats of its driver generations, as data.

Nothing is judged here. Blanks between the words of a line make no difference, because forums and
mail programs lose them; the bars between the cells have to be there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

GPU_FIELDS = (
    "index",
    "name",
    "mode",
    "bus",
    "display",
    "ecc",
    "fan",
    "temp",
    "perf",
    "power",
    "cap",
    "used",
    "total",
    "util",
    "compute",
    "mig",
)
"""What a GPU may have, in the order of the table; "mode" is Persistence-M, or TCC or WDDM."""

_VERSION = re.compile(r"NVIDIA-SMI ([^ |]+)")
_DRIVER = re.compile(r"(?:Driver|KMD) Version ?: ?([^ |]+)")
_CUDA = re.compile(r"CUDA(?: UMD)? Version ?: ?([^ |]+)")
_FIRST = re.compile(r"([0-9]+) ([^ ].*?)(?: (On|Off|N/A|WDDM|TCC|MCDM|ERR!))?")
_BUS = re.compile(r"([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])(?: ([^ ]+))?")
_SECOND = re.compile(r"([^ ]+) ([^ ]+) ([^ ]+) ([^ ].*?) ?/ ?([^ ].*)")
_PAIR = re.compile(r"([^ ]+) ?/ ?([^ ]+)")
_UTIL = re.compile(r"([^ ]+) ([^ ].*)")
_INSTANCE = re.compile(r"([0-9]+) ([0-9]+) ([0-9]+) ([0-9]+)")
_PROCESS = re.compile(
    r"([0-9]+) (?:(N/A|[0-9]+) (N/A|[0-9]+) )?([0-9]+) (C\+G|M\+C|C|G) "
    r"([^ ].*?)(?: ([0-9]+ ?MiB|N/A))?"
)


@dataclass
class Table:
    """One table: its first line, its GPUs, their MIG instances and their processes.

    Each maps the names of the table's fields to their content; "line" and "line2" are
    indexes into the lines that were read, of the first and of the second line of a GPU.
    """

    head: dict[str, str] = field(default_factory=dict)
    line: int = -1
    gpus: list[dict[str, str | int]] = field(default_factory=list)
    instances: list[dict[str, str | int]] = field(default_factory=list)
    processes: list[dict[str, str | int]] = field(default_factory=list)
    no_processes: bool = False
    no_instances: bool = False


def read_table(lines: Sequence[str]) -> Table | None:
    """The first table in the lines, which have single blanks; None where there is none."""
    table = Table()
    part = ""
    for number, line in enumerate(lines):
        found = _VERSION.search(line)
        if found and _DRIVER.search(line):
            if part:
                break
            part, table.line = "gpus", number
            table.head["smi"] = found[1]
            for key, pattern in (("driver", _DRIVER), ("cuda", _CUDA)):
                if at := pattern.search(line):
                    table.head[key] = at[1]
            continue
        if not part:
            continue
        low = line.lower()
        if "mig devices:" in low:
            part = "instances"
        elif "processes:" in low:
            part = "processes"
        elif "no running processes found" in low:
            table.no_processes = True
        elif "no mig devices found" in low:
            table.no_instances = True
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 3:
            continue
        cells = cells[1:]
        if part == "gpus":
            _gpu_line(table, cells, number)
        elif part == "instances":
            _instance_line(table, cells, number)
        elif part == "processes":
            _process_line(table, cells[0], number)
    return table if part else None


def _gpu_line(table: Table, cells: list[str], number: int) -> None:
    if len(cells) < 3:
        return
    first, bus = _FIRST.fullmatch(cells[0]), _BUS.fullmatch(cells[1])
    if first and bus:
        gpu: dict[str, str | int] = {"index": first[1], "name": first[2], "line": number}
        found = {"mode": first[3], "bus": bus[1], "display": bus[2], "ecc": cells[2]}
        table.gpus.append(gpu | {key: text for key, text in found.items() if text})
        return
    if not table.gpus:
        return
    gpu = table.gpus[-1]
    second, memory = _SECOND.fullmatch(cells[0]), _PAIR.fullmatch(cells[1])
    if second and memory and "line2" not in gpu:
        keys = ("fan", "temp", "perf", "power", "cap")
        gpu |= dict(zip(keys, second.groups(), strict=True))
        gpu |= {"used": memory[1], "total": memory[2], "line2": number}
        if util := _UTIL.fullmatch(cells[2]):
            gpu |= {"util": util[1], "compute": util[2]}
    elif "line2" in gpu and not cells[0] and not cells[1] and cells[2] and "mig" not in gpu:
        gpu |= {"mig": cells[2], "line3": number}


def _instance_line(table: Table, cells: list[str], number: int) -> None:
    found = _INSTANCE.fullmatch(cells[0])
    memory = _PAIR.fullmatch(cells[1]) if len(cells) > 1 else None
    if found and memory:
        keys = ("gpu", "gi", "ci", "device")
        one: dict[str, str | int] = dict(zip(keys, found.groups(), strict=True))
        one |= {"used": memory[1], "total": memory[2], "line": number}
        table.instances.append(one)


def _process_line(table: Table, cell: str, number: int) -> None:
    found = _PROCESS.fullmatch(cell)
    if found:
        keys = ("gpu", "gi", "ci", "pid", "type", "name", "memory")
        texts = zip(keys, found.groups(), strict=True)
        one: dict[str, str | int] = {key: text for key, text in texts if text}
        table.processes.append(one | {"line": number})
