"""The tables of GPUs: one function per table, from the data to rows in the page's language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date

from markupsafe import Markup

from gpu_guide.data.gpus import TYPES, Chip, Design, Gpu, Gpus, Tflops
from gpu_guide.data.wheel_search import NEWEST, Wish, find, least_driver
from gpu_guide.data.wheels import version
from gpu_guide.render.table import Sources, Table
from gpu_guide.render.words import Words

_NONE = "—"
_BF16 = (8, 0)
_FP8 = (8, 9)
"""From which compute capability on the tensor cores have the type: the source `formats`."""


def _figures(group: str) -> Make:
    def make(data: Gpus, say: Words) -> Table:
        rows = []
        gpus = [gpu for gpu in data.gpus if gpu.group == group]
        for gpu in gpus:
            row = [_name(gpu), data.capability(gpu), f"{gpu.memory_gb}", f"{gpu.bandwidth_gbs}"]
            row += [_shown(data.tflops(gpu, kind), say) for kind in TYPES]
            rows.append([*row, f"{gpu.nvlink_gbs}"] if group == "server" else row)
            if group == "server" and not gpu.nvlink_gbs:
                rows[-1][-1] = _NONE
        heads = say.heads("gpus")
        if group == "server":
            heads.append(say("gpus_nvlink"))
        return Table(heads, rows, _sources([*gpus, *_designs(gpus, data)], data, say))

    return make


def _laptop(data: Gpus, say: Words) -> Table:
    gpus = [gpu for gpu in data.gpus if gpu.group == "laptop"]
    rows = [
        [_name(gpu), data.capability(gpu), f"{gpu.sms}", f"{gpu.memory_gb}", f"{gpu.bandwidth_gbs}"]
        for gpu in gpus
    ]
    return Table(say.heads("gpus_laptop"), rows, _sources(gpus, data, say))


def _needs(data: Gpus, say: Words) -> Table:
    """For each compute capability: its types, the newest builds with code for it, the driver."""
    rows = []
    wheels = data.wheels
    known = {design.capability for design in data.designs.values()}
    for generation in wheels.generations:
        for capability in (cc for cc in generation.capabilities if cc in known):
            number = version(capability)
            wish = Wish(gpus=(capability,), driver=generation.last_driver or NEWEST)
            found = find(wheels, wish)
            index, driver = _NONE, _NONE
            if found:
                tag = Markup("<code>{}</code>").format(found.build.tag)
                index = say("of_torch", tag=tag, torch=found.build.torch)
                least, last = least_driver(wheels, wish, found.build.cuda), generation.last_driver
                driver = f"{least}–{last}" if last else say("and_newer", version=least)
            rows.append(
                [
                    capability,
                    generation.name,
                    say("yes" if number >= _BF16 else "no"),
                    say("yes" if number >= _FP8 else "no"),
                    index,
                    driver,
                ]
            )
    read = max(gpu.read for gpu in data.gpus).isoformat()
    formats = next(source for source in data.sources if source.id == "formats")
    used = [(read, [(formats.url, formats.title[say.language])])]
    return Table(say.heads("gpus_needs"), rows, used)


def _levels(data: Gpus, say: Words) -> Table:
    """How far each memory is from the arithmetic of the first chip: size, speed, waiting time."""
    chip = data.chips[0]
    gpu = data.named(chip.gpu)

    def waits(cycles: int) -> str:
        return say("cycles", cycles=cycles, ns=f"{cycles * 1000 / gpu.clock_mhz:.0f}")

    rows = [
        [say("level_registers"), say("per_sm", size=f"{chip.registers_kib} KiB"), _NONE, _NONE],
        [
            say("level_shared"),
            say("per_sm", size=f"{chip.shared_kib} KiB"),
            _NONE,
            waits(chip.shared_cycles),
        ],
        [say("level_l2"), f"{chip.l2_mib} MiB", _NONE, waits(chip.l2_cycles)],
        [
            say("level_memory"),
            f"{gpu.memory_gb} GB",
            f"{gpu.bandwidth_gbs} GB/s",
            waits(chip.memory_cycles),
        ],
        [say("level_nvlink"), _NONE, f"{gpu.nvlink_gbs // 2} GB/s", _NONE],
        [say("level_bus"), _NONE, f"{chip.bus_gbs} GB/s", _NONE],
    ]
    return Table(say.heads("levels", gpu=chip.gpu), rows, _sources([gpu, chip], data, say))


Make = Callable[[Gpus, Words], Table]

TABLES: dict[str, Make] = {
    "gpus/desktop": _figures("desktop"),
    "gpus/laptop": _laptop,
    "gpus/levels": _levels,
    "gpus/needs": _needs,
    "gpus/server": _figures("server"),
}


def _name(gpu: Gpu) -> str:
    """Its name on one line: a narrow first column would cut it up."""
    return gpu.name.replace(" ", "\N{NO-BREAK SPACE}")


def _shown(figure: Tflops | None, say: Words) -> str:
    if figure is None:
        return _NONE
    text = (
        f"{figure.value:.0f}" if figure.value >= 100 else f"{figure.value:.1f}".removesuffix(".0")
    )
    return say("about", value=text) if figure.calculated else text


def _designs(gpus: Iterable[Gpu], data: Gpus) -> list[Design]:
    return [data.designs[id] for id in dict.fromkeys(gpu.design for gpu in gpus)]


def _sources(used: Sequence[Gpu | Design | Chip], data: Gpus, say: Words) -> Sources:
    """Where the facts were read, in the file's order, below the oldest day of each source."""
    days: dict[str, date] = {}
    for one in used:
        for source in one.source:
            days[source] = min(one.read, days.get(source, one.read))
    return [
        (
            day.isoformat(),
            [(s.url, s.title[say.language]) for s in data.sources if days.get(s.id) == day],
        )
        for day in sorted(set(days.values()), reverse=True)
    ]
