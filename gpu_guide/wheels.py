"""Typed access to `data/wheels.yml`: which wheels of torch there are, and what each runs on.

A malformed file is refused with file, line, key and remedy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any

from gpu_guide import ROOT
from gpu_guide.data import DataError, entries

WHEELS = ROOT / "data" / "wheels.yml"
INDEX = "https://download.pytorch.org/whl/"
PLATFORMS = ("linux_x86_64", "linux_aarch64", "windows", "macos")

_CUDA = re.compile(r"1[1-9]\.\d")
_ARCH = re.compile(r"(?P<capability>\d+\.\d)(?P<ptx>\+PTX)?")


@dataclass(frozen=True)
class Source:
    """Where facts were read."""

    id: str
    zh: str
    en: str
    url: str


@dataclass(frozen=True)
class Driver:
    """The oldest driver for all builds of one CUDA major version."""

    cuda: str
    linux: str
    windows: str
    source: str
    read: date
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Generation:
    """A generation of GPUs: its compute capabilities, and some cards."""

    name: str
    capabilities: tuple[str, ...]
    cards: tuple[str, ...]
    source: str
    read: date
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """A minor release of torch: what `pip install torch` gives per platform, for which Python.

    A platform has "cpu", "none" (no wheel at all) or the CUDA version of its wheel.
    """

    torch: str
    latest: str
    python: tuple[str, ...]
    linux_x86_64: str
    linux_aarch64: str
    windows: str
    macos: str
    source: str
    read: date
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Build:
    """A CUDA build of one release, and the architectures compiled into it.

    `x86_64` is Linux x86-64 and Windows, `aarch64` is Linux Arm; "+PTX" is on Linux only.
    `published` is false where PyTorch announced that there is none, though its source names it.
    """

    torch: str
    cuda: str
    source: str
    read: date
    x86_64: tuple[str, ...] = ()
    aarch64: tuple[str, ...] = ()
    published: bool = True
    unchecked: tuple[str, ...] = ()

    @property
    def tag(self) -> str:
        """The name of its index: cu132."""
        return "cu" + self.cuda.replace(".", "")

    @property
    def index(self) -> str:
        """The address for pip's --index-url."""
        return INDEX + self.tag


@dataclass(frozen=True)
class Wheels:
    """All that the file holds, each kind in the file's order."""

    sources: tuple[Source, ...]
    drivers: tuple[Driver, ...]
    generations: tuple[Generation, ...]
    releases: tuple[Release, ...]
    builds: tuple[Build, ...]

    def driver(self, build: Build) -> Driver:
        """The oldest driver that runs the build."""
        major = build.cuda.split(".")[0]
        return next(driver for driver in self.drivers if driver.cuda == major)


_KINDS: dict[str, tuple[type, tuple[str, ...]]] = {
    "source": (Source, ("id",)),
    "driver": (Driver, ("cuda",)),
    "generation": (Generation, ("name",)),
    "release": (Release, ("torch",)),
    "build": (Build, ("torch", "cuda")),
}
"""The kinds of entries: the type of each, and the keys that tell one from another."""

_TYPES = {
    "str": (str, "a text", "write it in quotes"),
    "bool": (bool, "a truth", "write true or false"),
    "date": (date, "a date", "write it as 2026-11-21, without quotes"),
}


def runs(archs: tuple[str, ...], capability: str, *, ptx: bool = True) -> bool:
    """Whether code for `archs` runs on a GPU of this compute capability.

    Code for X.Y runs on X.Y and above within X; the driver compiles PTX for anything newer.
    `ptx` is false where the build has none: on Windows.
    """
    gpu = _version(capability)
    for arch in archs:
        match = _ARCH.fullmatch(arch)
        code = _version(match["capability"])
        if code <= gpu and (code[0] == gpu[0] or (ptx and match["ptx"])):
            return True
    return False


