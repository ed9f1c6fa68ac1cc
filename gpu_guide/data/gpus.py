"""Typed access to `data/gpus.yml`: cards that readers have, and how much they calculate a second.

What other files know is not said there: generation, driver and builds of a compute capability are
in data/wheels.yml, the multiprocessors of the cards that are tried in data/cards.yml.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from gpu_guide.data.cards import Card, load_cards
from gpu_guide.data.entries import entries, typed
from gpu_guide.data.wheels import Source, Wheels, load_wheels
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project

GROUPS = ("desktop", "laptop", "server")
TYPES = ("fp32", "fp16", "fp8")
"""The types of numbers; fp16 means bfloat16, too, where the card has it."""

_SPARSE = "_sparse"
_NEAR = 0.025
"""How far a published figure may be from the calculated one: the sources round."""


@dataclass(frozen=True)
class Design:
    """What one SM does at each tick: multiplications with addition (FMA), by type; 0: none."""

    id: str
    capability: str
    fp32: int
    source: tuple[str, ...]
    read: date
    fp16: int = 0
    fp8: int = 0


@dataclass(frozen=True)
class Gpu:
    """One card; data/gpus.yml says at its top what the keys mean."""

    name: str
    group: str
    design: str
    memory_gb: int
    bandwidth_gbs: int
    source: tuple[str, ...]
    read: date
    card: str = ""
    driver_name: str = ""
    sms: int = 0
    clock_mhz: int = 0
    tensor_clock_mhz: int = 0
    nvlink_gbs: int = 0
    published: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Chip:
    """What is inside one of the cards; data/gpus.yml says at its top what the keys mean."""

    gpu: str
    partitions: int
    registers_kib: int
    shared_kib: int
    l2_mib: int
    bus_gbs: int
    shared_cycles: int
    l2_cycles: int
    memory_cycles: int
    source: tuple[str, ...]
    read: date


@dataclass(frozen=True)
class Tflops:
    """Operations a second in units of 10^12, dense; `calculated` where no source prints them."""

    value: float
    calculated: bool


@dataclass(frozen=True)
class Gpus:
    """All that the file holds, each kind in the file's order."""

    sources: tuple[Source, ...]
    designs: Mapping[str, Design]
    gpus: tuple[Gpu, ...]
    chips: tuple[Chip, ...]
    wheels: Wheels
    drivers: Mapping[str, str]
    """What a driver calls a card, and what this file calls it."""

    def of_driver(self, name: str) -> Gpu | None:
        """The card that `torch.cuda.get_device_name()` calls so, if it is known by this name."""
        return self.named(self.drivers[name]) if name in self.drivers else None

    def named(self, name: str) -> Gpu:
        """The card of this name. Raises KeyError."""
        return {gpu.name: gpu for gpu in self.gpus}[name]

    def capability(self, gpu: Gpu) -> str:
        """Its compute capability."""
        return self.designs[gpu.design].capability

    def calculated(self, gpu: Gpu, kind: str) -> float | None:
        """Dense TFLOPS from SMs × FMA × 2 × clock; None without a clock, or without such units."""
        rate = getattr(self.designs[gpu.design], kind)
        clock = gpu.clock_mhz
        if kind != "fp32":
            clock = gpu.tensor_clock_mhz or clock
        return gpu.sms * rate * 2 * clock / 1e6 or None

    def tflops(self, gpu: Gpu, kind: str) -> Tflops | None:
        """The dense figure: the published one, otherwise the calculated one."""
        if kind in gpu.published:
            return Tflops(float(gpu.published[kind]), calculated=False)
        value = self.calculated(gpu, kind)
        return None if value is None else Tflops(value, calculated=True)


_KINDS: dict[str, tuple[type, str]] = {
    "source": (Source, "id"),
    "design": (Design, "id"),
    "gpu": (Gpu, "name"),
    "chip": (Chip, "gpu"),
}


