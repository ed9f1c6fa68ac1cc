"""One rule says which build is the newest that fits, and everything that names one follows it.

The chooser, the table of install/compatibility, that of reference/gpus and the commands that stand
on pages are read as a reader reads them and held against each other, cell by cell.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pytest

from gpu_guide import ROOT
from gpu_guide.data.gpus import load_gpus
from gpu_guide.data.wheel_choice import Machine, objections
from gpu_guide.data.wheel_chooser import Answer, answer
from gpu_guide.data.wheel_search import SYSTEMS, Wish
from gpu_guide.data.wheels import Generation, load_wheels, version
from gpu_guide.pages.page import Page, parse
from gpu_guide.project import HERE
from gpu_guide.render.gpu_tables import TABLES as GPU_TABLES
from gpu_guide.render.wheel_tables import TABLES
from gpu_guide.render.words import Words

WHEELS = load_wheels(HERE)
EN = Words("en")
WITH_CUDA = ("linux", "wsl", "windows")
PYTHONS = sorted({python for release in WHEELS.releases for python in release.python})
DRIVERS = [branch.driver for branch in WHEELS.branches]
PAGES = [
    parse(path, ROOT / "docs" / lang)
    for lang in HERE.languages
    for path in sorted((ROOT / "docs" / lang).rglob("*.md"))
]


def build_of(found: Answer) -> tuple[str, str] | None:
    """The index and the torch that an answer speaks of."""
    values = dict(found.why).get("why_build")
    return values and ("cu" + values["cuda"].replace(".", ""), values["torch"])


def chosen(gpu: Generation, driver: str, system: str, python: str = "3.13") -> str:
    found = build_of(answer(WHEELS, Wish(system, "pip", gpu.capabilities, driver, python)))
    return "{}, torch {}".format(*found) if found else "none"


def fitting(wish: Wish) -> Iterator[tuple[int, ...]]:
    """The torch of each build that the machine surely can use, by `objections`, not by `find`."""
    machine = Machine(
        SYSTEMS[wish.system], wish.python, wish.driver, wish.gpus, wish.system == "wsl"
    )
    order = [release.torch for release in WHEELS.releases]
    for build in WHEELS.builds:
        if not build.published or "published" in build.unchecked or not build.x86_64:
            continue
        if wish.python not in WHEELS.release(build).python:
            continue
        place = order.index(build.torch)
        newer = order[place - 1] if place else ""
        if not objections(WHEELS, machine, build.tag, newer):
            yield version(build.torch)


@pytest.mark.parametrize("system", WITH_CUDA)
def test_the_newest_that_fits_is_the_newest(system: str) -> None:
    """For each GPU, driver and Python: no build that fits has a newer torch than the answer's."""
    count = 0
    for gpu, driver, python in itertools.product(WHEELS.generations, DRIVERS, PYTHONS):
        wish = Wish(system, "pip", gpu.capabilities, driver, python)
        found = build_of(answer(WHEELS, wish))
        newest = max(fitting(wish), default=None)
        assert (found and version(found[1])) == newest, wish
        count += 1
    assert count > 1000


def cells(html: str) -> list[list[str]]:
    """The rows of a table, with a tall cell in each row for which it stands."""
    rows: list[list[str]] = []
    for row in re.findall(r"<tr>(.*?)</tr>", html):
        found = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
        texts = [re.sub("<[^>]+>", "", cell) for cell in found]
        rows.append(texts + (rows[-1][len(texts) :] if rows else []))
    return rows


@pytest.mark.parametrize("system", WITH_CUDA)
def test_the_table_of_drivers_has_the_chooser_s_index_in_every_cell(system: str) -> None:
    head, *rows = cells(TABLES["wheels/choice"](WHEELS, EN).html(EN))
    compared = 0
    for gpu, row in zip(WHEELS.generations, rows, strict=True):
        for title, text in zip(head[2:], row[2:], strict=True):
            least, last = [*re.findall(r"\d+", title), "99999"][:2]
            within = [d for d in DRIVERS if int(least) <= int(d) <= int(last)]
            (first,) = (d for d in WHEELS.drivers if d.linux == least)
            # The heads name drivers for Linux; and of Blackwell the text below the table speaks.
            floors = (gpu.driver or "0", first.linux if system == "linux" else first.windows)
            for driver in (f"{branch}.99" for branch in within):
                if version(driver) >= max(map(version, floors)):
                    told = chosen(gpu, driver, system)
                    assert text == told, f"{gpu.name}, driver {driver}: {text}, {told}"
                    compared += 1
    assert compared > 100


