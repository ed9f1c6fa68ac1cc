"""What a dry run showed, as text in the reader's language, or as JSON."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from gpu_guide.dry_run.batch import BatchArgument, Largest
from gpu_guide.dry_run.cards import SHARE, DryCard
from gpu_guide.dry_run.replay import Device, Place
from gpu_guide.dry_run.run import LARGEST_VALUES, Outcome, Settings
from gpu_guide.dry_run.words import Words

CONTEXT = 512 * 2**20
"""What a CUDA context takes on the stand-in: assumed, NVIDIA documents no figure."""
TIGHT = CONTEXT
"""With less to spare than this, a larger context would not fit."""
MOST_LINES = 10
_BAR = 24
_MOST_NAMES = 4
_ALLOCATES = re.compile(r"empty|new_empty|$")
"""Operators that say nothing of what allocated."""


@dataclass(frozen=True)
class Findings:
    """All that is known of a command on a card."""

    card: DryCard
    command: tuple[str, ...]
    settings: Settings
    outcome: Outcome
    unlimited: Outcome | None
    """The same with more memory than any card has, where the card's own was not enough."""
    tried: Mapping[str, Outcome]
    """What else was run, by what was changed."""
    most: tuple[BatchArgument, Largest] | None = None
    """Where the command names its batch, and how large it can be; None: nobody asked."""

    @property
    def fits(self) -> bool:
        """Whether the command got through."""
        return not self.outcome.out_of_memory

    @property
    def shown(self) -> Outcome:
        """The run whose peak is the whole one."""
        return self.unlimited if self.unlimited and self.unlimited.devices else self.outcome

    @property
    def ended(self) -> str:
        """How the script's run on the card ended."""
        if self.outcome.out_of_memory:
            return "out of memory"
        if self.outcome.interrupted:
            return "interrupted"
        if self.outcome.errors:
            return "failed"
        stopped = any(one["stopped"] for one in self.outcome.ledgers)
        return "stopped" if stopped else "by itself"

    @property
    def margin(self) -> int:
        """Bytes to spare beside what is reserved and the context."""
        device = self.outcome.fullest
        return device.total - device.reserved - CONTEXT


def size(bytes: int) -> str:
    """In the units of PyTorch's messages: 1.50 GiB, 20 MiB."""
    for unit, factor, digits in (("GiB", 2**30, 2), ("MiB", 2**20, 0), ("KiB", 2**10, 0)):
        if abs(bytes) >= factor:
            return f"{bytes / factor:.{digits}f} {unit}"
    return f"{bytes} B"


def lines(
    found: Findings, cards: Mapping[str, DryCard], say: Words, *, timed: bool = True
) -> Iterator[str]:
    """The report; with the seconds that it took where it is `timed`."""
    yield from _verdict(found, say)
    device = found.shown.fullest
    yield ""
    driver = size(device.reserved + CONTEXT)
    peak = {"allocated": size(device.allocated), "reserved": size(device.reserved)}
    yield say("peak", driver=driver, context=size(CONTEXT), **peak)
    yield say("where", step=device.step, operator=device.operator)
    yield from _place(device.place, say, "  ")
    yield from _ranks(found.shown, say)
    yield from _kinds(device, say)
    yield from _lines(device, say)
    yield from _steps(device, say)
    yield from _cards(device, found, cards, say)
    yield from _tried(found, say)
    yield from _largest(found, say)
    yield from _assumptions(found, say)
    if timed:
        torch, seconds = found.outcome.ledgers[0]["torch"], round(found.outcome.seconds, 1)
        yield f"- {say('seconds', seconds=seconds, torch=torch)}"


def in_short(found: Findings, say: Words) -> Iterator[str]:
    """Whether it fits, and the lines that hold most, if anything was allocated at all."""
    yield from _verdict(found, say)
    if found.shown.devices:
        yield from _lines(found.shown.fullest, say)


def _verdict(found: Findings, say: Words) -> Iterator[str]:
    card = {"card": found.card.name, "total": size(found.card.memory_mib * 2**20)}
    if found.fits and (ended := found.ended) in ("interrupted", "failed"):
        error = in_a_line(found.outcome.errors[0]) if ended == "failed" else ""
        yield say(ended, error=error)
        yield say("until_then", margin=size(max(found.margin, 0)), **card)
        return
    if found.fits:
        key = "fits" if found.margin >= TIGHT else "tight"
        yield say(key, margin=size(max(found.margin, 0)), context=size(CONTEXT), **card)
        return
    (failed, *_) = [one for one in found.outcome.ledgers if one["out_of_memory"]]
    memory = failed["out_of_memory"]
    yield say("does_not_fit", step=memory["in_step"], **card)
    yield from _place(Place.of(failed["sites"][memory["site"]]), say, "  ")
    if found.unlimited and found.unlimited.devices:
        needed = found.unlimited.fullest.reserved + CONTEXT
        missing = needed - found.card.memory_mib * 2**20
        yield say("needs", needed=size(needed), missing=size(missing))


