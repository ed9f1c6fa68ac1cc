"""The home of a name: the one section that who looks for `torch.cuda.Stream` or `NCCL_DEBUG` should
read. The search box puts it first, and the page reference/apis shows it.

data/homes.yml states some. Of every other name that data/apis.yml or a snippet has, and of every
environment variable in code font, the home is the section that says the most on it: by its heading,
by how often it names it, and by its snippets (`_score`). What no section names is in a list of
reference/apis. A card is at home in its table, and a build such as cu128 among the releases.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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

NOT_A_HOME = ("answers/", "changes", "index", "labs/", "learn/", "reference/", "start")
"""Pages that show names and explain them elsewhere, or explain something else."""
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
BUILDS = "install/compatibility#releases"
_SIZE = re.compile(r"(?: (?:PCIe|SXM[0-9]?|[0-9]+ GB))+$")
_LEAST = 3
"""A section that scores less only mentions the name in passing."""
_MENTIONS = 6
_TITLE, _NAMED_SO, _SHOWN = 40, 12, 3
_MISTAKES = "common-mistakes"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_VARIABLE = re.compile(
    r"(?:CUDA|NCCL|TORCH|PYTORCH|CUBLAS|CUDNN|NVIDIA|GLOO|TORCHINDUCTOR|TORCHDYNAMO|MASTER|LOCAL"
    r"|WORLD|OMP|HF|HIP|UV|PIP|SLURM|LD|KMP|MAX|FORCE|USE|CONDA)_[A-Z0-9_]*[A-Z0-9]"
)
_NOT_VARIABLES = re.compile(r"_STATUS_|_ERROR_|_FILE_|VERIFY_FAILED")
_LED_ON = re.compile(r"\]\(([^()\s]+\.md#[^()\s]+)\)\{ #([a-z0-9-]+) \}")
_CODE = re.compile(r"`+([^`]+)`+")


@dataclass
class _Section:
    """A section in all languages: what its heading names, what its code and its snippets name."""

    place: str
    heading: set[str] = field(default_factory=set)
    names: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    snippets: set[str] = field(default_factory=set)


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
            by_snippet[snippet].add(name)
    variables = {name for one in sections for name in one.names if _is_variable(name)}
    modules = load_modules(project) if project.apis.is_file() else {}
    listed = {f"{module.module}.{name}" for module in modules.values() for name in module.names}
    for name in sorted({*users, *listed, *variables}):
        best, most = "", 0 if name in variables else _LEAST - 1
        for one in sections:
            if (score := _score(one, name, by_snippet)) > most:
                best, most = one.place, score
        if not best:
            group = _LISTS[modules[name.rpartition(".")[0]].group]
            best = f"{LISTS}#{'' if name in users else 'unused-'}{group}"
        found[name] = best
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


def _is_variable(name: str) -> bool:
    return bool(_VARIABLE.fullmatch(name)) and not _NOT_VARIABLES.search(name)


def _score(section: _Section, name: str, by_snippet: Mapping[str, set[str]]) -> int:
    """How much a section says on a name. A name of one plain word, such as `stream`, is looked for
    with the word before it."""
    tail = name.rpartition(".")[2]
    ways = {name, f"dist.{tail}", f"F.{tail}"}
    if name.count(".") > 1:
        ways.add(name.removeprefix("torch."))
    if "_" in tail or any(c.isupper() for c in tail[1:]) or len(tail) > 9:
        ways.add(tail)
    times = sum(section.names.get(way, 0) for way in ways)
    score = min(times, _MENTIONS)
    if ways & section.heading:
        score += _TITLE
    for snippet in section.snippets:
        if name in by_snippet.get(snippet, ()):
            score += _SHOWN
            if (
                tail.lower() in re.split(r"[/_]|(?<=\w)_", snippet.lower())
                or tail.lower() in (snippet.rpartition("/")[2])
            ):
                score += _NAMED_SO
    return score // 2 if section.place.endswith(f"#{_MISTAKES}") else score


def _sections(project: Project) -> Iterator[_Section]:
    """The sections that may be homes, in the order of the navigation."""
    pages = load_pages(project)[0]
    found: dict[str, _Section] = {}
    order = [one.address for one in nav_entries(project.configs[project.languages[0]])]
    for address in order:
        if address.startswith(NOT_A_HOME) and address != "check/index.md":
            continue
        for language in project.languages:
            page = pages[language].get(address)
            for one in _of_page(page) if page else ():
                mine = found.setdefault(one.place, one)
                if mine is not one:
                    mine.heading |= one.heading
                    mine.snippets |= one.snippets
                    for name, times in one.names.items():
                        mine.names[name] += times
    yield from found.values()


def _of_page(page: Page) -> Iterator[_Section]:
    address = page.address.removesuffix(".md")
    starts = [heading for heading in page.headings if heading.id or heading.level == 1]
    uses = page.snippets
    for at, heading in enumerate(starts):
        end = starts[at + 1].line if at + 1 < len(starts) else len(page.lines) + 1
        mark = f"#{heading.id}" if heading.id and heading.level > 1 else ""
        section = _Section(address + mark)
        section.heading = set(_WORD.findall(heading.text))
        for line in page.lines:
            if heading.line < line.number < end:
                spans = [line.text] if line.kind == "fence" else _CODE.findall(line.text)
                for span in spans:
                    for word in _WORD.findall(span):
                        section.names[word] += 1
        section.snippets = {use.name for use in uses if heading.line < use.line < end}
        yield section
