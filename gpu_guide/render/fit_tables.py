"""The tables of memory/fit: the models, what they take, and how far the formulas are off."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial

from markupsafe import Markup

from gpu_guide.data.models import (
    Peak,
    load_fit_words,
    load_models,
    load_peaks,
    load_published,
)
from gpu_guide.fit.terms import Setting, fullest
from gpu_guide.project import Project
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.table import Table
from gpu_guide.render.template import fill
from gpu_guide.render.words import Words

NUMBERS = ("layers", "hidden", "heads", "key_heads", "head_size", "middle", "vocabulary")
CONTEXT = 0.7
"""GiB of the CUDA context."""
FIRST_MODEL = "qwen2.5-7b"
FIRST = Setting("lora", sequence=2048, checkpoint=True, context=round(CONTEXT * 2**30))
"""With what the form begins, and the table of answers too: one sequence on one GPU."""
ANSWERED = {
    "full": replace(FIRST, task="full", checkpoint=False),
    "full_again": replace(FIRST, task="full"),
    "lora": FIRST,
    "qlora": replace(FIRST, task="qlora"),
    "predict": replace(FIRST, task="predict", precision="bfloat16", sequence=8192),
}
"""The columns of the table of answers."""


def tables(project: Project, say: Words) -> dict[str, Callable[[], Markup]]:
    """What makes the HTML of each table, by its name. They raise GuideError."""

    def words() -> Mapping[str, str]:
        found = loaded(load_fit_words, project, project.fit_words)
        return {key: texts[say.language] for key, texts in found.items()}

    def make(table: Callable[[Project, Words, Mapping[str, str]], Markup]) -> Markup:
        return table(project, say, words())

    made = {"fit/models": _models, "fit/answers": _answers, "fit/peaks": _peaks}
    if project.fit_published.is_file():
        made["fit/published"] = _published
    return {name: partial(make, table) for name, table in made.items()}


def _models(project: Project, say: Words, words: Mapping[str, str]) -> Markup:
    rows = []
    sources: dict[tuple[str, str], None] = {}
    for one in load_models(project).values():
        cells = [f"{getattr(one.model, name):,}" for name in NUMBERS]
        rows.append(
            {
                "id": one.id,
                "model": json.dumps(asdict(one.model)),
                "cells": [one.name, f"{one.model.parameters:,}", *cells],
            }
        )
        sources[str(one.read), one.source] = None
    heads = [words["table.model"], words["table.parameters"], *(words[name] for name in NUMBERS)]
    return fill(
        "fit_models.html",
        say=say,
        heads=heads,
        rows=rows,
        words=json.dumps(words, ensure_ascii=False),
        first=json.dumps(_first()),
        sources=list(sources),
    )


def _first() -> dict[str, object]:
    """With what the form begins, where that is not the default of Setting."""
    plain = asdict(Setting())
    given = {name: value for name, value in asdict(FIRST).items() if value != plain[name]}
    return {"model": FIRST_MODEL, **given, "context": CONTEXT}


def _answers(project: Project, say: Words, words: Mapping[str, str]) -> Markup:
    names = {name: words.get(f"table.{name}") or words[f"task.{name}"] for name in ANSWERED}
    rows = []
    for one in load_models(project).values():
        if one.model.positions:
            continue  # its texts are shorter than those of the table
        sizes = [sum(fullest(one.model, on)[1].values()) for on in ANSWERED.values()]
        rows.append([one.name, *(gib(size) for size in sizes)])
    return Table([words["table.model"], *names.values()], rows, []).html(say)


def _peaks(project: Project, say: Words, words: Mapping[str, str]) -> Markup:
    rows = [_compared(one, words, say) for one in load_peaks(project)]
    heads = [words[f"table.{name}"] for name in ("model", "setting", "said", "measured", "error")]
    return Table(heads, rows, []).html(say)


def _published(project: Project, say: Words, words: Mapping[str, str]) -> Markup:
    found = load_published(project)
    rows = [[*_compared(one, words, say), by.title] for by in found for one in by.figures]
    names = ("model", "setting", "said", "published", "error", "source")
    days: dict[str, list[tuple[str, str]]] = {}
    for by in found:
        days.setdefault(str(by.read), []).append((by.source, by.title))
    return Table([words[f"table.{name}"] for name in names], rows, [*days.items()]).html(say)


def _compared(one: Peak, words: Mapping[str, str], say: Words) -> list[str]:
    """What a formula says, what was measured, and how far the formula is off."""
    said = sum(fullest(one.named.model, one.setting)[1].values())
    error = f"{round(100 * (said / one.bytes - 1), 1) + 0:+.1f} %" if one.bytes else "–"
    setting = _described(one, words, say)
    return [one.named.name, setting, gib(said), gib(one.bytes), error]


def _described(one: Peak, words: Mapping[str, str], say: Words) -> str:
    """A setting in words: what differs from the defaults, and batch and length."""
    on = one.setting
    adapted = on.task in ("lora", "qlora") and on.precision == "mixed"
    parts = [words[f"task.{on.task}"]]
    parts.append(words["say.adapters" if adapted else f"precision.{on.precision}"])
    parts.append(f"{on.batch} × {on.sequence}")
    if on.task in ("lora", "qlora"):
        parts.append(words["say.rank" if on.everywhere else "say.qv"].format(rank=on.rank))
    if on.task == "full":
        parts.append(words[f"optimizer.{on.optimizer}"] + (" fused" if on.fused else ""))
    parts += [words[name] for name in ("checkpoint", "accumulate") if getattr(on, name)]
    if on.pieces > 1:
        parts.append(words["say.pieces"].format(pieces=on.pieces))
    parts += [] if on.fused_attention else [words["say.math"]]
    if on.offload != "none":
        parts.append(words["say.offload"].format(what=words[f"offload.{on.offload}"]))
    if on.gpus > 1:
        parts.append(words["say.split"].format(gpus=on.gpus, split=words[f"split.{on.split}"]))
    if on.gpus > 1 and on.split == "fsdp" and on.reshard != 1:
        parts.append(words["say.reshard"].format(value=on.reshard or False))
    return say("comma").join(parts)


def gib(size: int) -> str:
    """Bytes in GiB, with one decimal below 100."""
    number = size / 2**30
    return f"{number:.0f} GiB" if number >= 100 else f"{number:.1f} GiB"
