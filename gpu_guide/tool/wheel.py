"""`gpu-guide wheel`: the command that installs torch on this machine, by the guide's chooser."""

from __future__ import annotations

import argparse
import json
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from gpu_guide.data.wheel_chooser import OTHER_MAKERS, Answer, Said, answer
from gpu_guide.data.wheel_search import Wish
from gpu_guide.data.wheels import Wheels, load_wheels, version
from gpu_guide.dry_run.words import Words
from gpu_guide.project import HERE
from gpu_guide.render.words import Words as SiteWords
from gpu_guide.tool.readers_python import readers_python

FOUND, NONE = 0, 1
"""The exit statuses."""
PROGRAMS = ("nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi")
_SECONDS = 30
_ARMS = ("aarch64", "arm64")
_CAPABILITY = re.compile(r"\d{1,2}\.\d")
_LINK = re.compile(r"\[([^\]]+)\]\(%PAGES%/([^)]+?)/?(#[^)]*)?\)")
_PYTHON = "import sys, sysconfig; print('%d.%d' % sys.version_info[:2] + \
('t' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''))"


@dataclass(frozen=True)
class Seen:
    """What nvidia-smi says of this machine."""

    driver: str = ""
    gpus: tuple[str, ...] = ()
    """The names of the GPUs."""
    capabilities: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    """Names of which neither nvidia-smi nor the data tell the compute capability."""


def run(options: argparse.Namespace, say: Words) -> int:
    """FOUND, or NONE where no wheel runs here."""
    wheels = load_wheels(HERE)
    asks = not (options.gpu or options.driver or options.system)
    seen = ask(wheels) if asks else Seen()
    if seen.unknown and not seen.capabilities:
        print(say("unknown_gpu", gpu=", ".join(seen.unknown)), file=sys.stderr)
        return options.not_done
    if wrong := _impossible(options, wheels, say):
        print(wrong, file=sys.stderr)
        return options.not_done
    python = options.python_version or _version(readers_python(options.python))
    if not python and options.python:
        print(say("no_python_version", python=options.python), file=sys.stderr)
        return options.not_done
    wish = Wish(
        system=options.system or system(),
        tool=options.tool,
        gpus=tuple(options.gpu or seen.capabilities),
        driver=options.driver or seen.driver,
        python=python or "{}.{}".format(*sys.version_info[:2]),
        torch=_minor(options.torch),
        china=options.china,
        packages=tuple(options.also),
    )
    found = answer(wheels, wish)
    if options.json:
        told = {"machine": asdict(seen), "wish": asdict(wish), **asdict(found)}
        words = SiteWords(say.language)
        told["why"] = [_worded(words, one) for one in found.why]
        told["expect"] = [_worded(words, one) for one in found.expect]
        print(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        print("\n".join(_lines(found, wish, seen, say, asked=asks)))
    return FOUND if found.install else NONE


def _impossible(options: argparse.Namespace, wheels: Wheels, say: Words) -> str:
    """What is no GPU, driver, Python or release of torch, in a sentence; "" where all are."""
    known = {one for generation in wheels.generations for one in generation.capabilities}
    known |= {board.capability for board in wheels.integrated} | {*OTHER_MAKERS}
    for gpu in options.gpu or ():
        if gpu not in known:
            numbers = sorted(known - {*OTHER_MAKERS}, key=version)
            return say("no_gpu", gpu=gpu, names=", ".join([*numbers, *OTHER_MAKERS]))
    if options.driver and not re.fullmatch(r"\d+(\.\d+)*", options.driver):
        return say("no_driver", driver=options.driver)
    if options.python_version and not re.fullmatch(r"3\.\d+t?", options.python_version):
        return say("no_python_version", python=options.python_version)
    releases = [release.torch for release in wheels.releases]
    if options.torch and _minor(options.torch) not in releases:
        return say("no_release", torch=options.torch, names=", ".join(releases))
    return ""


def _minor(torch: str) -> str:
    """2.13.0 as 2.13: the newest of its patches is installed."""
    return ".".join(torch.split(".")[:2])


def system() -> str:
    """This machine as the chooser calls it."""
    machine = platform.machine().lower()
    match platform.system():
        case "Windows":
            return "windows"
        case "Darwin":
            return "mac" if machine in _ARMS else "mac-intel"
    if "microsoft" in platform.release().lower():
        return "wsl"
    return "linux-arm" if machine in _ARMS else "linux"


def ask(wheels: Wheels) -> Seen:
    """What nvidia-smi says. An old one does not know the field compute_cap: then by the names."""
    for program in PROGRAMS:
        for field in (",compute_cap", ""):
            query = [program, f"--query-gpu=name,driver_version{field}", "--format=csv,noheader"]
            try:
                done = subprocess.run(
                    query, capture_output=True, text=True, timeout=_SECONDS, check=False
                )
            except (OSError, subprocess.TimeoutExpired):
                break
            if done.returncode == 0:
                return read(done.stdout, wheels)
    return Seen()


def read(table: str, wheels: Wheels) -> Seen:
    """A line a GPU: name, driver, and perhaps the compute capability."""
    rows = [[cell.strip() for cell in line.split(",")] for line in table.splitlines() if line]
    names, found, unknown = [], set(), []
    for name, _, *more in rows:
        said = more[0] if more and _CAPABILITY.fullmatch(more[0]) else ""
        said = said or next((s.capability for s in wheels.series if re.search(s.names, name)), "")
        names.append(name)
        if said:
            found.add(said)
        else:
            unknown.append(name)
    driver = rows[0][1] if rows else ""
    return Seen(driver, tuple(names), tuple(sorted(found, key=version)), tuple(unknown))


def _version(python: str) -> str:
    """The version of a Python, as the wheels name it: 3.13, or 3.13t; "" where it fails."""
    try:
        done = subprocess.run([python, "-c", _PYTHON], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def _lines(found: Answer, wish: Wish, seen: Seen, say: Words, *, asked: bool) -> Iterator[str]:
    words = SiteWords(say.language)
    if seen.gpus:
        yield say("wheel_seen", gpus=", ".join(dict.fromkeys(seen.gpus)), driver=seen.driver)
    elif asked and wish.system not in ("mac", "mac-intel"):
        yield say("wheel_no_gpu")
    given = {"system": words(f"chooser_system_{wish.system}"), "python": wish.python}
    yield say("wheel_machine", **given)
    yield ""
    yield from (f"  {command}" for command in (*found.prepare, *found.install))
    if found.install:
        yield ""
    for one in found.why:
        yield f"- {_worded(words, one)}"
    if found.check:
        yield ""
        yield words("chooser_after")
        yield f"  {found.check}"
        yield from (f"- {_worded(words, one)}" for one in found.expect)


def _worded(words: SiteWords, said: Said) -> str:
    """A reason as the page words it, its links as the names of pages."""
    key, values = said
    shown: dict[str, Any] = {}
    for name, value in values.items():
        if name == "changes":
            parts = [words(f"chooser_change_{kind}", value=to) for kind, to in value]
            shown[name] = words("chooser_and").join(parts)
        else:
            shown[name] = words("chooser_comma").join(value) if isinstance(value, list) else value
    return _LINK.sub(r"\1 (\2\3)", words(f"chooser_{key}", **shown))
