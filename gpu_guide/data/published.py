"""Comparison of `data/wheels.yml` with what is published: asks PyTorch's indexes and PyPI, for
torch, torchvision and torchaudio.

An index is a page of file names (PEP 503), such as
`torch-2.15.0%2Bcu132-cp313-cp313-manylinux_2_28_x86_64.whl`.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from gpu_guide.data.wheels import INDEX, PACKAGES, Wheels, load_wheels, version
from gpu_guide.problems import Problem, fault
from gpu_guide.project import Project

PYPI = "https://pypi.org/pypi/torch/json"
PYPI_OF = {package: f"https://pypi.org/pypi/{package}/json" for package in PACKAGES}
_WHEEL = re.compile(r">torch-(?P<torch>\d+\.\d+)\.\d+\+(?P<tag>cu\d+)-[^<]*\.whl<")
_COMPANION = re.compile(r">[a-z]+-(?P<version>[\d.]+)\+(?P<tag>cu\d+)-[^<]*\.whl<")
_NEEDED = re.compile(r"torch ?\(?(?P<how>==|>=)(?P<torch>[\d.]+)\)?$")
_FINAL = re.compile(r"(?P<minor>\d+\.\d+)\.\d+")
_SECONDS = 30


def fetched(url: str) -> str:
    """The text at an address, "" where there is none (403 and 404: an index that does not exist).

    Raises GuideError where nothing answers.
    """
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        if error.code in (403, 404):
            return ""
        raise fault(None, None, f"{url}: {error}", "try again later") from error
    except OSError as error:
        raise fault(None, None, f"{url}: {error}", "look at the network, try again") from error


def differences(project: Project, ask: Callable[[str], str] = fetched) -> list[Problem]:
    """What data/wheels.yml says and the indexes do not, or the other way round."""
    wheels = load_wheels(project)
    return [
        Problem(
            project.wheels, None, what, "read its source again, and correct the entry and its date"
        )
        for what in (
            *_of_indexes(wheels, ask),
            *_of_pypi(wheels, json.loads(ask(PYPI))),
            *_of_companions(wheels, ask),
        )
    ]


def _of_indexes(wheels: Wheels, ask: Callable[[str], str]) -> Iterator[str]:
    known = {release.torch for release in wheels.releases}
    for tag in dict.fromkeys(build.tag for build in wheels.builds):
        page = unquote(ask(f"{INDEX}{tag}/torch/"))
        there = {match["torch"] for match in _WHEEL.finditer(page) if match["tag"] == tag}
        said = {build.torch: build.published for build in wheels.builds if build.tag == tag}
        for torch in sorted(known, key=version):
            if torch in there and not said.get(torch):
                how = "says it is not published" if torch in said else "has no such build"
                yield f"the index {tag} has torch {torch}, and the file {how}"
            elif torch not in there and said.get(torch):
                yield f"the index {tag} has no torch {torch}, and the file says that it does"


def _of_pypi(wheels: Wheels, listed: dict) -> Iterator[str]:
    newest: dict[str, str] = {}
    for found in listed["releases"]:
        if match := _FINAL.fullmatch(found):
            minor = match["minor"]
            newest[minor] = max(newest.get(minor, found), found, key=version)
    said = {release.torch: release.latest for release in wheels.releases}
    oldest = min(said, key=version)
    for minor, latest in sorted(newest.items(), key=lambda item: version(item[0])):
        if version(minor) >= version(oldest) and said.get(minor) != latest:
            yield f"PyPI's newest torch {minor} is {latest}, in the file it is {said.get(minor)}"


def _of_companions(wheels: Wheels, ask: Callable[[str], str]) -> Iterator[str]:
    """What is new of torchvision and torchaudio, and which index lacks one that it should have."""
    for package in PACKAGES if wheels.companions else ():
        mine = [c for c in wheels.companions if c.package == package]
        listed = json.loads(ask(PYPI_OF[package]))
        newest = max((v for v in listed["releases"] if _FINAL.fullmatch(v)), key=version)
        known = max((c.version for c in mine), key=version)
        needed = [r for r in listed.get("info", {}).get("requires_dist") or () if _NEEDED.match(r)]
        asks = f"it requires {needed[0]}" if needed else "it names no torch"
        if newest != known:
            yield f"PyPI's newest {package} is {newest}, in the file it is {known}: {asks}"
        elif needed:
            least = _NEEDED.match(needed[0])["torch"]
            fits = {v for c in mine if c.version == known for v in c.fits}
            wrong = sorted(v for v in fits if version(v) < version(least)[:2])
            if wrong:
                yield f"{package} {known}: {asks}, and the file says that it fits torch {wrong[0]}"
        for tag in dict.fromkeys(b.tag for b in wheels.builds if b.published):
            page = unquote(ask(f"{INDEX}{tag}/{package}/"))
            there = {m["version"] for m in _COMPANION.finditer(page) if m["tag"] == tag}
            built = {b.torch for b in wheels.builds if b.tag == tag and b.published}
            for companion in mine:
                if companion.release in built and companion.version not in there:
                    yield f"the index {tag} has no {package} {companion.version}"