def load_wheels(path: Path = WHEELS) -> Wheels:
    """What the file holds. Raises DataError."""
    found: dict[str, dict[tuple[str, ...], Any]] = {kind: {} for kind in _KINDS}
    lines: dict[tuple[str, tuple[str, ...]], int] = {}
    for line, entry in entries(path):
        kind = entry.pop("kind", None)
        if kind not in _KINDS:
            raise DataError(path, line, f"kind: {kind!r}", f"write one of {', '.join(_KINDS)}")
        cls, keys = _KINDS[kind]
        value = _typed(path, line, cls, entry)
        name = tuple(getattr(value, key) for key in keys)
        if name in found[kind]:
            problem = f"{kind} {' '.join(name)} again, first on line {lines[kind, name]}"
            raise DataError(path, line, problem, "keep one of them")
        found[kind][name], lines[kind, name] = value, line
    wheels = Wheels(*(tuple(found[kind].values()) for kind in _KINDS))
    # Releases last: what is wrong with a build is better told there than by the release.
    for (kind, name), line in sorted(lines.items(), key=lambda item: item[0][0] == "release"):
        for problem, remedy in _faults(kind, found[kind][name], wheels):
            raise DataError(path, line, problem, remedy)
    return wheels


def _typed(path: Path, line: int, cls: type, entry: Mapping[str, Any]) -> Any:
    known = {field.name: field for field in fields(cls)}
    for key, value in entry.items():
        if key not in known:
            raise DataError(path, line, f"unknown key {key!r}", f"the keys are {', '.join(known)}")
        kind = known[key].type
        if kind.startswith("tuple"):
            if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
                remedy = 'write ["2.10", "2.9"], with numbers in quotes'
                raise DataError(path, line, f"{key}: {value!r} is not a list of texts", remedy)
        else:
            of, name, remedy = _TYPES[kind]
            if not isinstance(value, of) or value == "":
                raise DataError(path, line, f"{key}: {value!r} is not {name}", remedy)
    for key, field in known.items():
        if field.default is MISSING and key not in entry:
            raise DataError(path, line, f"{key}: missing", f"add '{key}: …' to this entry")
    for key in entry.get("unchecked", ()):
        if key not in known or key == "unchecked":
            remedy = f"name keys of this entry: {', '.join(known)}"
            raise DataError(path, line, f"unchecked: no key {key!r}", remedy)
    return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()})


def _faults(kind: str, entry: Any, wheels: Wheels) -> Iterator[tuple[str, str]]:
    """What does not fit the rest of the file, with the remedy of each."""
    sources = [source.id for source in wheels.sources]
    if kind != "source" and entry.source not in sources:
        yield f"source: no {entry.source!r}", f"the sources are {', '.join(sources)}"
    if kind == "generation":
        for capability in entry.capabilities:
            if not re.fullmatch(r"\d+\.\d", capability):
                yield f"capabilities: {capability!r}", 'write each like "8.6"'
    if kind == "release":
        built = [b.cuda for b in wheels.builds if b.torch == entry.torch and b.published]
        if not built:
            yield f"release {entry.torch} has no build", "add an entry of the kind build"
        for platform in PLATFORMS:
            given = getattr(entry, platform)
            if given not in ("cpu", "none", *built):
                remedy = f"write cpu, none, or one of its builds: {', '.join(built)}"
                yield f"{platform}: {given!r}", remedy
    if kind == "build":
        if not _CUDA.fullmatch(entry.cuda):
            yield f"cuda: {entry.cuda!r}", 'write it like "13.2"'
        if entry.torch not in [release.torch for release in wheels.releases]:
            yield f"torch: no release {entry.torch!r}", "add an entry of the kind release"
        if entry.cuda.split(".")[0] not in [driver.cuda for driver in wheels.drivers]:
            yield f"cuda: no driver for {entry.cuda!r}", "add an entry of the kind driver"
        for key in ("x86_64", "aarch64"):
            if not getattr(entry, key) and key not in entry.unchecked and entry.published:
                yield f"{key}: missing", f"add it, or name it in 'unchecked: [{key}]'"
            for arch in getattr(entry, key):
                if not _ARCH.fullmatch(arch):
                    yield f"{key}: {arch!r}", 'write each like "8.6" or "12.0+PTX"'


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
