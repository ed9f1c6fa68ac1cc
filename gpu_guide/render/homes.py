"""The home of a name: the one section that who looks for `torch.cuda.Stream` or `NCCL_DEBUG` should
read. The search box puts it first, and the page reference/apis shows it.

data/homes.yml states some. Of every other name that data/apis.yml, a snippet or a page's code font
has, the home is the section that says the most on it (`_score`). What no section names is in a list
of reference/apis. A card is at home in its table, and a build such as cu128 among the releases.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from math import log1p
from posixpath import normpath

from gpu_guide.data.apis import load_modules
from gpu_guide.data.diagnosis import load_diagnosis
from gpu_guide.data.gpus import load_gpus
from gpu_guide.data.homes import load_homes
from gpu_guide.data.wheels import load_wheels
from gpu_guide.pages.nav import entries as nav_entries
from gpu_guide.pages.page import Page, load_pages
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.render.api_names import users_of_names
from gpu_guide.render.file_cache import loaded

NOT_A_HOME = ("changes", "exercises/", "index", "labs/", "learn/", "reference/", "start")
"""Pages that show names and explain something else."""
LISTS = "reference/apis"
_LISTS = {
    "torch": "others",
    "torch.accelerator": "accelerator",
    "torch.cuda": "gpus",
    "torch.distributed": "distributed",
    "torch.nn": "nn",
}
"""By group of data/apis.yml, the section with its list."""
CARDS = "reference/gpus"
BUILDS_BY_CARD = "install/compatibility#gpus"
ARCHITECTURES = "install/compatibility#arch-list"
BUILDS = "install/compatibility#releases"
_SIZE = re.compile(r"(?: (?:PCIe|SXM[0-9]?|[0-9]+ GB))+$")
_MISTAKES = "common-mistakes"
_WORD = re.compile(r"(?<![\w.-])(?:--)?[A-Za-z_]\w*(?:[.-]\w+)*", re.ASCII)
_IN_CODE_FONT = re.compile(
    r"--[a-z].*|\w*[a-z0-9]-[a-z].*|\w*[^\W_]_\w*|\w*[a-z][A-Z]\w*", re.ASCII
)
"""Words that are names when they are in code font: options, packages, parameters, variables."""
_NO_NAMES = re.compile(r".*(?:_STATUS_|_ERROR_|VERIFY_FAILED|Error|Warning)\w*")
"""Words of messages, which are explained with the message."""
_LED_ON = re.compile(r"\]\(([^()\s]+\.md#[^()\s]+)\)\{ #([a-z0-9-]+) \}")
_CODE = re.compile(r"`+([^`]+)`+")


@dataclass
class _Section:
    """A section in all languages: how often its heading, its code font, its text and its snippets
    have a name, which is each end of a word with dots."""

    place: str
    heading: Counter[str] = field(default_factory=Counter)
    code: Counter[str] = field(default_factory=Counter)
    text: Counter[str] = field(default_factory=Counter)
    shown: Counter[str] = field(default_factory=Counter)
    snippets: set[str] = field(default_factory=set)

    def times(self, ways: Collection[str]) -> int:
        return sum(self.code[way] + self.text[way] for way in ways)


def homes(project: Project) -> dict[str, str]:
    """By name, the address of its section, such as `speed/streams#waiting`. Raises GuideError."""
    stated = load_homes(project)
    _check(project, stated)
    found: dict[str, str] = {}
    for name, place in _cards_and_builds(project):
        found.setdefault(name, place)
    sections = list(_sections(project))
    users = users_of_names(project) if project.apis.is_file() else {}
    by_snippet: dict[str, set[str]] = defaultdict(set)
    for name, snippets in users.items():
        for snippet in snippets:
            by_snippet[snippet] |= _ways(name)
    modules = load_modules(project) if project.apis.is_file() else {}
    listed = {f"{module.module}.{name}" for module in modules.values() for name in module.names}
    ends = {end for name in {*users, *listed, *stated} for end in _ends(name)}
    coded = {word for one in sections for word in one.code if _is_name(word)} - ends
    having: dict[str, dict[str, _Section]] = defaultdict(dict)
    for one in sections:
        one.shown.update(end for name in one.snippets for end in by_snippet.get(name, ()))
        for word in (*one.heading, *one.code, *one.text, *one.shown):
            having[word][one.place] = one
    for name in sorted({*users, *listed, *coded} - found.keys()):
        ways = _ways(name)
        those = {place: one for way in sorted(ways) for place, one in having.get(way, {}).items()}
        on_page: Counter[str] = Counter()
        for place, one in those.items():
            on_page[place.partition("#")[0]] += one.times(ways)
        if those:
            found[name] = max(those, key=lambda p: _score(those[p], ways, on_page))
        else:
            group = _LISTS[modules[name.rpartition(".")[0]].group]
            found[name] = f"{LISTS}#{'' if name in users else 'unused-'}{group}"
    moved = _moved(project)
    return {name: moved.get(place, place) for name, place in (found | stated).items()}


def _moved(project: Project) -> dict[str, str]:
    """By place without a heading any more, where its words went: its id is that of a link."""
    found: dict[str, str] = {}
    for page in load_pages(project)[0][project.languages[0]].values():
        address = page.address.removesuffix(".md")
        for line in page.lines:
            for target, id in _LED_ON.findall(line.text) if line.kind == "prose" else ():
                path, _, section = target.partition("#")
                there = normpath(f"{address.rpartition('/')[0]}/{path}").removeprefix("/")
                found[f"{address}#{id}"] = f"{there.removesuffix('.md')}#{section}"
    return found


def where(project: Project, place: str) -> str:
    """The place, or where it has moved."""
    return loaded(_moved, project, project.docs).get(place, place)


def _check(project: Project, stated: Mapping[str, str]) -> None:
    """Raises GuideError for a home that is no section of the guide."""
    pages = load_pages(project)[0]
    for language in project.languages:
        known = set()
        for page in pages[language].values():
            address = page.address.removesuffix(".md")
            known |= {address, *(f"{address}#{id}" for id, _ in page.ids)}
        for name, place in stated.items():
            if place not in known:
                remedy = did_you_mean(place, known, "write a page and the id of a heading")
                what = f"{place!r}, the home of {name!r}, is no section of docs/{language}"
                raise fault(project.homes, None, what, remedy)


def _cards_and_builds(project: Project) -> Iterator[tuple[str, str]]:
    """Cards with the table that has them, or else with that of builds with code for them."""
    if project.gpus.is_file():
        for gpu in load_gpus(project).gpus:
            # "RTX 3060 12 GB" and "A100 PCIe 40 GB" are cards that people call RTX 3060 and A100.
            for name in (gpu.name, _SIZE.sub("", gpu.name)):
                yield name, f"{CARDS}#{gpu.group}"
    if project.diagnosis.is_file() and project.wheels.is_file():
        for card in load_diagnosis(project).cards:
            for name in card.names:
                yield name, BUILDS_BY_CARD
    if project.wheels.is_file():
        for build in load_wheels(project).builds:
            yield build.tag, BUILDS
        for generation in load_wheels(project).generations:
            for capability in generation.capabilities:
                yield f"sm_{capability.replace('.', '')}", ARCHITECTURES


def _is_name(word: str) -> bool:
    return bool(_IN_CODE_FONT.fullmatch(word)) and not _NO_NAMES.fullmatch(word)


def _ends(text: str) -> Iterator[str]:
    """Of torch.cuda.Stream, itself, cuda.Stream and Stream."""
    for word in _WORD.findall(text):
        parts = word.split(".")
        yield from (".".join(parts[at:]) for at in range(len(parts)))


def _ways(name: str) -> set[str]:
    """How a section may write a name. A name of one plain word, such as `stream`, is looked for
    with the word before it."""
    tail = name.rpartition(".")[2]
    if re.search("[_-]|.[A-Z]", tail) or len(tail) > 9:
        return {tail}
    return {name.removeprefix("torch."), f"dist.{tail}", f"F.{tail}"}


def _score(section: _Section, ways: Collection[str], on_page: Mapping[str, int]) -> float:
    """How much a section says on a name. The numbers are rounded by hand from a fit to the homes
    that are stated and to the names in tests/data/queries that may be looked at."""
    page, _, mark = section.place.partition("#")
    score = 1.2 * log1p(section.times(ways)) + 1.3 * log1p(on_page[page])
    score += 3 * sum(section.code[way] for way in ways) / (section.code.total() + 5)
    score += 2 * log1p(sum(section.shown[way] for way in ways))
    if ways & section.heading.keys():
        score += 1.5 + 3.7 / len(section.heading)
    tails = {way.rpartition(".")[2].lower() for way in ways if section.shown[way]}
    if any(tail in snippet.lower() for tail in tails for snippet in section.snippets):
        score += 1
    if not mark:
        score += 1 + bool(ways & section.heading.keys())
    if mark == _MISTAKES:
        score -= 4
    if len(mark) > 3 and any(mark.replace("-", "") in re.sub("[_.]", "", w.lower()) for w in ways):
        score += 2  # DistributedSampler in ddp#sampler
    if page.startswith("answers/"):
        score -= 2  # which explain a name only where no other page does
    return score


def _sections(project: Project) -> Iterator[_Section]:
    """The sections that may be homes, in the order of the navigation."""
    pages = load_pages(project)[0]
    found: dict[str, _Section] = {}
    order = [one.address for one in nav_entries(project.configs[project.languages[0]])]
    for address in order:
        if address.startswith(NOT_A_HOME):
            continue
        for language in project.languages:
            page = pages[language].get(address)
            for one in _of_page(page) if page else ():
                mine = found.setdefault(one.place, one)
                if mine is not one:
                    mine.heading += one.heading
                    mine.code += one.code
                    mine.text += one.text
                    mine.snippets |= one.snippets
    yield from found.values()


def _of_page(page: Page) -> Iterator[_Section]:
    address = page.address.removesuffix(".md")
    starts = [heading for heading in page.headings if heading.id or heading.level == 1]
    uses = page.snippets
    for at, heading in enumerate(starts):
        end = starts[at + 1].line if at + 1 < len(starts) else len(page.lines) + 1
        mark = f"#{heading.id}" if heading.id and heading.level > 1 else ""
        section = _Section(address + mark)
        section.heading.update(_ends(heading.text))
        for line in page.lines:
            if heading.line < line.number < end and line.kind != "fence":
                section.text.update(_ends(_CODE.sub(" ", line.text)))
                section.code.update(_ends(" ".join(_CODE.findall(line.text))))
        section.snippets = {use.name for use in uses if heading.line < use.line < end}
        yield section
