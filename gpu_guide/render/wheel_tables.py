"""The tables of wheels: one function per table, from the data to rows in the page's language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise

from markupsafe import Markup

from gpu_guide.data.wheel_search import Wish, find
from gpu_guide.data.wheels import Build, Driver, Generation, Release, Source, Wheels, runs, version
from gpu_guide.render.table import Cell, Sources, Table
from gpu_guide.render.words import Words


def _compatibility(wheels: Wheels, say: Words) -> Table:
    rows = []
    used: list[Build | Driver | Generation] = []

    def names(build: Build) -> list[str]:
        return [gpu.name for gpu in wheels.generations if _covers(build.x86_64, gpu)]

    def least(driver: str, build: Build) -> str:
        """The build's driver, and that of cards which a newer one knows first."""
        for gpu in wheels.generations:
            if gpu.driver and _covers(build.x86_64, gpu) and version(driver) < version(gpu.driver):
                used.append(gpu)
                return say("card_driver", version=driver, gpu=gpu.name, least=gpu.driver)
        return say("and_newer", version=driver)

    for builds in _alike(_published(wheels), lambda b: (names(b), "x86_64" in b.unchecked)):
        first, driver = builds[0], wheels.driver(builds[0])
        used += [*builds, driver]
        rows.append(
            (
                _code(first.tag),
                _spans(builds, wheels, say),
                _known(least(driver.linux, first), driver, "linux", say),
                _known(least(driver.windows, first), driver, "windows", say),
                _known(say.listed(names(first)), first, "x86_64", say),
            )
        )
    return _table("compatibility", rows, used, wheels, say)


def _generations(wheels: Wheels, say: Words) -> str:
    def indexes(gpu: Generation) -> str:
        found = _by_tag(b for b in _published(wheels) if _covers(b.x86_64, gpu))
        tag = Markup("{} {}")
        tags = (tag.format(_code(builds[0].tag), _spans(builds, wheels, say)) for builds in found)
        return Markup("<br>").join(tags)

    rows = []
    for tags, group in groupby(wheels.generations, indexes):
        alike = list(group)
        for number, gpu in enumerate(alike):
            row = [gpu.name, say.listed(gpu.capabilities), say.listed(gpu.cards)]
            rows.append(row if number else [*row, Cell(tags, len(alike))])
    known = [build for build in _published(wheels) if build.x86_64]
    return _table("generations", rows, [*wheels.generations, *known], wheels, say)


def _choice(wheels: Wheels, say: Words) -> str:
    """For each generation and each range of drivers the build that the chooser takes."""
    drivers = sorted(wheels.drivers, key=lambda driver: int(driver.cuda), reverse=True)
    heads = [say("branch_and_newer", branch=drivers[0].linux)]
    newest = [drivers[0].linux]
    for newer, driver in pairwise(drivers):
        last = int(newer.linux.split(".")[0]) - 1
        heads.append(say("branches", first=driver.linux, last=last))
        newest.append(str(last))
    used: list[Build] = []

    def cell(gpu: Generation, driver: str) -> str:
        # Of a column the newest driver: what an older one lacks, the text below the table says.
        found = find(wheels, Wish(gpus=gpu.capabilities, driver=driver))
        if not found:
            return say("nothing")
        used.append(found.build)
        return say("of_torch", tag=_code(found.build.tag), torch=found.build.torch)

    rows = []
    for cells, group in groupby(wheels.generations, lambda gpu: [cell(gpu, d) for d in newest]):
        alike = list(group)
        for number, gpu in enumerate(alike):
            row = [gpu.name, say.listed(gpu.cards)]
            tall = [Cell(text, len(alike)) for text in cells]
            rows.append(row if number else [*row, *tall])
    return _table("choice", rows, [*wheels.generations, *drivers, *used], wheels, say, heads)


def _pip(wheels: Wheels, say: Words) -> str:
    def given(release: Release, platform: str) -> str:
        value = getattr(release, platform)
        text = say(value) if value in ("cpu", "mps", "none") else say("cuda", version=value)
        return _known(text, release, platform, say)

    rows = []
    platforms = ("linux_x86_64", "linux_aarch64", "windows", "macos")
    for _, group in groupby(wheels.releases, lambda r: [given(r, p) for p in platforms]):
        releases = list(group)
        span = _span(releases[-1].torch, releases[0].torch)
        rows.append((span, *(given(releases[0], platform) for platform in platforms)))
    return _table("pip", rows, wheels.releases, wheels, say)


