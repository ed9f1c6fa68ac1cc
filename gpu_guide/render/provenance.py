"""Provenance of outputs, in the words of a page's language.

The facts are those of records/evidence.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpu_guide.records.evidence import NotRecorded, OnCpu, OnMachine, Origin, Processes, Simulated
from gpu_guide.render.template import fill
from gpu_guide.render.words import Words
from gpu_guide.run.machine import Environment
from gpu_guide.snippets.model import Needs


def label(origins: Iterable[Origin], say: Words) -> str:
    """What the tab of an output is called that all of these have in common."""
    return " · ".join(_name(origin, say) for origin in origins)


def _name(origin: Origin, say: Words) -> str:
    match origin:
        case OnCpu():
            return "CPU"
        case OnMachine(machine) if machine.stand_in:
            return say("stand_in", torch=_release(machine))
        case OnMachine(machine):
            return machine_name(machine, say)
        case _:
            return say("simulated")


def where(origins: Iterable[Origin], say: Words) -> str:
    """The evidence line in one short phrase: on what kinds of machines the code ran. What they
    were exactly, `claim` says."""
    kinds = list(dict.fromkeys(_kind(origin, say) for origin in origins))
    ran = [kind for kind in kinds if kind]
    if not ran:
        return say("not_recorded")
    *others, last = ran
    places = say("and").join([say.listed(others), last]) if others else last
    return say("ran_on", places=places)


def _kind(origin: Origin, say: Words) -> str:
    match origin:
        case Simulated():
            return say("ran_simulated")
        case OnMachine(machine) if machine.stand_in:
            return say("ran_stand_in")
        case OnMachine(machine) if machine.gpu:
            return machine.gpu
        case OnCpu() | OnMachine():
            return say("ran_cpu")
        case _:
            return ""


def claim(origin: Origin, say: Words) -> str:
    """What the evidence line says of one origin."""
    match origin:
        case OnCpu(torch, processes, libraries):
            parts = ["CPU", *libraries, f"torch {torch}"]
        case OnMachine(machine, processes):
            parts = [machine_claim(machine, say)]
        case Simulated(gpus):
            return say.counted("simulated", gpus)
        case NotRecorded():
            return say("not_recorded")
    return say.listed([*parts, *_on_processes(processes, say)], "comma")


def _on_processes(processes: Processes | None, say: Words) -> Iterator[str]:
    if processes:
        yield say("processes", count=processes.count, backend=processes.backend)


def machine_claim(machine: Environment, say: Words) -> str:
    """A machine with its versions and the day of its record.

    What a stand-in GPU is, its claim leads to, so that nobody takes it for hardware.
    """
    if machine.stand_in:
        gpu = fill("stand_in.html", words=say("stand_in_gpu"))
        proof = say("stand_in_claim", torch=_release(machine), gpu=gpu)
        return say.listed([proof, machine.date], "comma")
    parts = [machine_name(machine, say), f"torch {machine.torch}"]
    parts += [f"CUDA {machine.cuda}"] if machine.cuda else []
    parts += [say("driver", version=machine.driver)] if machine.driver else []
    return say.listed([*parts, machine.date], "comma")


def _release(machine: Environment) -> str:
    """ "2.13" of torch 2.13.0+cu130."""
    return ".".join(machine.torch.split(".")[:2])


def machine_name(machine: Environment, say: Words) -> str:
    """What a machine is called where there are several."""
    below = "WSL2" if machine.wsl else machine.system.partition(" ")[0]
    no_gpu = machine.cuda and not machine.gpus
    name = say("cuda_build") if no_gpu else machine.gpu or machine.id
    return name if below == "Linux" else say("on_system", name=name, system=below)


def stale_claim(machine: Environment, say: Words) -> str:
    """Of a machine that ran older code of a snippet."""
    return say("snippet_stale", gpu=_name(OnMachine(machine), say), date=machine.date)


def further_needs(needs: Needs, say: Words) -> list[str]:
    """What a snippet needs besides GPUs and processes: one claim, or none."""
    parts = []
    if needs.capability:
        parts.append(say("needs_capability", version="{}.{}".format(*needs.capability)))
    parts += [say("needs_triton")] if needs.triton else []
    parts += [say("needs_no_wddm")] if needs.no_wddm else []
    parts += [say("needs_linux")] if needs.linux else []
    if needs.torch:
        parts.append(say("needs_torch", version="{}.{}".format(*needs.torch)))
    return [say("also_needs", needs=say.listed(parts))] if parts else []