def load_gpus(project: Project) -> Gpus:
    """What the project's data/gpus.yml holds. Raises GuideError."""
    path = project.gpus
    cards, wheels = load_cards(project), load_wheels(project)
    found: dict[str, dict[str, Any]] = {kind: {} for kind in _KINDS}
    lines: dict[tuple[str, str], int] = {}
    for line, entry in entries(path):
        kind = entry.pop("kind", None)
        if kind not in _KINDS:
            raise fault(path, line, f"kind: {kind!r}", f"write one of {', '.join(_KINDS)}")
        cls, key = _KINDS[kind]
        if kind == "gpu" and "card" in entry:
            known = entry["card"]
            if known not in cards:
                remedy = did_you_mean(str(known), cards)
                raise fault(path, line, f"card: {known!r}", remedy)
            if "sms" in entry:
                raise fault(path, line, "sms: data/cards.yml has it", "leave it to that file")
            entry["sms"] = cards[known].multiprocessors
        value = typed(path, line, cls, entry, project.languages)
        name = getattr(value, key)
        if name in found[kind]:
            what = f"{kind} {name} again, first on line {lines[kind, name]}"
            raise fault(path, line, what, "keep one of them")
        found[kind][name], lines[kind, name] = value, line
    gpus = Gpus(
        tuple(found["source"].values()),
        found["design"],
        tuple(found["gpu"].values()),
        tuple(found["chip"].values()),
        wheels,
        {_driver_name(gpu, cards): gpu.name for gpu in found["gpu"].values()},
    )
    capabilities = {card.id: card.capability for card in cards.values()}
    for (kind, name), line in lines.items():
        if kind != "source":
            for problem, remedy in _faults(found[kind][name], gpus, capabilities):
                raise fault(path, line, problem, remedy)
    return gpus


def _driver_name(gpu: Gpu, cards: Mapping[str, Card]) -> str:
    """What a driver calls it: as one of the files says, or as a GeForce of this name."""
    if gpu.card:
        return cards[gpu.card].name
    return gpu.driver_name or f"NVIDIA GeForce {gpu.name}"


def _faults(
    entry: Design | Gpu | Chip, gpus: Gpus, capabilities: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """What does not fit the rest of the data, with the remedy of each."""
    sources = [source.id for source in gpus.sources]
    for source in entry.source:
        if source not in sources:
            remedy = did_you_mean(source, sources)
            yield f"source: no {source!r}", remedy
    if isinstance(entry, Chip):
        names = [gpu.name for gpu in gpus.gpus]
        if entry.gpu not in names:
            yield f"gpu: no {entry.gpu!r}", did_you_mean(entry.gpu, names, "name one of the file")
        return
    if isinstance(entry, Design):
        known = [cc for one in gpus.wheels.generations for cc in one.capabilities]
        if entry.capability not in known:
            yield (
                f"capability: {entry.capability!r}",
                f"write one that data/wheels.yml has: {', '.join(known)}",
            )
        return
    if entry.group not in GROUPS:
        yield f"group: {entry.group!r}", f"write one of {', '.join(GROUPS)}"
    if entry.design not in gpus.designs:
        designs = list(gpus.designs)
        remedy = did_you_mean(entry.design, designs)
        yield f"design: no {entry.design!r}", remedy
        return
    if entry.card and capabilities[entry.card] != gpus.capability(entry):
        yield (
            f"design: {entry.design!r} is {gpus.capability(entry)}, "
            f"data/cards.yml says {capabilities[entry.card]}",
            "correct one of them",
        )
    for key in ("memory_gb", "bandwidth_gbs", "sms"):
        if getattr(entry, key) < 1:
            yield f"{key}: {getattr(entry, key)}", "give the number that the card has"
    yield from _published_faults(entry, gpus)


def _published_faults(gpu: Gpu, gpus: Gpus) -> Iterator[tuple[str, str]]:
    """Published figures that are no numbers, or contradict the calculated or the sparse ones."""
    kinds = (*TYPES, *(kind + _SPARSE for kind in TYPES if kind != "fp32"))
    for key, text in gpu.published.items():
        if key not in kinds:
            yield f"published: {key!r}", f"the keys are {', '.join(kinds)}"
            continue
        try:
            value = float(text)
        except ValueError:
            yield f"published: {key}: {text!r} is not a number", 'write it like "165.15"'
            continue
        kind = key.removesuffix(_SPARSE)
        times = 2 if key.endswith(_SPARSE) else 1
        expected = gpus.tflops(gpu, kind) if times == 2 else None
        dense = expected.value if expected else gpus.calculated(gpu, kind)
        if dense and abs(value / times / dense - 1) > _NEAR:
            yield (
                f"published: {key}: {text}, but {dense * times:.1f} by its SMs and clock",
                "correct one of them; a figure that is twice as large is the sparse one",
            )
