"""The wheel that a machine can use: what is wrong with a pip command on it, by data/wheels.yml."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpu_guide.data.wheels import PLATFORMS, Build, Wheels, version


@dataclass(frozen=True)
class Machine:
    """What decides which wheel a machine can use.

    `platform` is one of PLATFORMS; WSL is Linux with the driver of Windows. `driver` is "" where
    there is none. `python` is like "3.14" or "3.14t".
    """

    platform: str
    python: str
    driver: str
    capabilities: tuple[str, ...]
    wsl: bool = False


def objections(wheels: Wheels, machine: Machine, tag: str, below: str = "") -> list[str]:
    """Why `pip install "torch<below" --index-url …/tag` is wrong here; [] where it is right.

    pip takes the newest release that the index has for this Python. Where the data do not know
    whether the index has a release, that one and the next must both be right.
    """
    offered = [build for build in wheels.builds if build.tag == tag and build.published]
    offered.sort(key=lambda build: version(build.torch), reverse=True)
    found: list[str] = []
    for build in offered:
        if machine.python not in wheels.release(build).python:
            continue
        if below and version(build.torch) >= version(below):
            continue
        found += _misfits(wheels, machine, build)
        if "published" not in build.unchecked:
            return found
    return [*found, f"{tag} has no torch for Python {machine.python}"]


def some_build_runs(wheels: Wheels, machine: Machine) -> bool:
    """Whether any command at all would be right on this machine."""
    order = ["", *(release.torch for release in wheels.releases)]
    return any(
        not objections(wheels, machine, build.tag, order[order.index(build.torch) - 1])
        for build in wheels.builds
        if not any(_misfits(wheels, machine, build))
    )


def _misfits(wheels: Wheels, machine: Machine, build: Build) -> Iterator[str]:
    name = f"torch {build.torch} {build.tag}"
    if machine.platform == "macos" or machine.platform not in PLATFORMS:
        yield f"{name} is not for {machine.platform}"
    if not machine.driver:
        yield "there is no driver"
        return
    driver = wheels.driver(build)
    least = [driver.windows if machine.wsl or machine.platform == "windows" else driver.linux]
    least += [
        gpu.driver
        for gpu in wheels.generations
        if gpu.driver and set(gpu.capabilities) & set(machine.capabilities)
    ]
    for number in least:
        if version(machine.driver) < version(number):
            yield f"{name} needs driver {number}, not {machine.driver}"
    for board in wheels.integrated:
        if board.capability in machine.capabilities and board.since:
            newest = [b for b in wheels.branches if version(b.driver) <= version(machine.driver)]
            if not any(version(b.cuda) >= version(board.since) for b in newest):
                yield f"{name}: the driver of {board.boards[0]} is older than CUDA {board.since}"
    for capability in machine.capabilities:
        if not wheels.covers(build, capability, machine.platform):
            yield f"{name} has no code for {capability}"
