"""Facts of a pasted text, each with the line it was read from; nothing is judged.

A fact has a name and, once or more often, a value:

env.KEY           a line of `collect_env`: env.pytorch version, env.is cuda available, …
pip.NAME, conda.NAME   a package, with its version
torch.build       a version with a build, such as 2.13.0+cu130, wherever it stands
torch.available   what a session printed below a line with torch.cuda.is_available()
raised            the last line of an exception
var.NAME          a variable such as CUDA_VISIBLE_DEVICES
smi.KEY           the first line of the table of nvidia-smi: smi.driver, smi.cuda
gpu.KEY           a field of a GPU; of a table, what stands in it: see `smi.GPU_FIELDS`
q.SECTION/KEY     a line of `nvidia-smi -q`, with the section it stands in
xid               the number of an Xid error in the kernel's log
doctor            the code of a diagnosis of the guide's doctor.py
container …       what a line mentions: see the mentions in data/diagnosis.yml
memory.others …   what the numbers of an out-of-memory message say: see `memory.py`
driver.short …    what follows from several of them: see `_concluded`

Work is bounded: of a text `LONGEST` characters are looked at, of a line `WIDEST`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from gpu_guide.data.diagnosis import Knowledge
from gpu_guide.data.errors import LONGEST
from gpu_guide.data.wheels import runs, version
from gpu_guide.diagnosis.memory import memory_facts
from gpu_guide.diagnosis.smi import Table, read_table

WIDEST = 400
"""How many characters of a line are read for facts; messages are found in whole lines."""
KEYS = frozenset(
    (
        "pytorch version",
        "cuda used to build pytorch",
        "rocm used to build pytorch",
        "os",
        "python platform",
        "is cuda available",
        "is xpu available",
        "gpu models and configuration",
        "nvidia driver version",
    )
)
"""The lines of `collect_env` that are read."""
NAMES = {
    "cuda available": "is cuda available",
    "platform": "python platform",
    "pytorch": "pytorch version",
    "available": "is cuda available",
    "torch": "pytorch version",
}
"""What transformers, accelerate, LLaMA-Factory, mmcv and Lightning call some of them."""
HEAD = (
    r"(?:[Dd]river(?: [Vv]ersion)?|\u9a71\u52a8(?:\u7248\u672c)?)(?: is|\u662f)? ?[:\uff1a]? ?"
    r"([0-9]{3}\.[0-9]{2,3}(?:\.[0-9]{2})?)[^0-9]{1,40}"
    r"CUDA(?: [Vv]ersion)?(?: is|\u662f)? ?[:\uff1a]? ?([0-9]{2}\.[0-9])"
)
"""The first line of the table of nvidia-smi, which people also type into a sentence."""
ASKED = "cuda.is_available()"
BELOW = 6
"""So many lines below the question an answer is looked for: a warning may be between them."""
FULL = 0.97
"""From this share of its memory on, a GPU counts as full."""

_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_LINE_END = re.compile(r"\r\n|\n|\r")
_KEY = re.compile(r"[>#|* -]*([A-Za-z][A-Za-z ]{1,40}?)(?: \(GPU\?\))? ?: ?(.*)")
_OF_OTHERS = re.compile("[0-9]+[.][0-9]|(?:Linux|Windows|macOS)-|(?:True|False)$")
_AND_GPU = re.compile(r"([^ ]+) \((True|False|GPU)\)")
_CARD = re.compile(r"((?:NVIDIA|Tesla|Quadro|GeForce) [^,]{2,60})(?:,.*)?")
_LISTED = re.compile(r"GPU ([0-9]+): (.+?)(?: \(UUID.*)?")
_TOLD = re.compile(
    r"[^A-Za-z0-9]{0,6}GPUs?[^A-Za-z0-9]{1,6}((?:NVIDIA|GeForce|RTX|GTX|[AHLVTP][0-9]).{1,60})"
)
_SAID = re.compile(
    r"cuda\.is_available\(\)[^A-Za-z=]{0,9}(?:always |returns? |is |返回)*[^A-Za-z]{0,3}"
    r"(?:False|false)(?!:)"
)
_PIP = re.compile(r"\[pip3?\] ([A-Za-z0-9_.-]+)==([^ ]+)")
_CONDA = re.compile(r"\[conda\] ([A-Za-z0-9_.-]+) ([0-9][^ ]*.*)")
_FREEZE = re.compile(r"(torch|torchvision|torchaudio)(?: ?== ?| )([0-9][^ ]*)")
_BUILD = re.compile(r"(?:^|[^A-Za-z0-9_.-])([12]\.[0-9]+\.[0-9]+\+(?:cu[0-9]{2,3}|cpu|xpu))")
_VARIABLE = re.compile(r"(?:export |set |\$env:)?([A-Z]+_VISIBLE_DEVICES) ?= ?(.*)")
_ANSWER = re.compile(r"(?:.{0,80}[ ,:])?(True|False)\)?")
_RAISED = re.compile(r"[A-Za-z_.]{0,80}(?:Error|Exception)(?::.*)?")
_XID = re.compile(r"(?:NVRM: Xid \([^)]{1,40}\):|caused by previous Xid) ([0-9]{1,3})")
_QUERY = re.compile(r"[` ]*(?:Timestamp|Driver Version|Attached GPUs) {2,}: ")
_REPORT = re.compile(r"(?:Diagnosis: |诊断：)([a-z0-9-]+)")
_SECTION = re.compile(r"( *)(GPU [0-9A-Fa-f]{4,8}:.*|[^:]+)")
_LEAF = re.compile(r"( *)([^:]{1,60}?) *: ?(.*)")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(MiB|W|%)?")


@dataclass
class Reading:
    """The lines of a text with single blanks, and the facts: by name, values with their lines."""

    lines: list[str]
    cut: bool = False
    facts: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    table: Table | None = None
    next: list[str] = field(default_factory=list)
    """What the doctor says to run."""

    def add(self, name: str, value: str, line: int) -> None:
        """One more value of a fact."""
        self.facts.setdefault(name, []).append((value, line))

    def first(self, *names: str) -> tuple[str, int] | None:
        """The first value of the first of these facts that is there."""
        return next((self.facts[name][0] for name in names if name in self.facts), None)


def read(text: str, known: Knowledge) -> Reading:
    """The facts in the text."""
    cut = len(text) > LONGEST
    if cut:
        text = text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]
    raw = _LINE_END.split(_TERMINAL.sub("", text))
    reading = Reading([" ".join(line.split()) for line in raw], cut)
    short = [line[:WIDEST] for line in reading.lines]
    for number, line in enumerate(short):
        _read_line(reading, known, line, number)
    _read_session(reading, short)
    for fact in memory_facts(reading.lines):
        reading.add(*fact)
    _read_report(reading, text)
    _read_query(reading, raw)
    reading.table = read_table(short)
    if reading.table:
        _read_gpus(reading, reading.table)
    else:
        _read_head(reading, short)
    _concluded(reading, known)
    return reading


def _read_line(reading: Reading, known: Knowledge, line: str, number: int) -> None:
    if at := _KEY.fullmatch(line):
        key = at[1].lower()
        if key in KEYS or (key in NAMES and _OF_OTHERS.match(at[2])):
            _read_key(reading, NAMES.get(key, key), at[2], number)
        elif key in ("gpu type", "accelerator") and (card := _CARD.fullmatch(at[2])):
            reading.add("gpu.name", card[1], number)
    if at := _LISTED.fullmatch(line):
        reading.add("gpu.name", at[2], number)
    if at := _TOLD.fullmatch(line):
        reading.add("gpu.name", at[1], number)
    for pattern, kind in ((_PIP, "pip"), (_CONDA, "conda"), (_FREEZE, "pip")):
        at = pattern.fullmatch(line)
        if at and f"{kind}.{at[1].lower()}" not in reading.facts:
            reading.add(f"{kind}.{at[1].lower()}", at[2], number)
    if (at := _BUILD.search(line)) and "torch.build" not in reading.facts:
        reading.add("torch.build", at[1], number)
    if at := _VARIABLE.fullmatch(line):
        reading.add(f"var.{at[1].lower()}", at[2], number)
    for at in _XID.finditer(line):
        reading.add("xid", at[1], number)
    for one in known.mentions:
        if at := re.search(one.pattern, line):
            reading.add(one.fact, at[0], number)
    if at := _REPORT.fullmatch(line):
        reading.add("doctor", at[1], number)


def _read_key(reading: Reading, key: str, value: str, number: int) -> None:
    """A line of `collect_env`, or of another tool's list, which may say more behind the version."""
    if f"env.{key}" in reading.facts:
        return
    told = _AND_GPU.fullmatch(value) if key == "pytorch version" else None
    reading.add(f"env.{key}", told[1] if told else value, number)
    if told and "env.is cuda available" not in reading.facts:
        reading.add("env.is cuda available", str(told[2] != "False"), number)
    if key == "gpu models and configuration" and not re.match(r"$|No |Could|N/A", value):
        reading.add("gpu.name", re.sub(r"^GPU [0-9]+: ", "", value), number)


