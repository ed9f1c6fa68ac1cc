"""Typed access to `data/apis.yml`: the public names of torch's modules, and which are deprecated.

`python -m gpu_guide apis` writes names and deprecations from the installed torch; the addresses are
kept by hand.
"""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from gpu_guide.data.entries import entries, only_once, typed
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project


@dataclass(frozen=True)
class Module:
    """One module of torch; data/apis.yml says at its top what the keys mean."""

    module: str
    group: str
    page: str = ""
    torch: str = ""
    names: tuple[str, ...] = ()
    deprecated: Mapping[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()


def load_modules(project: Project) -> dict[str, Module]:
    """The modules by name, in the order of data/apis.yml. Raises GuideError."""
    found: dict[str, Module] = {}
    for line, entry in entries(project.apis):
        module = typed(project.apis, line, Module, entry)
        only_once(project.apis, line, "module", module.module, found)
        for name in module.deprecated:
            if name not in module.names:
                remedy = did_you_mean(
                    name, module.names, "write the file by `python -m gpu_guide apis`"
                )
                raise fault(project.apis, line, f"deprecated: no name {name!r}", remedy)
        found[module.module] = module
    return found


def module_of(name: str, modules: Mapping[str, Module]) -> Module:
    """The module that contains `name`. It is one of the names that `snippets.apis.used` finds."""
    return modules[name.rpartition(".")[0]]


def write_names(project: Project) -> None:
    """Write names and deprecations of the installed torch into the file. Raises GuideError."""
    head = project.apis.read_text("utf-8").partition("\n- ")[0]
    kept = load_modules(project).values()
    lines = [head, *(line for module in kept for line in _entry(module))]
    project.apis.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _entry(module: Module) -> Iterator[str]:
    yield f"- module: {module.module}"
    yield f"  group: {module.group}"
    if module.page:
        yield f"  page: {module.page}"
    if module.names:
        here = importlib.import_module(module.module)
        names = public_names(here)
        yield f'  torch: "{importlib.import_module("torch").__version__.partition("+")[0]}"'
        yield "  names:"
        yield from (f"    - {name}" for name in names)
        if said := {name: text for name in names if (text := deprecation(getattr(here, name)))}:
            yield "  deprecated:"
            yield from (f"    {name}: {json.dumps(text)}" for name, text in said.items())
    if module.absent:
        yield f"  absent: [{', '.join(module.absent)}]"
    yield ""


def public_names(module: ModuleType) -> list[str]:
    """The names of `__all__`, or those of a module without one that are torch's own functions and
    classes; not the modules among them."""
    own = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and _home(value).startswith("torch")
    ]
    kept = (name for name in set(own) if type(getattr(module, name)) is not ModuleType)
    return sorted(kept, key=lambda name: (name.lower(), name))


def deprecation(thing: Any) -> str:
    """What PyTorch's warning says of a function, a class or a class-like object; "" without one.

    What only has a deprecated second name is marked, too, but it is not wrapped.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one in (thing, getattr(thing, "__init__", None), type(thing).__getattribute__):
            marked = isinstance(one, type) and "__deprecated__" in vars(one)
            if (marked or hasattr(one, "__wrapped__")) and (
                text := getattr(one, "__deprecated__", "")
            ):
                return str(text)
    return ""


def _home(value: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a deprecated object, whose every attribute warns
        return str(getattr(value, "__module__", ""))
