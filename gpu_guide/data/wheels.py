"""Typed access to `data/wheels.yml`: which wheels of torch there are, and what each runs on.

A malformed file is refused with file, line, key and remedy.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from gpu_guide.data.entries import entries, only_once, typed
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

INDEX = "https://download.pytorch.org/whl/"
PACKAGES = ("torchvision", "torchaudio")
PLATFORMS = ("linux_x86_64", "linux_aarch64", "windows", "macos")

_CUDA = re.compile(r"1[1-9]\.\d")
_ARCH = re.compile(r"(?P<capability>\d+\.\d)(?P<ptx>\+PTX)?")


@dataclass(frozen=True)
class Source:
    """Where facts were read."""

    id: str
    title: Mapping[Language, str]
    """In the file, a key for each language."""
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
class Branch:
    """A branch of drivers, and the newest CUDA that it runs: nvidia-smi's "CUDA Version"."""

    driver: str
    cuda: str
    source: str
    read: date
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Generation:
    """A generation of GPUs: its compute capabilities, and some cards.

    `driver` is the oldest that knows the cards, where the driver of a build for them may be older;
    `last_driver` is the last branch that knows them.
    """

    name: str
    capabilities: tuple[str, ...]
    cards: tuple[str, ...]
    source: str
    read: date
    driver: str = ""
    last_driver: str = ""
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Integrated:
    """A GPU of a Jetson board: until CUDA `since` it runs no code but that for its own number."""

    capability: str
    boards: tuple[str, ...]
    source: str
    read: date
    since: str = ""
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """A minor release of torch: what `pip install torch` gives per platform, for which Python.

    A platform has "cpu", "mps" (the Mac's wheel), "none" (no wheel) or the CUDA of its wheel.
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
class Companion:
    """The torchvision or torchaudio that came out with the version `torch`.

    It has wheels for the Pythons of that release, and for its CUDA builds. `fits` are the minor
    releases of torch that it runs with.
    """

    package: str
    version: str
    torch: str
    fits: tuple[str, ...]
    source: str
    read: date
    unchecked: tuple[str, ...] = ()

    @property
    def release(self) -> str:
        """The minor release of torch with which it came out."""
        return self.torch.rpartition(".")[0]


@dataclass(frozen=True)
class Series:
    """GPUs of one compute capability: how a list shows them, and their names in nvidia-smi as a
    regular expression, which Python and JavaScript read alike."""

    label: str
    names: str
    capability: str
    source: str
    read: date
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Build:
    """A CUDA build of one release, and the architectures compiled into it.

    `x86_64` is Linux x86-64 and Windows, `aarch64` is Linux Arm; "+PTX" is on Linux only.
    `published` is false where the index of releases has none, though its source names it;
    `nightly` is true where the nightly index has it instead.
    """

    torch: str
    cuda: str
    source: str
    read: date
    x86_64: tuple[str, ...] = ()
    aarch64: tuple[str, ...] = ()
    published: bool = True
    nightly: bool = False
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
    branches: tuple[Branch, ...]
    generations: tuple[Generation, ...]
    integrated: tuple[Integrated, ...]
    releases: tuple[Release, ...]
    companions: tuple[Companion, ...]
    series: tuple[Series, ...]
    builds: tuple[Build, ...]

    @functools.cached_property
    def indexes(self) -> dict[str, list[Build]]:
        """The builds that are published for each CUDA, the oldest first: newest torch first."""
        found: dict[str, list[Build]] = {}
        for build in sorted(self.builds, key=lambda b: version(b.torch), reverse=True):
            if build.published and (build.x86_64 or build.aarch64):
                found.setdefault(build.cuda, []).append(build)
        return dict(sorted(found.items(), key=lambda item: version(item[0])))

    @functools.cached_property
    def known_since(self) -> dict[str, str]:
        """By compute capability, the oldest driver that knows its cards, where that counts."""
        return {c: g.driver for g in self.generations if g.driver for c in g.capabilities}

    @functools.cached_property
    def drivers_by_major(self) -> dict[str, Driver]:
        """By CUDA major version."""
        return {driver.cuda: driver for driver in self.drivers}

    @functools.cached_property
    def _releases(self) -> dict[str, Release]:
        return {release.torch: release for release in self.releases}

    def driver(self, build: Build) -> Driver:
        """The oldest driver that runs the build."""
        return self.drivers_by_major[build.cuda.partition(".")[0]]

    def release(self, build: Build) -> Release:
        """The release that the build is of."""
        return self._releases[build.torch]

    def companion(self, package: str, torch: str) -> Companion:
        """The torchvision or torchaudio for a minor release of torch: the one that came out with
        it, or else the newest that runs with it."""
        fitting = [c for c in self.companions if c.package == package and torch in c.fits]
        return next((c for c in fitting if c.release == torch), fitting[0])

    def covers(self, build: Build, capability: str, system: str = "linux_x86_64") -> bool:
        """Whether code of the build runs on a GPU of this compute capability, on a platform."""
        archs = build.aarch64 if system == "linux_aarch64" else build.x86_64
        for board in self.integrated:
            if board.capability == capability and not (
                board.since and version(board.since) <= version(build.cuda)
            ):
                return capability in archs
        return runs(archs, capability, ptx=system != "windows")


_KINDS: dict[str, tuple[type, tuple[str, ...]]] = {
    "source": (Source, ("id",)),
    "driver": (Driver, ("cuda",)),
    "branch": (Branch, ("driver",)),
    "generation": (Generation, ("name",)),
    "integrated": (Integrated, ("capability",)),
    "release": (Release, ("torch",)),
    "companion": (Companion, ("package", "version")),
    "series": (Series, ("names",)),
    "build": (Build, ("torch", "cuda")),
}
"""The kinds of entries: the type of each, and the keys that distinguish one from another."""


@functools.cache
def runs(archs: tuple[str, ...], capability: str, *, ptx: bool = True) -> bool:
    """Whether code for `archs` runs on a GPU of this compute capability.

    Code for X.Y runs on X.Y and above within X; the driver compiles PTX for anything newer.
    `ptx` is false where the build has none: on Windows. `Wheels.covers` knows the Jetson boards.
    """
    gpu = version(capability)
    for arch in archs:
        match = _ARCH.fullmatch(arch)
        code = version(match["capability"])
        if code <= gpu and (code[0] == gpu[0] or (ptx and match["ptx"])):
            return True
    return False


def load_wheels(project: Project) -> Wheels:
    """What the project's data/wheels.yml holds. Raises GuideError."""
    path = project.wheels
    found: dict[str, dict[tuple[str, ...], Any]] = {kind: {} for kind in _KINDS}
    lines: dict[tuple[str, tuple[str, ...]], int] = {}
    for line, entry in entries(path):
        kind = entry.pop("kind", None)
        if kind not in _KINDS:
            raise fault(path, line, f"kind: {kind!r}", f"write one of {', '.join(_KINDS)}")
        cls, keys = _KINDS[kind]
        value = typed(path, line, cls, entry, project.languages)
        name = tuple(getattr(value, key) for key in keys)
        if name in found[kind]:
            problem = f"{kind} {' '.join(name)} again, first on line {lines[kind, name]}"
            raise fault(path, line, problem, "keep one of them")
        found[kind][name], lines[kind, name] = value, line
    wheels = Wheels(*(tuple(found[kind].values()) for kind in _KINDS))
    # Releases last: what is wrong with a build is better told there than by the release.
    for (kind, name), line in sorted(lines.items(), key=lambda item: item[0][0] == "release"):
        for problem, remedy in _faults(kind, found[kind][name], wheels):
            raise fault(path, line, problem, remedy)
    return wheels