def _releases(wheels: Wheels, say: Words) -> Table:
    rows = []
    for release in wheels.releases:
        parts = []
        for build in wheels.builds:
            if build.torch == release.torch:
                tag = _known(_code(build.tag), build, "published", say)
                if not build.published:
                    word = "nightly" if build.nightly else "not_published"
                    tag = say(word, tag=tag)
                parts.append(tag)
        pythons = say.listed(_pythons(release.python))
        rows.append((release.torch, release.latest, say.listed(parts), pythons))
    return _table("releases", rows, [*wheels.releases, *wheels.builds], wheels, say)


def _arm(wheels: Wheels, say: Words) -> Table:
    rows = []
    known = [build for build in _published(wheels) if build.aarch64]
    for builds in _alike(known, lambda build: build.aarch64):
        archs = say.listed(builds[0].aarch64)
        rows.append((_code(builds[0].tag), _spans(builds, wheels, say), archs))
    return _table("arm", rows, known, wheels, say)


def _drivers(wheels: Wheels, say: Words) -> str:
    rows = [
        (
            f"{driver.cuda}.x",
            _known(say("and_newer", version=driver.linux), driver, "linux", say),
            _known(say("and_newer", version=driver.windows), driver, "windows", say),
        )
        for driver in wheels.drivers
    ]
    return _table("drivers", rows, wheels.drivers, wheels, say)


Make = Callable[[Wheels, Words], Table]

TABLES: dict[str, Make] = {
    "wheels/arm": _arm,
    "wheels/choice": _choice,
    "wheels/compatibility": _compatibility,
    "wheels/drivers": _drivers,
    "wheels/generations": _generations,
    "wheels/pip": _pip,
    "wheels/releases": _releases,
}


def _published(wheels: Wheels) -> list[Build]:
    return [build for build in wheels.builds if build.published]


def _by_tag(builds: Iterable[Build]) -> list[list[Build]]:
    """The builds of each index together, the newest CUDA first; within it in the given order."""
    ordered = sorted(builds, key=lambda b: tuple(map(int, b.cuda.split("."))), reverse=True)
    return [list(group) for _, group in groupby(ordered, lambda build: build.tag)]


def _alike(builds: Iterable[Build], key: Callable[[Build], object]) -> list[list[Build]]:
    """The builds of one index that are alike, together."""
    found = []
    for group in _by_tag(builds):
        found += [list(alike) for _, alike in groupby(group, key)]
    return found


def _covers(archs: tuple[str, ...], gpu: Generation) -> bool:
    return all(runs(archs, capability) for capability in gpu.capabilities)


def _spans(builds: Sequence[Build], wheels: Wheels, say: Words) -> str:
    """The releases of the builds: "2.12–2.15", and apart from them those not checked."""
    order = [release.torch for release in wheels.releases]
    parts = []
    for unchecked, group in groupby(builds, lambda build: "published" in build.unchecked):
        places = [order.index(build.torch) for build in group]
        runs_of = groupby(enumerate(places), lambda pair: pair[1] - pair[0])
        for _, run in runs_of:
            here = [place for _, place in run]
            span = _span(order[here[-1]], order[here[0]])
            parts.append(say("second_hand", text=span) if unchecked else span)
    return say.listed(parts)


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first}–{last}"


def _pythons(versions: Sequence[str]) -> list[str]:
    plain = [version for version in versions if not version.endswith("t")]
    threaded = [version for version in versions if version.endswith("t")]
    return [_span(plain[0], plain[-1]), *threaded]


def _known(text: str, row: Build | Driver | Release, key: str, say: Words) -> str:
    """The text of a cell, which says so where the data say that it was not checked."""
    if key not in row.unchecked:
        return text
    return say("second_hand", text=text) if text else say("unchecked")


def _code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(text)


def _table(
    name: str,
    rows: Sequence[Sequence[str | Cell]],
    used: Iterable[Build | Driver | Generation | Release],
    wheels: Wheels,
    say: Words,
    more_heads: Sequence[str] = (),
) -> Table:
    heads = [*say.heads(name), *more_heads]
    return Table(heads, rows, _sources(used, wheels.sources, say))


def _sources(
    used: Iterable[Build | Driver | Generation | Release], sources: Sequence[Source], say: Words
) -> Sources:
    """Where the facts of a table were read, and when: for each source the oldest day."""
    days: dict[str, str] = {}
    for row in used:
        day = row.read.isoformat()
        days[row.source] = min(day, days.get(row.source, day))
    found = [(source, days.get(source.id)) for source in sources]
    return [
        (day, [(source.url, source.title[say.language]) for source, of in found if of == day])
        for day in sorted(set(days.values()), reverse=True)
    ]
