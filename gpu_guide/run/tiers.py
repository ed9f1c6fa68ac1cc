"""Tiers on which a snippet runs on this machine, and why it does not run on others."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from gpu_guide.run import stand_in_limits, with_libraries
from gpu_guide.run.machine import Abilities, Environment, abilities
from gpu_guide.run.runner import Tier
from gpu_guide.snippets.model import Snippet
from gpu_guide.snippets.syntax import nodes_of, tree_of

_DEVICES = re.compile(r"\b(cuda|accelerator)\b")

_ELSEWHERE = "needs other libraries, in an environment with PyTorch's CPU build"

LEAST_FREE = 4 * 2**30
"""Bytes of GPU memory that must be free for what only a GPU can answer: memory and timing."""


@dataclass(frozen=True)
class Plan:
    """The tiers of one snippet here, and the reason why one is left out ("" if none is)."""

    tiers: tuple[Tier, ...]
    not_run: str = ""


def plan(snippet: Snippet, here: Environment, able: Abilities | None = None) -> Plan:
    """Every tier that the machine `here` can offer `snippet`.

    `able` is what else that machine can do; this one is asked where it is left out.
    """
    needs = snippet.needs
    if needs.torch and needs.newer_than(here.torch):
        return Plan((), "needs torch {}.{} or newer".format(*needs.torch))
    if here.stand_in:
        return _on_stand_in(snippet, here, able)
    if needs.libraries:
        # Their environment has PyTorch's CPU build, whatever this machine has.
        if why := with_libraries.impossible():
            return Plan((), why)
        return Plan((Tier.TORCHRUN if needs.kind == "torchrun" else Tier.CPU,))
    if needs.linux and not (able or abilities(here.has_gpu)).linux:
        return Plan((), "needs Linux")
    if needs.kind == "torchrun":
        return Plan((Tier.TORCHRUN,))
    if needs.kind == "cuda":
        missing = f"needs {needs.count} GPUs" if needs.count > 1 else "needs a GPU"
        if here.gpus < needs.count:
            return Plan((Tier.SIMULATED,), missing)
        if missing := _missing(snippet, here, able):
            return Plan((Tier.SIMULATED,), missing)
        return Plan((Tier.SIMULATED, Tier.GPU))
    tiers = [Tier.CPU]
    if speaks_of_devices(snippet):
        tiers.append(Tier.SIMULATED)
    if here.has_gpu:
        tiers.append(Tier.GPU)
    return Plan(tuple(tiers))


def _on_stand_in(snippet: Snippet, here: Environment, able: Abilities | None) -> Plan:
    """That one tier or none: all others run on any machine, without CUDA's build of PyTorch."""
    needs = snippet.needs
    if needs.libraries:
        return Plan((), _ELSEWHERE)
    if needs.kind == "any" and not speaks_of_devices(snippet):
        return Plan(())
    if snippet.name in stand_in_limits.NOT_RUN:
        return Plan((), stand_in_limits.why(snippet))
    if here.gpus < needs.count:
        return Plan((), f"needs {needs.count} GPUs" if needs.count > 1 else "needs a GPU")
    if needs.kind == "cuda" and (missing := _missing(snippet, here, able)):
        return Plan((), missing)
    return Plan((Tier.STAND_IN,))


def speaks_of_devices(snippet: Snippet) -> bool:
    """Whether a name, an attribute or a string of the code does: not its title, not a comment.

    Code that imports no torch has nothing to put on a device, whatever it speaks of: what it starts
    in another process has the devices of this machine.
    """
    title = tree_of(snippet.source).body[0].value
    nodes = [node for node in nodes_of(snippet.source) if node is not title]
    if not any(map(_imports_torch, nodes)):
        return False
    words: list[str] = []
    for node in nodes:
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
                words.append(word)
            case ast.alias(name=word):
                words.append(word)
    return any(_DEVICES.search(word) for word in words)


def _imports_torch(node: ast.AST) -> bool:
    match node:
        case ast.Import(names=names):
            return any(alias.name.partition(".")[0] == "torch" for alias in names)
        case ast.ImportFrom(module=str(module)):
            return module.partition(".")[0] == "torch"
    return False


def _missing(snippet: Snippet, here: Environment, able: Abilities | None) -> str:
    """Which need of a snippet for GPUs this machine's GPUs do not meet; "" if they meet all."""
    needs = snippet.needs
    able = able or abilities(here.has_gpu)
    if not snippet.simulated and 0 < able.free < LEAST_FREE:
        return "needs 4 GiB of free GPU memory"
    if needs.capability and able.capability < needs.capability:
        return "needs compute capability {}.{}".format(*needs.capability)
    if needs.triton and not able.triton:
        return "needs Triton and a C compiler"
    if needs.no_wddm and able.wddm:
        return "needs a system other than Windows and WSL2"
    return ""


def recorded_tier(
    snippet: Snippet, here: Environment, able: Abilities | None = None
) -> Tier | None:
    """The tier whose output a record of this environment holds; None if it cannot run here.

    A stand-in GPU answers for code that needs one, where that prints what hardware would.
    """
    if snippet.needs.libraries:
        return None
    if here.stand_in and (snippet.needs.kind != "cuda" or not stand_in_limits.speaks_for(snippet)):
        return None
    tiers = [tier for tier in plan(snippet, here, able).tiers if tier is not Tier.SIMULATED]
    return Tier.GPU if Tier.GPU in tiers else next(iter(tiers), None)


def not_recorded(snippet: Snippet, here: Environment, able: Abilities | None = None) -> str:
    """Why no record of this environment holds the snippet; "" where none needs to."""
    if snippet.needs.libraries:
        return _ELSEWHERE
    not_run = plan(snippet, here, able).not_run
    return stand_in_limits.why(snippet) if here.stand_in and not not_run else not_run
