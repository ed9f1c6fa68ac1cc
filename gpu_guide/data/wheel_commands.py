"""The pip commands of the wheel chooser as rows of a table, for readers without JavaScript.

They are the chooser's own answers, so a new release of torch or a new index changes both at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpu_guide.data.wheel_chooser import answer
from gpu_guide.data.wheel_search import Wish
from gpu_guide.data.wheels import Generation, Wheels, version

WITH_CUDA = ("linux", "wsl", "windows")
WITHOUT = (*WITH_CUDA, "mac")


@dataclass(frozen=True)
class Row:
    """A command, and for whom it is: each of the systems with each of the GPUs and at least this
    driver, or, without `gpus`, machines without an NVIDIA GPU. The first row that fits is meant."""

    command: str
    systems: tuple[str, ...]
    gpus: tuple[Generation, ...] = ()
    linux: str = ""
    windows: str = ""

    def driver(self, system: str) -> str:
        """The oldest driver that will do; WSL uses that of Windows."""
        return self.linux if system == "linux" else self.windows


def rows(wheels: Wheels) -> list[Row]:
    """The rows, the newest driver first, and last those for machines without an NVIDIA GPU."""
    floors = {(driver.linux, driver.windows) for driver in wheels.drivers}
    floors |= {(gpu.driver, gpu.driver) for gpu in wheels.generations if gpu.driver}
    least: dict[tuple[str, str, str], tuple[str, str]] = {}
    for linux, windows in sorted(floors, key=lambda pair: version(pair[0]), reverse=True):
        for gpu in wheels.generations:
            for system in WITH_CUDA:
                driver = linux if system == "linux" else windows
                wish = Wish(system=system, gpus=gpu.capabilities, driver=driver)
                for command in answer(wheels, wish).install[:1]:
                    least[command, gpu.name, system] = linux, windows
    found = []
    for command, floor in dict.fromkeys((c, least[c, g, s]) for c, g, s in least):
        here = [(g, s) for (c, g, s), lowest in least.items() if (c, lowest) == (command, floor)]
        gpus = tuple(gpu for gpu in wheels.generations if gpu.name in {g for g, _ in here})
        systems = tuple(system for system in WITH_CUDA if system in {s for _, s in here})
        found.append(Row(command, systems, gpus, *floor))
    found.sort(key=lambda row: version(row.linux), reverse=True)
    return found + _without_cuda(wheels)


def _without_cuda(wheels: Wheels) -> list[Row]:
    systems: dict[str, list[str]] = {}
    for system in WITHOUT:
        for command in answer(wheels, Wish(system=system)).install[:1]:
            systems.setdefault(command, []).append(system)
    return [Row(command, tuple(names)) for command, names in systems.items()]
