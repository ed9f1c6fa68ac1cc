"""Where the parts of a guide lie, and in which languages its pages are written.

Nothing else knows a path inside the project or the name of a language.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gpu_guide import ROOT
from gpu_guide.problems import fault


@dataclass(frozen=True)
class Language:
    """What the checks know of a language; of one that is not in `_KNOWN`, nothing is asked."""

    name: str
    """What a message calls it."""
    han: bool | None = None
    """Whether its sentences are Chinese (True) or have no Chinese character at all (False)."""
    description: tuple[int, int] = (30, 160)
    """The least and the most characters of a page's description."""
    spelled: bool = False
    """Whether codespell knows how its words are written."""


_KNOWN = {
    "zh": Language("Chinese", han=True, description=(15, 80)),
    "en": Language("English", han=False, spelled=True),
}
_DOCS_DIR = re.compile(r"^docs_dir: docs/(?P<language>[a-z-]+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Project:
    """A guide in the folder `root`: this one, or another with the same layout."""

    root: Path = ROOT

    def __post_init__(self) -> None:
        # The same guide is an equal one, so that what was read of it is known, however it is named.
        object.__setattr__(self, "root", Path(os.path.abspath(self.root)))

    @property
    def docs(self) -> Path:
        """The pages, in a folder per language."""
        return self.root / "docs"

    @property
    def snippets(self) -> Path:
        """The code that pages show."""
        return self.root / "snippets"

    @property
    def records(self) -> Path:
        """What other machines printed."""
        return self.root / "records"

    @property
    def lab_records(self) -> Path:
        """What other machines showed in labs."""
        return self.records / "labs"

    @property
    def simulated_record(self) -> Path:
        """What simulated devices printed; lies next to the records of machines."""
        return self.records / "simulated.json"

    @property
    def simulated_projects(self) -> Path:
        """Public projects whose tests run on simulated devices."""
        return self.data / "simulated_projects.yml"

    @property
    def simulated_projects_record(self) -> Path:
        """What came of that."""
        return self.records / "simulated-projects" / "tests.json"

    @property
    def dry_run_records(self) -> Path:
        """What dry runs said that pages show."""
        return self.records / "dry-runs"

    @property
    def broken_records(self) -> Path:
        """What PyTorch says on machines on which CUDA fails."""
        return self.records / "broken"

    @property
    def data(self) -> Path:
        """The facts that pages, tools and tests share."""
        return self.root / "data"

    @property
    def glossary(self) -> Path:
        """The terms and their translations."""
        return self.data / "glossary.yml"

    @property
    def style(self) -> Path:
        """Words that are wrong or too frequent, in a file per language."""
        return self.data / "style"

    @property
    def wheels(self) -> Path:
        """Which wheels of torch there are, and what each runs on."""
        return self.data / "wheels.yml"

    @property
    def cards(self) -> Path:
        """The GPUs that the stand-in is run as."""
        return self.data / "cards.yml"

    @property
    def gpus(self) -> Path:
        """GPUs that readers have: memory, bandwidth, operations a second."""
        return self.data / "gpus.yml"

    @property
    def platforms(self) -> Path:
        """Services that offer GPUs, and how to switch each of them on."""
        return self.data / "platforms.yml"

    @property
    def mirrors(self) -> Path:
        """Mirrors in mainland China, and when each was last known to work."""
        return self.data / "mirrors.yml"

    @property
    def libraries(self) -> Path:
        """Libraries on top of PyTorch that a snippet may need."""
        return self.data / "libraries.yml"

    @property
    def broken_machines(self) -> Path:
        """The machines on which CUDA fails, which the stand-in plays."""
        return self.data / "broken_machines.yml"

    @property
    def dry_runs(self) -> Path:
        """The dry runs that pages show."""
        return self.data / "dry_runs.yml"

    @property
    def dry_run_published(self) -> Path:
        """Peaks that others measured, compared with dry runs."""
        return self.data / "dry_run_published.yml"

    @property
    def public_scripts(self) -> Path:
        """Training scripts that others published, which are run dry as they are."""
        return self.data / "public_scripts.yml"

    @property
    def dry_run_measured(self) -> Path:
        """Scripts whose peaks a GPU of ours showed, compared with dry runs."""
        return self.data / "dry_run_measured.yml"

    @property
    def dry_run_measured_scripts(self) -> Path:
        """Those scripts."""
        return self.root / "tests" / "data" / "dry_run_measured"

    @property
    def dry_run_scripts(self) -> Path:
        """The scripts that build the settings of those peaks."""
        return self.root / "tests" / "data" / "dry_run_published"

    @property
    def plots(self) -> Path:
        """What is plotted from records."""
        return self.data / "plots.yml"

    @property
    def expected(self) -> Path:
        """The words with which pages say what no GPU has shown yet."""
        return self.data / "expected.yml"

    @property
    def pictures(self) -> Path:
        """What is drawn, and the words in it."""
        return self.data / "pictures.yml"

    @property
    def models(self) -> Path:
        """The numbers of public language models."""
        return self.data / "models.yml"

    @property
    def fit_peaks(self) -> Path:
        """How much memory training steps took, compared with the formulas."""
        return self.data / "fit_peaks.yml"

    @property
    def fit_published(self) -> Path:
        """How much memory others measured, compared with the formulas."""
        return self.data / "fit_published.yml"

    @property
    def fit_words(self) -> Path:
        """What the calculator of memory/fit says."""
        return self.data / "fit_words.yml"

    @property
    def nccl(self) -> Path:
        """What differs between the backends of NCCL."""
        return self.data / "nccl.yml"

    @property
    def errors(self) -> Path:
        """The messages that people meet, a file for each page below reference/errors."""
        return self.data / "errors"

    @property
    def diagnosis(self) -> Path:
        """The rules by which a pasted text is diagnosed."""
        return self.data / "diagnosis.yml"

    @property
    def apis(self) -> Path:
        """The modules of torch, their public names, and which are deprecated."""
        return self.data / "apis.yml"

    @property
    def homes(self) -> Path:
        """The sections to which names lead that no rule would find."""
        return self.data / "homes.yml"

    @property
    def addresses(self) -> Path:
        """Every address of a page that was ever public."""
        return self.data / "addresses.yml"

    @property
    def long_pages(self) -> Path:
        """The pages of topics that are longer than they may be, and how long."""
        return self.data / "long_pages.yml"

    @property
    def faults(self) -> Path:
        """The planted faults that nobody notices, and why."""
        return self.data / "faults.yml"

    @property
    def exemptions(self) -> Path:
        """Every skip, ignore and exemption, with its reason and date."""
        return self.root / "exemptions.yml"

    @property
    def search_aliases(self) -> Path:
        """Further words that each place of the site is found by."""
        return self.data / "search_aliases.yml"

    @property
    def questions(self) -> Path:
        """What people ask in plain words, and which section answers it."""
        return self.data / "questions.yml"

    @property
    def search_synonyms(self) -> Path:
        """Words that mean the same in a search."""
        return self.data / "search_synonyms.yml"

    @property
    def exercises(self) -> Path:
        """Programs to mend, with what checks them."""
        return self.root / "exercises"

    @property
    def labs(self) -> Path:
        """The code of the labs."""
        return self.root / "labs"

    def lab_pages(self, language: str) -> Path:
        """The texts and the notebooks of the labs, and the page that lists them."""
        return self.docs / language / "labs"

    @property
    def theme(self) -> Path:
        """Styles, scripts and templates of the site."""
        return self.root / "theme"

    @property
    def constraints(self) -> Path:
        """The versions that the tests run with."""
        return self.root / "constraints.txt"

    @property
    def package(self) -> Path:
        """The tools."""
        return self.root / "gpu_guide"

    @property
    def contributing(self) -> Path:
        """What CONTRIBUTING leads to."""
        return self.root / "contributing"

    @property
    def licenses(self) -> Path:
        """The licences of text and snippets, word for word."""
        return self.root / "LICENSES"

    @property
    def tests(self) -> Path:
        """The tests of the tools, pages and data."""
        return self.root / "tests"

    @property
    def texts(self) -> list[Path]:
        """The texts for contributors, and the READMEs, of which no page is made."""
        return sorted([*self.root.glob("*.md"), *self.root.glob("contributing/*.md")])

    @property
    def sources(self) -> tuple[Path, ...]:
        """The folders that a site is made of."""
        return (
            self.docs,
            self.snippets,
            self.labs,
            self.exercises,
            self.theme,
            self.data,
            self.records,
        )

    @property
    def cache(self) -> Path:
        """What tools remember; it may be deleted at any time."""
        return self.root / ".cache"

    @property
    def own_folders(self) -> frozenset[str]:
        """The names of all folders that somebody writes in."""
        named = (*self.sources, self.package, self.tests, self.licenses, self.contributing)
        return frozenset(path.name for path in named)

    @cached_property
    def configs(self) -> dict[str, Path]:
        """By language, the settings of its site: mkdocs.yml is that of the first language, and
        mkdocs.<language>.yml of another; `docs_dir` names it. Raises GuideError."""
        found: dict[str, Path] = {}
        first = self.root / "mkdocs.yml"
        others = (path for path in sorted(self.root.glob("mkdocs.*.yml")) if path != first)
        for path in (first, *others):
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            if (match := _DOCS_DIR.search(text)) is None:
                remedy = "add a line 'docs_dir: docs/…' that names the folder of its language"
                raise fault(path, None, "says no language", remedy)
            found[match["language"]] = path
        return found

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the pages, the first one's settings being those that others inherit."""
        return tuple(self.configs)

    def other_than(self, language: str) -> str:
        """The language of the other half of a page."""
        (other,) = (one for one in self.languages if one != language)
        return other


HERE = Project()
"""The guide that this package lies in."""


def about(language: str) -> Language:
    """What is known of a language."""
    return _KNOWN.get(language, Language(repr(language)))