def test_the_table_of_gpus_has_the_chooser_s_index() -> None:
    rows = GPU_TABLES["gpus/needs"](load_gpus(HERE), EN).rows
    for capability, _, _, _, text, _ in rows:
        (gpu,) = (g for g in WHEELS.generations if capability in g.capabilities)
        wish = Wish("linux", "pip", (capability,), gpu.last_driver or DRIVERS[0])
        assert re.sub("<[^>]+>", "", text) == "{}, torch {}".format(*build_of(answer(WHEELS, wish)))
    assert len(rows) > 5


# --- commands on pages ----------------------------------------------------------------------------

COMMAND = re.compile(
    r"pip (?:install|download)\b(?P<what>.*) --index-url \S*/whl/(?P<tag>cu\d+)(?![\w/])"
)


def loose_commands() -> Iterator[tuple[str, Page, bool, str]]:
    """Each command that leaves the release of torch open: place, page, with torchaudio, index."""
    for page in PAGES:
        for fence in page.fences:
            for number, line in enumerate(fence.content, 1):
                found = COMMAND.search(line)
                if found and re.search(r"\storch(?=\s|$)", found["what"]):
                    place = f"{page.path.relative_to(ROOT)}:{fence.line + number}"
                    yield place, page, "torchaudio" in found["what"], found["tag"]


def indexes(packages: tuple[str, ...]) -> set[str]:
    """What the chooser gives to any GPU with any driver."""
    wishes = (
        Wish("windows", "pip", gpu.capabilities, driver, packages=packages)
        for gpu, driver in itertools.product(WHEELS.generations, DRIVERS)
    )
    return {found[0] for wish in wishes if (found := build_of(answer(WHEELS, wish)))}


def test_a_command_on_a_page_names_an_index_that_the_chooser_gives_to_somebody() -> None:
    given = {True: indexes(("torchaudio",)), False: indexes(())}
    checked = 0
    for place, _, audio, tag in loose_commands():
        remedy = f"write one of {', '.join(sorted(given[audio]))}, or the release of torch"
        assert tag in given[audio], f"{place}: the chooser never gives {tag} — {remedy}"
        checked += 1
    assert checked > 20


FIRST = ("start.md", "install/index.md", "install/windows.md")
"""The pages on which somebody installs torch for the first time."""


@pytest.mark.parametrize("lang", HERE.languages)
@pytest.mark.parametrize("address", FIRST)
def test_a_first_command_gives_the_chooser_s_build_and_the_page_says_which(
    address: str, lang: str
) -> None:
    modern = [gpu for gpu in WHEELS.generations if not gpu.last_driver]
    least = max(driver.windows for driver in WHEELS.drivers)

    def build(gpu: Generation, python: str = "3.13") -> tuple[str, str] | None:
        return build_of(answer(WHEELS, Wish("windows", "pip", gpu.capabilities, least, python)))

    ((tag, torch),) = {build(gpu) for gpu in modern}
    folder = ROOT / "docs" / lang
    (page,) = (p for p in PAGES if p.address == address and p.path.is_relative_to(folder))
    tags = [index for _, where, _, index in loose_commands() if where is page]
    assert tag in tags, f"{page.path}: the Windows command has {tags}, the chooser {tag}"
    text = page.path.read_text(encoding="utf-8")
    for said in (f"torch {torch}", f"R{least}"):
        assert said in text, f"{page.path}: say what the command installs and needs: {said}"
    newest, before = WHEELS.releases[:2]
    for python in set(before.python) - set(newest.python):
        _, older = build(modern[0], python)
        for said in (f"Python {python}", f"torch {older}"):
            assert said in text, f"{page.path}: say what an older Python gets: {said}"


FROM_GENERATION = {"en": "{name} ({cards}) or newer GPU", "zh": "{name} 架构（{cards} 系）"}


@pytest.mark.parametrize("lang", HERE.languages)
def test_the_oldest_gpu_for_the_newest_build_is_named_in_one_way(lang: str) -> None:
    """Not "older than the RTX 20 series" on one page and "GTX 16, RTX 20" on the next."""
    (oldest, *_) = (gpu for gpu in WHEELS.generations if not gpu.last_driver)
    (series,) = (s for s in WHEELS.series if s.capability == oldest.capabilities[0])
    cards = sorted(re.findall(r"[GR]TX \d\d(?=xx)", series.label))
    joined = {"en": ", ", "zh": "、"}[lang].join(cards)
    phrase = FROM_GENERATION[lang].format(name=oldest.name, cards=joined)
    found = 0
    for page in PAGES:
        if not page.path.is_relative_to(ROOT / "docs" / lang):
            continue
        for number, line in enumerate(page.path.read_text(encoding="utf-8").splitlines(), 1):
            if "R580" in line and any(name in line for name in (oldest.name, *cards)):
                found += 1
                assert phrase in line, f"{page.path}:{number}: write {phrase!r}"
    assert found > 3