def _read_session(reading: Reading, lines: list[str]) -> None:
    """What Python answered when asked for a GPU, and what it raised."""
    asked = -BELOW - 1
    for number, line in enumerate(lines):
        if at := _SAID.search(line):
            reading.add("torch.available", "False", number)
            asked = -BELOW - 1
        elif ASKED in line:
            asked = number
        elif number - asked <= BELOW and (at := _ANSWER.fullmatch(line)):
            reading.add("torch.available", at[1], number)
            asked = -BELOW - 1
        if _RAISED.fullmatch(line):
            reading.add("raised", line, number)


def _read_report(reading: Reading, text: str) -> None:
    """The JSON of doctor.py, which may be surrounded by other lines."""
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or '"diagnosis"' not in text:
        return
    try:
        found = json.loads(text[begin : end + 1])["diagnosis"]
        code, commands = found["code"], found["next"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    if not isinstance(code, str) or not isinstance(commands, list):
        return
    number = next((n for n, line in enumerate(reading.lines) if f'"{code}"' in line), 0)
    reading.add("doctor", code, number)
    reading.next = [command for command in commands if isinstance(command, str)][:12]


def _read_query(reading: Reading, raw: list[str]) -> None:
    """The lines of `nvidia-smi -q`, where blanks at the beginning say what belongs to what."""
    inside = False
    above: list[tuple[int, str]] = []
    for number, line in enumerate(raw):
        if "NVSMI LOG" in line or _QUERY.match(line):
            inside = True
        if not inside or not line.strip():
            continue
        line = line[:WIDEST].replace("\t", "    ").rstrip(" ")
        section = _SECTION.fullmatch(line)
        leaf = None if section else _LEAF.fullmatch(line)
        found = section or leaf
        if not found:
            continue
        while above and above[-1][0] >= len(found[1]):
            above.pop()
        if section:
            above.append((len(section[1]), section[2].lower()))
        elif leaf:
            parent = above[-1][1] if above else ""
            parent = "" if parent.startswith("gpu 0") else parent
            reading.add(f"q.{parent}/{leaf[2].lower()}".replace("q./", "q."), leaf[3], number)


def _read_gpus(reading: Reading, table: Table) -> None:
    for key, text in table.head.items():
        reading.add(f"smi.{key}", text, table.line)
    for gpu in table.gpus:
        first, second = int(gpu["line"]), int(gpu.get("line2", gpu["line"]))
        for key, text in gpu.items():
            if key.startswith("line"):
                continue
            line = first if key in ("index", "name", "mode", "bus", "display", "ecc") else second
            reading.add(f"gpu.{key}", str(text), int(gpu["line3"]) if key == "mig" else line)
            if "ERR!" in str(text) or "Unknown Error" in str(text):
                reading.add("gpu.broken", f"{key}: {text}", line)
        ecc, perf = str(gpu.get("ecc", "")), str(gpu.get("perf", ""))
        if ecc.isascii() and ecc.isdigit() and int(ecc):
            reading.add("gpu.uncorrected", ecc, first)
        used, total = _amount(gpu.get("used")), _amount(gpu.get("total"))
        power, cap = _amount(gpu.get("power")), _amount(gpu.get("cap"))
        busy = (_amount(gpu.get("util")) or 0) >= 50
        if used is not None and total:
            if used >= FULL * total:
                reading.add("gpu.full", f"{gpu['used']} / {gpu['total']}", second)
            mine = [one for one in table.processes if one["gpu"] == gpu["index"]]
            windows = gpu.get("mode") in ("WDDM", "MCDM")
            if used >= total / 10 and table.no_processes and not mine and not windows:
                reading.add("gpu.held", f"{gpu['used']} / {gpu['total']}", second)
        if busy and re.fullmatch("P([5-9]|1[0-5])", perf):
            reading.add("gpu.slow", perf, second)
        if busy and power is not None and cap and power >= FULL * cap:
            reading.add("gpu.capped", f"{gpu['power']} / {gpu['cap']}", second)
        instances = [one for one in table.instances if one["gpu"] == gpu["index"]]
        if gpu.get("mig") == "Enabled" and table.no_instances and not instances:
            reading.add("gpu.unsplit", str(gpu["index"]), int(gpu["line3"]))


def _read_head(reading: Reading, lines: list[str]) -> None:
    """The first line of the table of `nvidia-smi` where a sentence quotes it."""
    for number, line in enumerate(lines):
        if at := re.search(HEAD, line):
            reading.add("smi.driver", at[1], number)
            reading.add("smi.cuda", at[2], number)
            return


def _concluded(reading: Reading, known: Knowledge) -> None:
    """What follows from several facts.

    where          windows, wsl or mac, where a line says so
    torch.cuda     the CUDA version of the build; torch.release its release
    driver         the driver's version; driver.short or driver.enough: for that build
    gpu.uncovered  a GPU for which the build has no code; gpu.covered: one for which it has
    torch.unpaired torchvision of another release; conda.other: conda has torch in another version
    """
    system = reading.first("env.os")
    under = reading.first("env.python platform") or ("", 0)
    if system and system[0].lower().startswith(("macos", "mac os")):
        reading.add("where", "mac", system[1])
    elif system and "windows" in system[0].lower():
        reading.add("where", "windows", system[1])
    elif "microsoft" in under[0].lower():
        reading.add("where", "wsl", under[1])
    elif under[0].startswith(("macOS", "Windows")):
        reading.add("where", "mac" if under[0][0] == "m" else "windows", under[1])
    for mode, line in reading.facts.get("gpu.mode", []):
        if mode in ("WDDM", "MCDM", "TCC"):
            reading.add("where", "windows", line)

    build = reading.first("torch.build")
    torch = reading.first("env.pytorch version") or build
    official = re.match(r"([12]\.[0-9]+)\.[0-9]+(\+cu[0-9]+)?$", torch[0]) if torch else None
    cuda = reading.first("env.cuda used to build pytorch")
    if not cuda or not re.match(r"1[0-9]\.[0-9]", cuda[0]):
        tag = build and re.search(r"\+cu([0-9]{3})$", build[0])
        cuda = (f"{tag[1][:2]}.{tag[1][2:]}", build[1]) if build and tag else None
    driver = reading.first("smi.driver", "env.nvidia driver version", "q.driver version")
    if driver and re.match(r"[0-9]{3}\.[0-9]", driver[0]):
        number = _version(driver[0])
        reading.add("driver", number, driver[1])
        runs_cuda = reading.first("smi.cuda", "q.cuda version")
        # From 11 on, a driver for any minor version of CUDA runs those of the same major version.
        wanted = cuda[0] if cuda and cuda[0] in known.drivers else cuda and cuda[0].split(".")[0]
        if cuda and wanted and (least := known.drivers.get(wanted)):
            windows = {where for where, _ in reading.facts.get("where", [])} & {"windows", "wsl"}
            short = version(number) < version(least[1 if windows else 0])
            if wanted != cuda[0] and runs_cuda and re.match(r"1[0-9]\.", runs_cuda[0]):
                short = int(runs_cuda[0].split(".")[0]) < int(wanted)
            name = "driver.short" if short else "driver.enough"
            reading.add(name, number, driver[1])
            reading.add(name, f"CUDA {cuda[0]}", cuda[1])
    if cuda:
        reading.add("torch.cuda", cuda[0], cuda[1])
        # What others compile has code for GPUs of their choice.
        for name, line in reading.facts.get("gpu.name", []) if official else ():
            _cover(reading, known, name, line, official[1], cuda)
    _pairs(reading)


def _cover(
    reading: Reading, known: Knowledge, name: str, line: int, release: str, cuda: tuple[str, int]
) -> None:
    card = known.card(name)
    number = _version(cuda[0])
    if not card or not number:
        return
    archs = known.builds.get((release, number), ())
    if archs:
        windows = any(where == "windows" for where, _ in reading.facts.get("where", []))
        covered = runs(archs, card.capability, ptx=not windows)
    else:
        covered = not card.cuda or version(card.cuda) <= version(number)
    fact = "gpu.covered" if covered else "gpu.uncovered"
    reading.add(fact, f"{name}: {card.capability}", line)
    reading.add(fact, f"CUDA {cuda[0]}", cuda[1])


def _pairs(reading: Reading) -> None:
    plain = r"([0-9])\.([0-9]+)\.[0-9]+(\+[a-z]+)?[0-9]*"
    torch, vision = reading.first("pip.torch"), reading.first("pip.torchvision")
    one = torch and re.fullmatch(plain, torch[0])
    other = vision and re.fullmatch(plain, vision[0])
    if torch and vision and one and other and one[1] == "2" and other[1] == "0":
        tags = {one[3], other[3]}
        if int(other[2]) != int(one[2]) + 15 or tags == {"+cpu", "+cu"}:
            reading.add("torch.unpaired", f"torch {torch[0]}", torch[1])
            reading.add("torch.unpaired", f"torchvision {vision[0]}", vision[1])
    whole = reading.first("env.pytorch version", "pip.torch")
    for name in ("conda.pytorch", "conda.torch"):
        beside = reading.first(name)
        if not whole or not beside:
            continue
        have = {_version(whole[0]), _version(beside[0])}
        if len(have) == 2 and "" not in have:
            reading.add("conda.other", beside[0], beside[1])
            reading.add("conda.other", whole[0], whole[1])


def _version(text: str) -> str:
    """The number at the beginning: "2.13.0" of "2.13.0+cu130", "" where there is none."""
    found = _NUMBER.match(text)
    return found[0] if found else ""


def _amount(text: object) -> float | None:
    found = _AMOUNT.fullmatch(str(text or ""))
    return float(found[1]) if found else None