def load_sourced(
    project: Project, path: Path, kind: str, cls: type[Any], key: str
) -> tuple[tuple[Source, ...], dict[int, Any]]:
    """The sources of a file, and by line what it has of one other kind, whose `key` is its name and
    whose `source` names some of them. Raises GuideError."""
    sources: dict[str, Source] = {}
    found: dict[int, Any] = {}
    for line, entry in entries(path):
        has = entry.pop("kind", None)
        if has not in ("source", kind):
            raise fault(path, line, f"kind: {has!r}", f"the kinds are source and {kind}")
        if has == "source":
            source = typed(path, line, Source, entry, project.languages)
            sources[source.id] = source
            continue
        one = typed(path, line, cls, entry, project.languages)
        only_once(path, line, key, getattr(one, key), [getattr(o, key) for o in found.values()])
        for id in one.source:
            if id not in sources:
                remedy = did_you_mean(id, sources)
                raise fault(path, line, f"source: no {id!r}", remedy)
        found[line] = one
    return tuple(sources.values()), found


def _faults(kind: str, entry: Any, wheels: Wheels) -> Iterator[tuple[str, str]]:
    """What does not fit the rest of the file, with the remedy of each."""
    sources = [source.id for source in wheels.sources]
    if kind != "source" and entry.source not in sources:
        yield f"source: no {entry.source!r}", f"the sources are {', '.join(sources)}"
    if kind == "generation":
        for capability in entry.capabilities:
            if not re.fullmatch(r"\d+\.\d", capability):
                yield f"capabilities: {capability!r}", 'write each like "8.6"'
    if kind == "integrated" and not re.fullmatch(r"\d+\.\d", entry.capability):
        yield f"capability: {entry.capability!r}", 'write it like "8.7"'
    if kind == "companion":
        if entry.package not in PACKAGES:
            yield f"package: {entry.package!r}", f"write one of {', '.join(PACKAGES)}"
        known = [release.torch for release in wheels.releases]
        for torch in (entry.release, *entry.fits):
            if torch not in known:
                yield f"companion: no release {torch!r}", "add an entry of the kind release"
    if kind == "series":
        if not re.fullmatch(r"\d+\.\d", entry.capability):
            yield f"capability: {entry.capability!r}", 'write it like "8.6"'
        try:
            re.compile(entry.names)
        except re.error as error:
            yield f"names: {entry.names!r}: {error}", "correct the regular expression"
    if kind == "release":
        for package in PACKAGES if wheels.companions else ():
            if not any(c.package == package and entry.torch in c.fits for c in wheels.companions):
                yield (
                    f"release {entry.torch} has no {package}",
                    "add an entry of the kind companion",
                )
        built = [b.cuda for b in wheels.builds if b.torch == entry.torch and b.published]
        if not built:
            yield f"release {entry.torch} has no build", "add an entry of the kind build"
        for platform in PLATFORMS:
            given = getattr(entry, platform)
            if given not in ("cpu", "mps", "none", *built):
                remedy = f"write cpu, mps, none, or one of its builds: {', '.join(built)}"
                yield f"{platform}: {given!r}", remedy
    if kind == "build":
        if not _CUDA.fullmatch(entry.cuda):
            yield f"cuda: {entry.cuda!r}", 'write it like "13.2"'
        if entry.torch not in [release.torch for release in wheels.releases]:
            yield f"torch: no release {entry.torch!r}", "add an entry of the kind release"
        if entry.cuda.split(".")[0] not in [driver.cuda for driver in wheels.drivers]:
            yield f"cuda: no driver for {entry.cuda!r}", "add an entry of the kind driver"
        if entry.nightly and entry.published:
            yield "nightly: true, and published", "write 'published: false', or drop 'nightly'"
        for key in ("x86_64", "aarch64"):
            if not getattr(entry, key) and key not in entry.unchecked and entry.published:
                yield f"{key}: missing", f"add it, or name it in 'unchecked: [{key}]'"
            for arch in getattr(entry, key):
                if not _ARCH.fullmatch(arch):
                    yield f"{key}: {arch!r}", 'write each like "8.6" or "12.0+PTX"'


@functools.cache
def version(text: str) -> tuple[int, ...]:
    """The numbers of a version, to be compared."""
    return tuple(int(part) for part in text.split("."))
