"""`gpu-guide fit`: what a known model takes on a GPU, by the formulas of the page memory/fit."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from difflib import get_close_matches

from gpu_guide.data.models import Named, load_fit_words, load_models
from gpu_guide.dry_run.cards import chosen
from gpu_guide.dry_run.words import Words
from gpu_guide.fit.terms import Setting, fullest
from gpu_guide.project import HERE

FITS, DOES_NOT_FIT = 0, 2
"""The exit statuses, those of a dry run."""
CHOICES = {
    "task": ("full", "lora", "qlora", "predict"),
    "precision": ("mixed", "float32", "bfloat16", "int8", "int4"),
    "optimizer": ("adamw", "momentum", "sgd"),
    "offload": ("none", "activations", "state"),
    "split": ("ddp", "fsdp", "tensor"),
}
NUMBERS = ("batch", "sequence", "pieces", "gpus", "rank")
SWITCHES = ("checkpoint", "fused", "accumulate")
ONLY_PREDICTING = ("int8", "int4")
CONTEXT = 0.7
"""GiB of the CUDA context, as on the page."""


def add_options(parser: argparse.ArgumentParser, say: Words, words: Mapping[str, str]) -> None:
    """A setting of the calculator is an option, with the calculator's own words as its help."""
    plain = asdict(Setting())
    for name, choices in CHOICES.items():
        told = f"{words[name]} ({say('default', value=plain[name])})"
        parser.add_argument(f"--{name}", choices=choices, help=told)
    for name in NUMBERS:
        told = f"{words[name]} ({say('default', value=plain[name])})"
        parser.add_argument(f"--{name}", type=int, metavar="N", help=told)
    for name in SWITCHES:
        parser.add_argument(f"--{name}", action="store_true", default=None, help=words[name])
    told = f"{words['context']} ({say('default', value=CONTEXT)})"
    parser.add_argument("--context", type=float, default=CONTEXT, metavar="GiB", help=told)


def texts(language: str) -> dict[str, str]:
    """The words of the calculator."""
    return {key: one[language] for key, one in load_fit_words(HERE).items()}


def run(options: argparse.Namespace, say: Words) -> int:
    """FITS or DOES_NOT_FIT; without a model, the models that are known."""
    models, words = load_models(HERE), texts(say.language)
    if options.model is None:
        listed = {id: one.model.parameters for id, one in models.items()}
        if options.json:
            print(json.dumps({"models": listed}, indent=2))
        else:
            print("\n".join(f"{id:<16} {count:>15,}" for id, count in listed.items()))
        return FITS
    if options.model not in models:
        near = get_close_matches(options.model, models, n=1)
        key, names = ("no_model_but", near[0]) if near else ("no_model", ", ".join(models))
        print(say(key, model=options.model, names=names), file=sys.stderr)
        return options.not_done
    if wrong := _impossible(options, say):
        print(wrong, file=sys.stderr)
        return options.not_done
    on = _setting(options)
    named = models[options.model]
    card = chosen(options.card, HERE)
    room = int(options.memory * 2**30) if options.memory is not None else card.memory_mib * 2**20
    moment, terms = fullest(named.model, on)
    needed = sum(terms.values())
    if options.json:
        told = {"model": named.id, "setting": asdict(on), "card": card.id, "room": room}
        told |= {"needed": needed, "fits": needed <= room, "moment": moment, "terms": terms}
        print(json.dumps(told, indent=2))
    else:
        print("\n".join(_lines(named, on, (needed, room), moment, terms, words, say)))
    return FITS if needed <= room else DOES_NOT_FIT


def _setting(options: argparse.Namespace) -> Setting:
    """The defaults with what was asked for."""
    names = [one.name for one in fields(Setting)]
    given = {name: getattr(options, name, None) for name in names}
    plain = Setting(context=round(options.context * 2**30))
    given.pop("context")
    on = replace(plain, **{name: one for name, one in given.items() if one is not None})
    if on.task == "predict" and not options.precision:
        on = replace(on, precision="bfloat16")
    return on


def _impossible(options: argparse.Namespace, say: Words) -> str:
    """What cannot be asked of the formulas, in a sentence; "" where all can."""
    for name in NUMBERS:
        if (number := getattr(options, name)) is not None and number < 1:
            return say("at_least_one", option=f"--{name}", value=number)
    for name, least in (("memory", 0.001), ("context", 0)):
        size = getattr(options, name)
        if size is not None and not least <= size < 1e6:
            return say("no_size", option=f"--{name}", value=size)
    on = _setting(options)
    wrong = (on.precision in ONLY_PREDICTING) != (on.task == "predict")
    if on.precision in (*ONLY_PREDICTING, "mixed") and wrong:
        return say("fit_precision", precision=on.precision, task=on.task)
    return ""


def _lines(
    named: Named,
    on: Setting,
    sizes: tuple[int, int],
    moment: str,
    terms: Mapping[str, int],
    words: Mapping[str, str],
    say: Words,
) -> Iterator[str]:
    needed, room = sizes
    key = "fits" if needed <= room else "too_much"
    each = words["each" if on.gpus > 1 else "the"]
    given = {"gpus": each, "size": _gib(needed), "room": _gib(room)}
    yield f"{named.name}, {named.model.parameters:,}"
    yield words[key].format(moment=words[f"moment.{moment}"], **given)
    yield ""
    for name, size in sorted(terms.items(), key=lambda one: -one[1]):
        if size:
            yield f"  {_gib(size):>10}  {words[f'term.{name}']}"
    yield ""
    yield say("fit_formulas")


def _gib(size: int) -> str:
    return f"{size / 2**30:.2f} GiB"
