"""The machine that a stand-in plays: its cards, and what fails on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self

from gpu_guide.problems import fault

MOST_DEVICES = 16
MARK = "GPU_GUIDE_STAND_IN"
"""The variable that names the card: set in every process that runs on a stand-in."""
COUNT = "STAND_IN_COUNT"
"""The variable that says how many GPUs there are: read when a process first uses CUDA."""
_CAPABILITY = re.compile(r"\d{1,2}\.\d")


class Card(Protocol):
    """What has to be known of a card: an entry of data/cards.yml has it."""

    id: str
    name: str
    capability: str
    memory_mib: int
    multiprocessors: int


@dataclass(frozen=True)
class StandIn:
    """A machine with `count` equal GPUs, and what does not work on it."""

    card: str
    """What commands and records call it, for example `h100`."""
    name: str
    """What `torch.cuda.get_device_name()` says."""
    memory_mib: int
    """What CUDA calls its whole memory, in MiB."""
    capability: str
    """Its compute capability, for example "9.0"."""
    multiprocessors: int
    count: int = 1
    driver: int | None = None
    """The newest CUDA of its driver, 13000 for 13.0; 0 where there is no driver, and None where
    the driver is as new as the CUDA runtime."""
    fault: str = ""
    """Which calls fail, as runtime/faults.c reads it: `launch=700@3`."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """More variables, of CUDA or PyTorch, which belong to the machine."""

    def __post_init__(self) -> None:
        if not 0 <= self.count <= MOST_DEVICES:
            remedy = f"write a number from 0 to {MOST_DEVICES}"
            raise fault(None, None, f"a stand-in with {self.count} GPUs", remedy)
        if self.memory_mib < 1024:
            remedy = "give it 1024 at least, because a context alone takes 512"
            raise fault(None, None, f"a stand-in with {self.memory_mib} MiB", remedy)
        if not _CAPABILITY.fullmatch(self.capability):
            remedy = "write it like 8.9"
            raise fault(None, None, f"{self.capability!r} is no compute capability", remedy)

    @classmethod
    def of(
        cls,
        card: Card,
        *,
        count: int = 1,
        fault: str = "",
        settings: Mapping[str, str] | None = None,
    ) -> Self:
        """The machine with `count` of a card, on which `fault` happens and `settings` are set."""
        return cls(
            card=card.id,
            name=card.name,
            capability=card.capability,
            memory_mib=card.memory_mib,
            multiprocessors=card.multiprocessors,
            count=count,
            fault=fault,
            settings=settings or {},
        )

    def environment(self) -> dict[str, str]:
        """The variables that make a process run on it, besides those that load the libraries."""
        variables = {
            MARK: self.card,
            COUNT: str(self.count),
            "STAND_IN_MIB": str(self.memory_mib),
            "STAND_IN_CAPABILITY": self.capability,
            "STAND_IN_MULTIPROCESSORS": str(self.multiprocessors),
            "STAND_IN_NAME": self.name,
            "STAND_IN_FAULT": self.fault,
        }
        if self.driver is not None:
            variables["STAND_IN_DRIVER"] = str(self.driver)
        return variables | dict(self.settings)

    @property
    def has_driver(self) -> bool:
        """Whether there is a driver library to load."""
        return self.settings.get("STAND_IN_DRIVER", self.driver) not in (0, "0")