def _place(place: Place, say: Words, indent: str) -> Iterator[str]:
    """A line of the reader's own, and under it the line of a package that it led to."""
    found = [one for one in (place.own, place.package) if one]
    if not found:
        yield f"{indent}{say('unknown_line')}"
    for depth, line in enumerate(found):
        arrow = "→ " if depth else ""
        yield f"{indent}{arrow}{_short(line.file)}:{line.number}  {line.text[:68]}"


def _short(file: str) -> str:
    """A package's file with its folders, the reader's own without: they know where it is."""
    parts = Path(file).parts
    if "site-packages" in parts:
        return str(Path(*parts[parts.index("site-packages") + 1 :]))
    return Path(file).name


def _ranks(outcome: Outcome, say: Words) -> Iterator[str]:
    if len(outcome.devices) < 2:
        return
    yield ""
    yield say("ranks")
    for device in outcome.devices:
        peak = {"allocated": size(device.allocated), "reserved": size(device.reserved)}
        yield f"  {say('rank', rank=device.rank, device=device.number, **peak)}"


def _kinds(device: Device, say: Words) -> Iterator[str]:
    yield ""
    yield say("kinds")
    rows = device.kinds
    for kind, bytes in rows.items():
        share = bytes / max(device.allocated, 1)
        yield f"  {size(bytes):>11}  {share:4.0%}  {'█' * round(share * _BAR):{_BAR}}  {say(kind)}"


def _lines(device: Device, say: Words) -> Iterator[str]:
    yield ""
    yield say("lines")
    for place, kind, bytes, count, operator in device.lines(MOST_LINES):
        key = "blocks_plain" if _ALLOCATES.match(operator) else "blocks"
        what = say(key, kind=say(kind), count=count, operator=operator)
        yield f"  {size(bytes):>11}  {what}"
        yield from _place(place, say, " " * 15)


def _steps(device: Device, say: Words) -> Iterator[str]:
    if len(device.steps) < 2:
        return
    peaks = [step.allocated for step in device.steps]
    yield ""
    alike = [(text, len(list(group))) for text, group in groupby(map(size, peaks))]
    named = [text + (f" ×{times}" if times > 1 else "") for text, times in alike]
    yield say("steps", steps=", ".join(named))
    # The first step makes the optimizer's states; what grows later may grow on.
    if len(peaks) > 2 and peaks[-1] > max(peaks[:-1]):
        yield say("growing")


def fits_on(device: Device, card: DryCard) -> str:
    """What the peak says of another card: `fits`, `tight` or `no`."""
    room = card.memory_mib * 2**20 - CONTEXT
    if device.reserved <= room:
        return "fits"
    return "tight" if device.allocated <= room else "no"


def _cards(
    device: Device, found: Findings, cards: Mapping[str, DryCard], say: Words
) -> Iterator[str]:
    yield ""
    yield say("cards")
    sizes: dict[tuple[int, str], list[str]] = defaultdict(list)
    for card in cards.values():
        if card.id != found.card.id:
            sizes[card.gigabytes, fits_on(device, card)].append(card.id)
    for (gigabytes, key), names in sorted(sizes.items()):
        more = " …" if len(names) > _MOST_NAMES else ""
        yield f"  {gigabytes:>4} GB  {', '.join(names[:_MOST_NAMES])}{more}: {say(f'card_{key}')}"


def _tried(found: Findings, say: Words) -> Iterator[str]:
    if not found.tried:
        if not found.fits and not found.outcome.interrupted:
            yield ""
            yield say("try_it")
        return
    before = found.shown.fullest.reserved
    yield ""
    yield say("tried")
    for what, outcome in found.tried.items():
        if not all(one["applied"] for one in outcome.ledgers):
            yield f"  {what}: {say('tried_nowhere')}"
            continue
        if not outcome.devices or outcome.errors:
            yield f"  {what}: {say('tried_broken')}"
            continue
        after = outcome.fullest.reserved
        key = "tried_less" if after < before else "tried_more" if after > before else "tried_same"
        difference = say(key, bytes=size(abs(after - before)))
        said = say("tried_peak", reserved=size(after), difference=difference)
        ends = say("card_" + fits_on(outcome.fullest, found.card))
        yield f"  {what}: {said} · {ends}"


def _largest(found: Findings, say: Words) -> Iterator[str]:
    if not found.most:
        return
    batch, most = found.most
    yield ""
    if most.too_large is None:
        yield say("largest_open", batch=batch.said(most.fits))
    elif most.fits:
        named = {"batch": batch.said(most.fits), "too_large": batch.said(most.too_large)}
        yield say("largest", **named)
    else:
        yield say("largest_none")


