"""`make check`: everything that can be known of the project without running any code.

Every kind of file is looked at, whatever is wrong with the others: one call reports everything.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import yaml

from gpu_guide import exemptions, files, lint
from gpu_guide.data import addresses, stale_facts
from gpu_guide.data.accepted_survivors import load_explained
from gpu_guide.data.apis import load_modules
from gpu_guide.data.broken_machines import BrokenMachine, as_stand_ins, load_broken_machines
from gpu_guide.data.cards import load_cards
from gpu_guide.data.diagnosis import load_diagnosis
from gpu_guide.data.entries import Term, load_glossary
from gpu_guide.data.errors import Message, load_errors, written_at
from gpu_guide.data.expected import load_expected
from gpu_guide.data.gpus import load_gpus
from gpu_guide.data.homes import load_homes
from gpu_guide.data.models import load_models, load_peaks, load_published
from gpu_guide.data.pictures import Picture, load_pictures
from gpu_guide.data.plots import Plot, load_plots
from gpu_guide.data.search_words import load_aliases, load_questions, load_synonyms
from gpu_guide.data.simulated_projects import load_tested
from gpu_guide.dry_run.public import load_scripts
from gpu_guide.dry_run.published import load_published as load_dry_run_figures
from gpu_guide.dry_run.samples import load_samples
from gpu_guide.exercises import checks as exercise_checks
from gpu_guide.labs import checks as lab_checks
from gpu_guide.labs.records import read as read_lab_record
from gpu_guide.labs.source import parse as parse_lab
from gpu_guide.pages import (
    chinese,
    commands,
    differences,
    identifiers,
    languages,
    links,
    nav,
    steps,
    style,
    translations,
)
from gpu_guide.pages import structure as pages
from gpu_guide.pages.lines import mask_code
from gpu_guide.pages.page import load_pages
from gpu_guide.problems import GuideError, Problem, shown
from gpu_guide.project import Project, about
from gpu_guide.records import error_texts, simulated
from gpu_guide.records.store import Record, machine_files
from gpu_guide.records.store import read as read_record
from gpu_guide.render import picture as pictures
from gpu_guide.render import plot as plots
from gpu_guide.render import words
from gpu_guide.render.named_tables import named_tables
from gpu_guide.snippets import distributed_setup, formatting
from gpu_guide.snippets import rules as snippet_rules
from gpu_guide.snippets.model import HAN, Snippet
from gpu_guide.snippets.model import parse as parse_snippet

_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Report:
    """What was found: `problems` are to be mended, `notices` are to be known."""

    problems: tuple[str, ...]
    notices: tuple[str, ...]


def check(project: Project, *, tools: bool = True) -> Report:
    """Every problem of the project, each with file, line and remedy.

    Without `tools`, only what this package itself looks for: no ruff, rumdl and codespell.
    """
    problems: list[str] = []

    def each(folder: Path, pattern: str, make: Callable[[Path], _Made]) -> dict[str, _Made]:
        """What is made of each file, by name; those of which nothing can be made are problems."""
        made: dict[str, _Made] = {}
        for path in sorted(folder.glob(pattern)):
            name = path.relative_to(folder).with_suffix("").as_posix()
            found = told(lambda path=path: make(path))
            made |= {} if found is None else {name: found}
        return made

    def told(make: Callable[[], _Made]) -> _Made | None:
        """Call `make`; where it raises, note the problem and return None."""
        try:
            return make()
        except GuideError as error:
            problems.append(str(error))
            return None

    def data(path: Path, load: Callable[[Project], _Made]) -> _Made | None:
        """What a data file or folder holds, if the project has it."""
        return told(lambda: load(project)) if path.exists() else None

    # They are processes of their own, which work while this one reads.
    beside = ThreadPoolExecutor(1)
    linted = beside.submit(lint.check, project) if tools else None
    beside.shutdown(wait=False)

    folder = project.snippets
    snippets = each(folder, "**/*.py", lambda path: parse_snippet(path, project))
    for snippet in snippets.values():
        problems += map(str, snippet_rules.check(snippet))
    problems += told(lambda: _frames(project, snippets.values())) or []
    problems += map(str, snippet_rules.titles(snippets.values()))
    laid_out = project.cache / "laid_out.txt"
    problems += map(str, formatting.check(snippets.values(), laid_out))
    labs = each(project.labs, "*.py", lambda path: parse_lab(path, project))
    machines = machine_files(project)
    found = {path.stem: told(lambda path=path: read_record(path)) for path in machines}
    records = {name: record for name, record in found.items() if record}
    told(lambda: simulated.read(project.simulated_record))
    each(project.lab_records, "*.json", read_lab_record)
    glossary = data(project.glossary, load_glossary)
    data(project.cards, load_cards)
    data(project.gpus, load_gpus)
    data(project.apis, load_modules)
    data(project.dry_runs, load_samples)
    data(project.public_scripts, load_scripts)
    data(project.dry_run_published, load_dry_run_figures)
    data(project.simulated_projects, load_tested)
    data(project.homes, load_homes)
    data(project.diagnosis, load_diagnosis)
    data(project.models, load_models)
    data(project.expected, load_expected)
    data(project.fit_peaks, load_peaks)
    data(project.fit_published, load_published)
    data(project.faults, lambda project: load_explained(project.faults))
    for language in project.languages:
        data(project.search_aliases, partial(load_aliases, language=language))
        data(project.questions, partial(load_questions, language=language))
        data(project.search_synonyms, partial(load_synonyms, language=language))
    messages = data(project.errors, load_errors) or {}
    machines = data(project.broken_machines, load_broken_machines) or {}
    words_said = {
        path: told(lambda path=path: error_texts.read(path)) for path in error_texts.files(project)
    }
    drawn = data(project.plots, load_plots) if project.plots.is_file() else {}
    painted = data(project.pictures, load_pictures) if project.pictures.is_file() else {}
    say = words.Words(project.languages[0])
    tables = named_tables(project, say)
    for make in tables.values():
        told(make)

    names = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.py")}
    found = [*words.missing(project.languages), *pages.check(project, names)]
    parsed = load_pages(project)[0]
    found += languages.check(parsed)
    found += steps.check(parsed, snippets)
    found += told(lambda: list(nav.check(project))) or []
    if project.addresses.is_file():
        found += told(lambda: list(addresses.check(project))) or []
        found += told(lambda: list(_sections_gone(project))) or []
    if project.exemptions.is_file():
        found += told(lambda: list(exemptions.check(project))) or []
    found += (told(linted.result) or []) if linted else []
    found += files.check(project)
    malformed = {path.stem for path in project.labs.glob("*.py")} - labs.keys()
    found += exercise_checks.check(project)
    of_labs = lab_checks.check(project, labs, words.Words)
    found += [p for p in of_labs if p.file.stem not in malformed]
    if drawn is not None:
        found += _named_on_pages(project, {"table": tables, "plot": drawn})
        problems += _plots(drawn, snippets, names, records.values(), project.plots, say)
    if painted is not None:
        found += _named_on_pages(project, {"picture": painted})
        problems += _pictures(project, painted)
    found += _unanswered(project, machines)
    found += _docstrings_shown(project, snippets)
    found += _unexplained(project, messages, names)
    found += _said_badly(project, messages)
    for path in sorted(project.errors.glob("*.yml")):
        found += commands.check_data(path)
    problems += [str(problem) for problem in found]
    problems += _typography(project, glossary or ())
    if glossary is not None:
        written = (page for found in load_pages(project)[0].values() for page in found.values())
        problems += map(str, links.unknown_terms(written, glossary, project.glossary))
    notices = [*translations.notices(project), *differences.behind(project)]
    notices += told(lambda: list(stale_facts.old(project))) or []
    stand_ins = told(lambda: as_stand_ins(project)) if machines else None
    notices += error_texts.behind(words_said, stand_ins or {})
    return Report(tuple(dict.fromkeys(problems)), tuple(map(str, notices)))


def _sections_gone(project: Project) -> Iterator[Problem]:
    """Sections that are noted as gone and are there, and those that lead to none.

    Raises GuideError.
    """
    path = project.addresses
    for half in load_pages(project)[0].values():
        ids = {one.address.removesuffix(".md"): {id for id, _ in one.ids} for one in half.values()}
        for name, (target, line) in addresses.sections(path).items():
            page, _, id = name.partition("#")
            there, _, section = target.partition("#")
            if id in ids.get(page, {id}):
                remedy = "name a page, and an id that it had and has not any more"
                yield Problem(path, line, f"{name!r} is no section that went away", remedy)
            elif section not in ids.get(there, ()):
                remedy = "name the page and the id of the section that has its words now"
                yield Problem(path, line, f"{name!r} leads to {target!r}, no section", remedy)


def _named_on_pages(
    project: Project, known: Mapping[str, Mapping[str, object]]
) -> Iterator[Problem]:
    """Fences that name something that is not `known`, by the kind of fence."""
    for page in (page for found in load_pages(project)[0].values() for page in found.values()):
        for fence in (fence for fence in page.fences if fence.language in known):
            name = "\n".join(fence.content).strip()
            if name not in known[fence.language]:
                remedy = f"name one of {', '.join(known[fence.language])}"
                problem = f"no {fence.language} {name!r}"
                yield Problem(page.path, fence.line + 1, problem, remedy)


def _docstrings_shown(project: Project, snippets: Mapping[str, Snippet]) -> Iterator[Problem]:
    """Docstrings of functions that a page in Chinese shows in another language."""
    pages_of = load_pages(project)[0]
    for language in (language for language in project.languages if about(language).han):
        used = (use for page in pages_of[language].values() for use in page.snippets)
        shown_there = {use.name for use in used if "show: download" not in use.options}
        for snippet in (snippets[name] for name in sorted(shown_there & snippets.keys())):
            for one in snippet.documented:
                if language not in one.said_in and not HAN.search(one.text):
                    what = f"a docstring that no page in {about(language).name} can show"
                    remedy = f"say the same on the next line: '# {language}: …'"
                    yield Problem(snippet.path, one.first, what, remedy)


def _unexplained(
    project: Project, messages: Mapping[str, Message], snippets: Container[str]
) -> Iterator[Problem]:
    """Messages whose section, page or snippet there is not."""
    pages_of = load_pages(project)[0]
    for message in messages.values():
        address, _, id = message.page.partition("#")
        own = f"reference/errors/{message.group}.md"
        place = written_at(project, message)
        for language, found in pages_of.items():
            half = found.get(f"{address}.md")
            if half is None or id not in [heading.id for heading in half.headings]:
                what = f"{message.id}: page: no section {message.page!r} in {language!r}"
                yield Problem(*place, what, "name one that both halves have")
            if own not in found:
                what = f"{message.id}: group: no page docs/{language}/{own}"
                yield Problem(*place, what, "write it, with a fence `errors`")
        if message.snippet and message.snippet not in snippets:
            what = f"{message.id}: no snippet {message.snippet!r}"
            yield Problem(*place, what, "name one that exists")


def _said_badly(project: Project, messages: Mapping[str, Message]) -> Iterator[Problem]:
    """Names of code without code font, and wrong words, in the texts of messages."""
    for message in messages.values():
        for key in ("means", "fix", "confirm", "apart"):
            for language, text in getattr(message, key).items():
                for name in dict.fromkeys(identifiers.bare(text)):
                    what = f"{message.id}: {key}: {name!r} in {language!r} without code font"
                    yield Problem(*written_at(project, message), what, f"write `{name}`")
                for found, write in style.wrong(mask_code(text), language):
                    what = f"{message.id}: {key}: {found[0]!r}"
                    yield Problem(*written_at(project, message), what, f"write {write}")


def _unanswered(project: Project, machines: Mapping[str, BrokenMachine]) -> Iterator[Problem]:
    """Broken machines whose answer is a section that no page, or one half of a page, has."""
    pages_of = load_pages(project)[0]
    for machine in (machine for machine in machines.values() if machine.answer):
        address, _, id = machine.answer.partition("#")
        halves = [found[f"{address}.md"] for found in pages_of.values() if f"{address}.md" in found]
        if not halves or not all(id in [h.id for h in half.headings] for half in halves):
            what = f"{machine.id}: answer: no section {machine.answer!r}"
            yield Problem(project.broken_machines, None, what, "name one that both halves have")


def _pictures(project: Project, painted: Mapping[str, Picture]) -> Iterator[str]:
    """Pictures that cannot be drawn in one of the languages, or that no page shows."""
    pages_of = load_pages(project)[0].values()
    fences = [fence for found in pages_of for page in found.values() for fence in page.fences]
    named = {"\n".join(one.content).strip() for one in fences if one.language == "picture"}
    for picture in painted.values():
        for language in project.languages:
            try:
                pictures.figure(picture, project, words.Words(language), 1)
            except GuideError as error:
                yield str(error)
        if picture.name not in named:
            where = f"{shown(project.pictures)}:{picture.line}"
            yield f"{where}: picture {picture.name!r}: no page shows it — name it in a fence"


def _frames(project: Project, snippets: Iterable[Snippet]) -> list[str]:
    """How snippets for several processes begin and end. Some show the error of NCCL alone: without
    the list that names them, that is not asked."""
    listed = project.exemptions.is_file()
    let_off = exemptions.let_off(project, "nccl") if listed else {}
    return [
        fault
        for snippet in snippets
        for fault in distributed_setup.faults(snippet.source, snippet.path)
        if "NCCL alone" not in fault or (listed and snippet.name not in let_off)
    ]


def _plots(
    drawn: Mapping[str, Plot],
    snippets: Mapping[str, Snippet],
    names: Container[str],
    records: Iterable[Record],
    path: Path,
    say: words.Words,
) -> Iterator[str]:
    """Plots of no snippet, of what any CPU prints, or of a record that cannot be drawn."""
    for plot in drawn.values():
        where = f"{shown(path)}: plot {plot.name!r}"
        if plot.snippet not in names:
            yield f"{where}: no snippet {plot.snippet!r} — name one that exists"
        elif (snippet := snippets.get(plot.snippet)) is None:
            continue
        elif snippet.simulated and not snippet.measures:
            yield (
                f"{where}: {plot.snippet!r} measures nothing — add '# measures: yes' to it, or "
                "'# simulated: no' if only a GPU can answer it"
            )
        else:
            try:
                plots.figure(plot, snippet, list(records), say)
            except GuideError as error:
                yield f"{shown(path)}: {error}"


def _typography(project: Project, glossary: tuple[Term, ...]) -> Iterator[str]:
    """How the Chinese of pages, snippets and settings is set."""
    written = [language for language in project.languages if about(language).han]
    if not written:  # another language may have Chinese characters, too
        return

    def pages_of(language: str) -> Iterable[Path]:
        return (project.docs / language).rglob("*.md")

    kinds: tuple[tuple[Callable[..., list[chinese.Finding]], Iterable[Path]], ...] = (
        (chinese.check_markdown, [page for lang in written for page in pages_of(lang)]),
        (chinese.check_markdown, project.texts),
        (chinese.check_snippet, project.snippets.rglob("*.py")),
        (chinese.check_yaml, [project.configs[lang] for lang in written]),
    )
    for check_text, paths in kinds:
        for path in sorted(paths):
            text = path.read_text(encoding="utf-8", errors="replace")
            if not HAN.search(text):
                continue
            try:
                yield from (f"{shown(path)}:{found}" for found in check_text(text, glossary))
            except yaml.YAMLError as error:
                yield f"{shown(path)}: not YAML: {error}"
