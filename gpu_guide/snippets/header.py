"""The data lines of a snippet, right below its title: what it needs, and how it is run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from gpu_guide.problems import fault
from gpu_guide.snippets.comments import beginnings, comment_in
from gpu_guide.snippets.libraries import Library

_HEADER = re.compile(r"# (?P<key>[a-z]+): (?P<value>\S.*)")
_COUNTED_NEED = re.compile(r"(?P<kind>cuda|torchrun)(?::(?P<count>[1-9]))?")
_RELEASE = re.compile(r"torch>=(?P<major>\d+)\.(?P<minor>\d+)")
_ARCHITECTURE = re.compile(r"sm_(?P<major>\d{1,2})(?P<minor>\d)")


@dataclass(frozen=True)
class Needs:
    """What a snippet needs in order to run: nothing, GPUs, processes, and more of the machine."""

    kind: Literal["any", "cuda", "torchrun"] = "any"
    count: int = 1
    linux: bool = False
    capability: tuple[int, int] | None = None
    """The lowest compute capability that will do."""
    triton: bool = False
    """Triton, and the C compiler that it calls."""
    no_wddm: bool = False
    """Neither Windows nor WSL2: their driver lends system memory where GPU memory is used up."""
    libraries: tuple[Library, ...] = ()
    """Libraries on top of PyTorch, in an environment of their own."""
    torch: tuple[int, int] | None = None
    """The oldest release of PyTorch that will do, where that is not the oldest supported."""

    def newer_than(self, torch: str) -> bool:
        """Whether a release such as `2.11.0+cu130` is older than what is needed."""
        return self.torch is not None and tuple(map(int, torch.split(".")[:2])) < self.torch

    def __str__(self) -> str:
        words = [f"{self.kind}:{self.count}" if self.count > 1 else self.kind]
        if self.capability:
            words.append("sm_{}{}".format(*self.capability))
        words += ["triton"] if self.triton else []
        words += ["no-wddm"] if self.no_wddm else []
        words += ["linux"] if self.linux else []
        words += ["torch>={}.{}".format(*self.torch)] if self.torch else []
        words += [library.pinned for library in self.libraries]
        return ", ".join(words)


def read_header(
    path: Path,
    comments: dict[int, str],
    end: int,
    languages: Sequence[str],
    libraries: Sequence[Library] = (),
) -> tuple[dict, int]:
    """The data lines right below the docstring, and the last line of all that.

    `libraries` are those that the snippet may need.
    """
    header: dict = {}
    while (text := comments.get(end + 1)) is not None and not comment_in(text, languages):
        match = _HEADER.match(text)
        if not match or match["key"] not in _KEYS:
            raise fault(
                path,
                end + 1,
                f"not a data line: {text!r}",
                f"known keys are {', '.join(_KEYS)}; comments begin with {beginnings(languages)}",
            )
        if match["key"] in header:
            remedy = "write one line, with commas: # needs: cuda, linux"
            raise fault(path, end + 1, f"'# {match['key']}:' again", remedy)
        reading = partial(_needs, libraries=libraries) if match["key"] == "needs" else None
        reading = reading or _KEYS[match["key"]]
        header[match["key"]] = reading(path, end + 1, match["value"].strip())
        end += 1
    return header, end


def _needs(path: Path, line: int, value: str, libraries: Sequence[Library] = ()) -> Needs:
    kinds: dict[str, int] = {}
    more: dict[str, Any] = {}
    known = {library.id: library for library in libraries}
    chosen: list[Library] = []
    for word in re.split(r"[,\s]+", value):
        if match := _COUNTED_NEED.fullmatch(word):
            kinds[match["kind"]] = int(match["count"] or 1)
        elif match := _ARCHITECTURE.fullmatch(word):
            more["capability"] = int(match["major"]), int(match["minor"])
        elif match := _RELEASE.fullmatch(word):
            more["torch"] = int(match["major"]), int(match["minor"])
        elif word in ("linux", "triton", "no-wddm"):
            more[word.replace("-", "_")] = True
        elif word in known:
            chosen.append(known[word])
        else:
            raise fault(
                path,
                line,
                f"unknown need {word!r}",
                "write cuda, cuda:2 or torchrun:2, and behind it sm_80, triton, no-wddm, linux or "
                "torch>=2.12; "
                f"or a library of data/libraries.yml: {', '.join(known) or 'it has none'}",
            )
    if {"cuda", "torchrun"} <= kinds.keys():
        raise fault(path, line, "needs both cuda and torchrun", "torchrun:N is enough")
    if kinds.get("torchrun") == 1:
        raise fault(path, line, "torchrun without a number", "write torchrun:2")
    of_a_gpu = more.keys() - {"linux", "torch"}
    if of_a_gpu and "cuda" not in kinds:
        raise fault(
            path,
            line,
            "sm_80, triton and no-wddm without cuda",
            "they are about a GPU: write cuda, too",
        )
    kind = next((k for k in ("cuda", "torchrun") if k in kinds), "any")
    if kind == "cuda" and chosen:
        what = "needs both a GPU and a library, whose environment has PyTorch's CPU build"
        raise fault(path, line, what, "write code that runs on the CPU")
    return Needs(kind, kinds.get(kind, 1), **more, libraries=tuple(chosen))


def _yes_or_no(path: Path, line: int, value: str) -> bool:
    if value not in ("yes", "no"):
        raise fault(path, line, f"{value!r} is neither yes nor no", "write yes or no")
    return value == "yes"


def _exits(path: Path, line: int, value: str) -> frozenset[int]:
    if not re.fullmatch(r"\d+( \d+)*", value):
        raise fault(path, line, f"not exit statuses: {value!r}", "write them as '0 1'")
    return frozenset(int(word) for word in value.split())


LEAVES = ("environment", "files", "threads")
"""What a snippet may leave changed, if that is what it shows."""


def _leaves(path: Path, line: int, value: str) -> frozenset[str]:
    words = re.split(r"[,\s]+", value)
    if unknown := set(words) - set(LEAVES):
        what = f"unknown word {min(unknown)!r} of what it leaves"
        raise fault(path, line, what, f"write some of {', '.join(LEAVES)}")
    return frozenset(words)


_KEYS = {
    "needs": _needs,
    "simulated": _yes_or_no,
    "measures": _yes_or_no,
    "exits": _exits,
    "leaves": _leaves,
}


def check_place(path: Path, comments: Mapping[int, str]) -> None:
    """Raise GuideError for a data line among the `comments`, which come after the first code."""
    for number, text in comments.items():
        if (match := _HEADER.match(text)) and match["key"] in _KEYS:
            raise fault(path, number, "a data line away from the top", "move it up")


def check_header(path: Path, header: dict, first_output: int | None) -> None:
    """Raise GuideError for data lines that go neither together nor with the outputs."""
    needs = header.get("needs", Needs())
    if "simulated" in header and needs.kind != "cuda":
        raise fault(
            path, 1, "'# simulated:' without '# needs: cuda'", "delete the line, or say the need"
        )
    kept_elsewhere = header.get("measures") or not header.get("simulated", True)
    if first_output is not None and kept_elsewhere:
        raise fault(
            path,
            first_output,
            "an output in a file whose output is only recorded (measures, simulated: no)",
            "delete the '#>' lines: `make record` keeps them in records/",
        )