def _assumptions(found: Findings, say: Words) -> Iterator[str]:
    outcome, settings = found.shown, found.settings
    yield ""
    yield say("assumptions")
    yield f"- {say('no_values', bytes=size(LARGEST_VALUES))}"
    if found.card.assumed:
        given = {"card": found.card.name, "gigabytes": found.card.gigabytes}
        yield f"- {say('memory_assumed', share=f'{SHARE:.0%}', **given)}"
    if not any(ledger["steps"] for ledger in outcome.ledgers):
        yield f"- {say('no_step')}"
    elif any(ledger["stopped"] for ledger in outcome.ledgers):
        yield f"- {say('stopped', steps=settings.steps)}"
    for ledger in outcome.ledgers[:1]:
        yield from _assumed(ledger, settings, say)
        for file, line in saved_by(ledger):
            yield f"- {say('saved', file=file, line=line or say('unknown_line'))}"
    operators = merged(one["shapes_only"] for one in outcome.ledgers)
    if operators:
        named = ", ".join(f"{name} {count}×" for name, count in operators.most_common())
        yield f"- {say('shapes_only', operators=named)}"
    if any("_cudnn_init_dropout_state" in one["names"] for one in outcome.ledgers):
        yield f"- {say('dropout_state')}"
    if any(one["compiled"] for one in outcome.ledgers):
        yield f"- {say('compiled' if settings.compile else 'compile')}"
    if managed := max(one["managed"] for one in outcome.ledgers):
        yield f"- {say('managed', bytes=size(managed))}"
    if any(one["searched"] for one in outcome.ledgers):
        yield f"- {say('search')}"
    if any(one["ranks"] > 1 for one in outcome.ledgers):
        yield f"- {say('ranks_alike', bytes=size(LARGEST_VALUES))}"
    if any(device.lost for device in outcome.devices):
        yield f"- {say('lost')}"


def _assumed(ledger: Mapping[str, Any], settings: Settings, say: Words) -> Iterator[str]:
    for kind, site, count in ledger["assumed"]:
        named = _named(ledger, site) or say("unknown_line")
        given = {"assumed": settings.assumed, "share": f"{settings.share:.0%}"}
        yield f"- {say(f'{kind}_read', count=count, line=named, **given)}"


def _named(ledger: Mapping[str, Any], site: int) -> str:
    """File and number of a line; "" where there is none."""
    place = Place.of(ledger["sites"][site])
    line = place.own or place.package
    return f"{_short(line.file)}:{line.number}" if line else ""


def saved_by(ledger: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each file that the script wrote with torch.save, once, and the line that did."""
    return list({file: (file, _named(ledger, site)) for file, site in ledger["saved"]}.values())


def in_a_line(error: Mapping[str, Any]) -> str:
    """An exception as Python's last line has it, without what follows its first line; of a
    process that another one started, the last line of its traceback."""
    said = error["text"].strip().splitlines() or [""]
    if error["kind"] == "ProcessRaisedException":
        return said[-1]
    return f"{error['kind']}: {said[0]}"


def merged(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    """The sum of several counts."""
    whole: Counter[str] = Counter()
    for one in counts:
        whole.update(one)
    return whole


def as_json(found: Findings, cards: Mapping[str, DryCard]) -> dict[str, Any]:
    """The report for programs: sizes in bytes."""
    device = found.shown.fullest
    return {
        "card": asdict(found.card),
        "command": list(found.command),
        "fits": found.fits,
        "ended": found.ended,
        "margin": found.margin if found.fits else None,
        "context_assumed": CONTEXT,
        "peak": {
            "allocated": device.allocated,
            "reserved": device.reserved,
            "step": device.step,
            "operator": device.operator,
            "place": asdict(device.place),
        },
        "kinds": device.kinds,
        "lines": [
            {"bytes": bytes, "kind": kind, "blocks": count, "operator": operator, **asdict(place)}
            for place, kind, bytes, count, operator in device.lines(MOST_LINES)
        ],
        "steps": [asdict(step) for step in device.steps],
        "ranks": [
            {
                "rank": one.rank,
                "device": one.number,
                "allocated": one.allocated,
                "reserved": one.reserved,
            }
            for one in found.shown.devices
        ],
        "cards": {card.id: fits_on(device, card) for card in cards.values()},
        "tried": {
            what: {
                "allocated": one.fullest.allocated,
                "reserved": one.fullest.reserved,
                "fits": fits_on(one.fullest, found.card),
            }
            for what, one in found.tried.items()
            if one.devices and not one.errors and all(made["applied"] for made in one.ledgers)
        },
        "largest_batch": found.most[1].fits if found.most else None,
        "shapes_only": dict(merged(one["shapes_only"] for one in found.shown.ledgers)),
        "compiled": any(one["compiled"] for one in found.shown.ledgers),
        "searched": any(one["searched"] for one in found.shown.ledgers),
        "managed": max(one["managed"] for one in found.shown.ledgers),
        "assumed": [
            {"kind": kind, "count": count, **asdict(Place.of(ledger["sites"][site]))}
            for ledger in found.shown.ledgers
            for kind, site, count in ledger["assumed"]
        ],
        "saved": [file for one in found.shown.ledgers[:1] for file, _ in saved_by(one)],
        "steps_made": max((len(one["steps"]) for one in found.shown.ledgers), default=0),
        "torch": found.outcome.ledgers[0]["torch"],
        "seconds": round(found.outcome.seconds, 2),
        "directory": os.getcwd(),
    }
