"""The search for the build of torch that a reader's machine can run: the wheel chooser asks it."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_guide.data.wheels import Build, Wheels, version

SYSTEMS = {
    "linux": "linux_x86_64",
    "wsl": "linux_x86_64",
    "linux-arm": "linux_aarch64",
    "windows": "windows",
    "mac": "macos",
    "mac-intel": "",
}
"""The systems to choose from, and the platform of their wheels."""
NEWEST = "99999"
"""A driver that runs everything."""


@dataclass(frozen=True)
class Wish:
    """What a reader has and wants.

    `gpus` are compute capabilities, none for a machine without an NVIDIA GPU; `driver` is "" where
    there is none; `torch` is a minor release, "" for the newest that fits.
    """

    system: str = "linux"
    tool: str = "pip"
    gpus: tuple[str, ...] = ()
    driver: str = ""
    python: str = "3.13"
    torch: str = ""
    china: bool = False
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """The build to take, and the release that has to be kept out of the same index."""

    build: Build
    below: str = ""


def find(wheels: Wheels, wish: Wish) -> Found | None:
    """The newest build that fits: the one rule of the chooser, the tables and the commands.

    The newest torch that is known to be published counts first, on an index that has a torchaudio
    for it where one is wished for. Of its builds, that of the newest CUDA major, and there of the
    oldest minor: it runs on every driver for that major, while a later one leans on NVIDIA's minor
    version compatibility.
    """
    if not _boards_run(wheels, wish):
        return None
    found = [_on_index(wheels, wish, cuda) for cuda in wheels.indexes]
    # Of several that are equal here, max takes the first, which is the oldest minor.
    return max(filter(None, found), key=lambda one: _rank(wheels, wish, one.build), default=None)


def _rank(wheels: Wheels, wish: Wish, build: Build) -> tuple[bool, tuple[int, ...], int]:
    audio = bool(torchaudio(wheels, wish, build.torch, build.cuda))
    return audio, version(build.torch), version(build.cuda)[0]


def torchaudio(wheels: Wheels, wish: Wish, torch: str, cuda: str) -> str:
    """The torchaudio for a release and its CUDA, "" where it is not wished for or there is none."""
    if "torchaudio" not in wish.packages:
        return ""
    found = wheels.companion("torchaudio", torch)
    release = next(r for r in wheels.releases if r.torch == found.release)
    built = {b.cuda for b in wheels.builds if b.torch == found.release and b.published}
    fits = wish.python in release.python and (not cuda or cuda in built)
    return found.version if fits else ""


def _on_index(wheels: Wheels, wish: Wish, cuda: str) -> Found | None:
    """The newest build for this CUDA that the machine runs."""
    if version(wish.driver or "0") < version(least_driver(wheels, wish, cuda)):
        return None
    below = ""
    for build in wheels.indexes[cuda]:
        if wish.torch not in ("", build.torch) or wish.python not in wheels.release(build).python:
            continue
        if not all(wheels.covers(build, c, SYSTEMS[wish.system]) for c in wish.gpus):
            below = build.torch
        elif "published" not in build.unchecked:
            return Found(build, below)
    return None


def least_driver(wheels: Wheels, wish: Wish, cuda: str) -> str:
    """The oldest driver for a build for this CUDA and for these cards."""
    driver = wheels.drivers_by_major[cuda.partition(".")[0]]
    least = [driver.windows if wish.system in ("windows", "wsl") else driver.linux]
    least += [wheels.known_since[gpu] for gpu in wish.gpus if gpu in wheels.known_since]
    return max(least, key=version)


def _boards_run(wheels: Wheels, wish: Wish) -> bool:
    """Whether the driver of a Jetson is new enough for code that was not made for it alone."""
    runs = [b.cuda for b in wheels.branches if version(b.driver) <= version(wish.driver or "0")]
    newest = max(map(version, runs), default=(0,))
    since = [b.since for b in wheels.integrated if b.since and b.capability in wish.gpus]
    return all(newest >= version(s) for s in since)
