"""The tables of wheels, in HTML: one function per table, from the data to the page's language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import groupby, pairwise

from gpu_guide.data.wheels import Build, Driver, Generation, Release, Source, Wheels, runs, version
from gpu_guide.snippets.model import Language

_WORDS: dict[Language, dict[str, str]] = {
    "zh": {
        "comma": "、",
        "semicolon": "；",
        "unchecked": "未核实",
        "second_hand": "{}（未核实）",
        "cpu": "CPU 版",
        "mps": "CPU 和 MPS",
        "none": "没有 wheel",
        "cuda": "CUDA {}",
        "not_published": "{}（不再发布）",
        "nightly": "{}（只有每日构建）",
        "and_newer": "≥ {}",
        "branch_and_newer": "驱动 ≥ {}",
        "branches": "驱动 {}–{}",
        "up_to": "{}，torch ≤ {}",
        "nothing": "没有",
        "card_driver": "≥ {}（{} ≥ {}）",
        "sources": "来源（{day} 读取）：",
    },
    "en": {
        "comma": ", ",
        "semicolon": "; ",
        "unchecked": "not checked",
        "second_hand": "{} (not checked)",
        "cpu": "CPU-only",
        "mps": "CPU and MPS",
        "none": "no wheel",
        "cuda": "CUDA {}",
        "not_published": "{} (no longer published)",
        "nightly": "{} (nightly only)",
        "and_newer": "≥ {}",
        "branch_and_newer": "driver ≥ {}",
        "branches": "driver {}–{}",
        "up_to": "{}, torch ≤ {}",
        "nothing": "none",
        "card_driver": "≥ {} ({} ≥ {})",
        "sources": "Sources, read {day}: ",
    },
}
_HEADS: dict[Language, dict[str, tuple[str, ...]]] = {
    "zh": {
        "compatibility": ("索引", "torch", "Linux 驱动", "Windows 驱动", "GPU 架构"),
        "choice": ("GPU 架构", "例如"),
        "generations": ("GPU 架构", "计算能力", "例如", "能用的索引和 torch"),
        "pip": ("torch", "Linux x86-64", "Linux Arm", "Windows", "Mac（Apple 芯片）"),
        "releases": ("torch", "最新补丁", "CUDA 版的索引", "Python"),
        "arm": ("索引", "torch", "编译进去的架构"),
        "drivers": ("<code>torch.version.cuda</code>", "Linux 驱动", "Windows 驱动"),
    },
    "en": {
        "compatibility": ("index", "torch", "Linux driver", "Windows driver", "GPU generations"),
        "choice": ("GPU generation", "such as"),
        "generations": ("GPU generation", "compute capability", "such as", "indexes and torch"),
        "pip": ("torch", "Linux x86-64", "Linux Arm", "Windows", "Mac (Apple silicon)"),
        "releases": ("torch", "newest patch", "indexes of its CUDA builds", "Python"),
        "arm": ("index", "torch", "architectures compiled in"),
        "drivers": ("<code>torch.version.cuda</code>", "Linux driver", "Windows driver"),
    },
}


def _compatibility(wheels: Wheels, lang: Language) -> str:
    rows = []
    used: list[Build | Driver | Generation] = []

    def names(build: Build) -> list[str]:
        return [gpu.name for gpu in wheels.generations if _covers(build.x86_64, gpu)]

    def least(driver: str, build: Build) -> str:
        """The build's driver, and that of cards which a newer one knows first."""
        for gpu in wheels.generations:
            if gpu.driver and _covers(build.x86_64, gpu) and version(driver) < version(gpu.driver):
                used.append(gpu)
                return _WORDS[lang]["card_driver"].format(driver, gpu.name, gpu.driver)
        return _WORDS[lang]["and_newer"].format(driver)

    for builds in _alike(_published(wheels), lambda b: (names(b), "x86_64" in b.unchecked)):
        first, driver = builds[0], wheels.driver(builds[0])
        used += [*builds, driver]
        rows.append(
            (
                _code(first.tag),
                _spans(builds, wheels, lang),
                _known(least(driver.linux, first), driver, "linux", lang),
                _known(least(driver.windows, first), driver, "windows", lang),
                _known(_WORDS[lang]["comma"].join(names(first)), first, "x86_64", lang),
            )
        )
    return _html("compatibility", rows, used, wheels, lang)


def _generations(wheels: Wheels, lang: Language) -> str:
    def indexes(gpu: Generation) -> str:
        found = _by_tag(b for b in _published(wheels) if _covers(b.x86_64, gpu))
        tags = (f"{_code(builds[0].tag)} {_spans(builds, wheels, lang)}" for builds in found)
        return "<br>".join(tags)

    comma = _WORDS[lang]["comma"]
    rows = []
    for tags, group in groupby(wheels.generations, indexes):
        alike = list(group)
        for number, gpu in enumerate(alike):
            row = [gpu.name, comma.join(gpu.capabilities), comma.join(gpu.cards)]
            rows.append(row if number else [*row, _Tall(tags, len(alike))])
    known = [build for build in _published(wheels) if build.x86_64]
    return _html("generations", rows, [*wheels.generations, *known], wheels, lang)


def _choice(wheels: Wheels, lang: Language) -> str:
    """For each generation and each range of drivers the newest torch, and its indexes."""
    words = _WORDS[lang]
    drivers = sorted(wheels.drivers, key=lambda driver: int(driver.cuda), reverse=True)
    heads = [words["branch_and_newer"].format(drivers[0].linux)]
    for newer, driver in pairwise(drivers):
        heads.append(words["branches"].format(driver.linux, int(newer.linux.split(".")[0]) - 1))
    used: list[Build] = []

    def cell(gpu: Generation, driver: Driver) -> str:
        able = [
            build
            for build in _published(wheels)
            if int(build.cuda.split(".")[0]) <= int(driver.cuda) and _covers(build.x86_64, gpu)
        ]
        if not able:
            return words["nothing"]
        certain = {build.torch for build in able if "published" not in build.unchecked}
        newest = next(r.torch for r in wheels.releases if r.torch in certain)
        best = [build for build in able if build.torch == newest]
        used.extend(best)
        tags = words["comma"].join(
            _known(_code(build.tag), build, "published", lang) for (build,) in _by_tag(best)
        )
        if newest == wheels.releases[0].torch:
            return tags
        return words["up_to"].format(tags, newest)

    rows = []
    for cells, group in groupby(wheels.generations, lambda gpu: [cell(gpu, d) for d in drivers]):
        alike = list(group)
        for number, gpu in enumerate(alike):
            row = [gpu.name, words["comma"].join(gpu.cards)]
            tall = [_Tall(text, len(alike)) for text in cells]
            rows.append(row if number else [*row, *tall])
    return _html("choice", rows, [*wheels.generations, *drivers, *used], wheels, lang, heads)


def _pip(wheels: Wheels, lang: Language) -> str:
    def given(release: Release, platform: str) -> str:
        value = getattr(release, platform)
        words = _WORDS[lang]
        text = words[value] if value in words else words["cuda"].format(value)
        return _known(text, release, platform, lang)

    rows = []
    platforms = ("linux_x86_64", "linux_aarch64", "windows", "macos")
    for _, group in groupby(wheels.releases, lambda r: [given(r, p) for p in platforms]):
        releases = list(group)
        span = _span(releases[-1].torch, releases[0].torch)
        rows.append((span, *(given(releases[0], platform) for platform in platforms)))
    return _html("pip", rows, wheels.releases, wheels, lang)


def _releases(wheels: Wheels, lang: Language) -> str:
    rows = []
    for release in wheels.releases:
        parts = []
        for build in wheels.builds:
            if build.torch == release.torch:
                tag = _known(_code(build.tag), build, "published", lang)
                if not build.published:
                    word = "nightly" if build.nightly else "not_published"
                    tag = _WORDS[lang][word].format(tag)
                parts.append(tag)
        comma = _WORDS[lang]["comma"]
        rows.append(
            (release.torch, release.latest, comma.join(parts), _pythons(release.python, comma))
        )
    return _html("releases", rows, [*wheels.releases, *wheels.builds], wheels, lang)


def _arm(wheels: Wheels, lang: Language) -> str:
    rows = []
    known = [build for build in _published(wheels) if build.aarch64]
    for builds in _alike(known, lambda build: build.aarch64):
        archs = _WORDS[lang]["comma"].join(builds[0].aarch64)
        rows.append((_code(builds[0].tag), _spans(builds, wheels, lang), archs))
    return _html("arm", rows, known, wheels, lang)


def _drivers(wheels: Wheels, lang: Language) -> str:
    least = _WORDS[lang]["and_newer"]
    rows = [
        (
            f"{driver.cuda}.x",
            _known(least.format(driver.linux), driver, "linux", lang),
            _known(least.format(driver.windows), driver, "windows", lang),
        )
        for driver in wheels.drivers
    ]
    return _html("drivers", rows, wheels.drivers, wheels, lang)


TABLES: dict[str, Callable[[Wheels, Language], str]] = {
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


def _spans(builds: Sequence[Build], wheels: Wheels, lang: Language) -> str:
    """The releases of the builds: "2.12–2.15", and apart from them those not checked."""
    order = [release.torch for release in wheels.releases]
    parts = []
    for unchecked, group in groupby(builds, lambda build: "published" in build.unchecked):
        places = [order.index(build.torch) for build in group]
        runs_of = groupby(enumerate(places), lambda pair: pair[1] - pair[0])
        for _, run in runs_of:
            here = [place for _, place in run]
            span = _span(order[here[-1]], order[here[0]])
            parts.append(_WORDS[lang]["second_hand"].format(span) if unchecked else span)
    return _WORDS[lang]["comma"].join(parts)


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first}–{last}"


def _pythons(versions: Sequence[str], comma: str) -> str:
    plain = [version for version in versions if not version.endswith("t")]
    threaded = [version for version in versions if version.endswith("t")]
    return comma.join([_span(plain[0], plain[-1]), *threaded])


def _known(text: str, row: Build | Driver | Release, key: str, lang: Language) -> str:
    """The text of a cell, which says so where the data say that it was not checked."""
    if key not in row.unchecked:
        return text
    return _WORDS[lang]["second_hand"].format(text) if text else _WORDS[lang]["unchecked"]


class _Tall(str):
    """A cell that stands for several rows; the rows below it are a cell shorter."""

    rows: int

    def __new__(cls, text: str, rows: int) -> _Tall:
        cell = super().__new__(cls, text)
        cell.rows = rows
        return cell


def _cell(text: str) -> str:
    tall = f' rowspan="{text.rows}"' if isinstance(text, _Tall) and text.rows > 1 else ""
    return f"<td{tall}>{text}</td>"


def _code(text: str) -> str:
    return f"<code>{text}</code>"


def _html(
    table: str,
    rows: Sequence[Sequence[str]],
    used: Iterable[Build | Driver | Generation | Release],
    wheels: Wheels,
    lang: Language,
    more_heads: Sequence[str] = (),
) -> str:
    heads = (*_HEADS[lang][table], *more_heads)
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    body = "\n".join(
        f'<tr><th scope="row">{first}</th>{"".join(map(_cell, cells))}</tr>'
        for first, *cells in rows
    )
    return (
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
        f"<p><small>{_sources(used, wheels.sources, lang)}</small></p>"
    )


def _sources(
    used: Iterable[Build | Driver | Generation | Release],
    sources: Sequence[Source],
    lang: Language,
) -> str:
    """Where the facts of a table were read, and when: for each source the oldest day."""
    words = _WORDS[lang]
    days: dict[str, str] = {}
    for row in used:
        day = row.read.isoformat()
        days[row.source] = min(day, days.get(row.source, day))
    parts = []
    for day in sorted(set(days.values()), reverse=True):
        links = [
            f'<a href="{escape(source.url)}">{_inline(getattr(source, lang))}</a>'
            for source in sources
            if days.get(source.id) == day
        ]
        parts.append(words["sources"].format(day=day) + words["semicolon"].join(links))
    return "<br>".join(parts)


def _inline(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
