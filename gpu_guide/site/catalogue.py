"""snippets.json: every snippet with its title, what it needs, where it ran, and who shows it.

And llms.txt for the whole site, which lists the pages of each language.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from gpu_guide.data.addresses import url_of
from gpu_guide.pages.page import Pages, load_pages
from gpu_guide.project import Project
from gpu_guide.records.evidence import OnCpu, OnMachine, Simulated, pinned_torch, runs
from gpu_guide.records.store import Record, load_records
from gpu_guide.run.machine import Environment
from gpu_guide.site.for_programs import NAMES
from gpu_guide.snippets.model import Snippet, load_snippets

NAME = "snippets.json"
LIST = "llms.txt"
HEADING = "\n## "


def written(project: Project, site_root: str) -> str:
    """The text of snippets.json. Raises GuideError for a snippet or record that cannot be read."""
    records, torch = load_records(project), pinned_torch(project.constraints)
    shown = _pages(load_pages(project)[0], site_root)
    snippets = load_snippets(project).values()
    entries = [_entry(one, records, torch, shown, project, site_root) for one in snippets]
    return json.dumps({"snippets": entries}, ensure_ascii=False, indent=1) + "\n"


def _entry(
    snippet: Snippet,
    records: Sequence[Record],
    torch: str,
    shown: dict[str, dict[str, list[str]]],
    project: Project,
    site_root: str,
) -> dict[str, Any]:
    folder = project.snippets.name
    origins = [origin for run in runs(snippet, records, torch) for origin in run.origins]
    return {
        "name": snippet.name,
        "title": dict(snippet.title),
        "path": snippet.path.relative_to(project.root).as_posix(),
        "url": f"{site_root}{folder}/{snippet.name}.py",
        "needs": str(snippet.needs),
        "sha256": snippet.sha256,
        "verified": [_verified(one) for one in origins if isinstance(one, OnCpu | OnMachine)],
        "simulated": any(isinstance(one, Simulated) for one in origins),
        "pages": shown.get(snippet.name, {}),
    }


def _verified(origin: OnCpu | OnMachine) -> dict[str, Any]:
    """Where it ran: on the CPU, a GPU, a stand-in GPU, or a CUDA build without a GPU."""
    if isinstance(origin, OnCpu):
        return {"on": "cpu", "torch": origin.torch}
    return _machine(origin.machine)


def _machine(machine: Environment) -> dict[str, Any]:
    kind = "stand-in" if machine.stand_in else "gpu" if machine.has_gpu else "cuda-build"
    found = {
        "on": kind,
        "gpu": machine.gpu,
        "torch": machine.torch,
        "cuda": machine.cuda,
        "driver": machine.driver,
        "date": machine.date,
    }
    return {key: value for key, value in found.items() if value}


def _pages(pages: Pages, site_root: str) -> dict[str, dict[str, list[str]]]:
    """By snippet and language, the addresses of the pages that show it."""
    found: dict[str, dict[str, list[str]]] = {}
    for language, by_address in pages.items():
        for page in by_address.values():
            address = f"{site_root}{language}/{url_of(page.address.removesuffix('.md'))}"
            for name in dict.fromkeys(use.name for use in page.snippets):
                found.setdefault(name, {}).setdefault(language, []).append(address)
    return found


def list_of_all(out: Path, languages: Iterable[str], site_root: str) -> str:
    """The text of llms.txt above the languages, made of theirs in the built site `out`."""
    parts = [(out / language / LIST).read_text(encoding="utf-8") for language in languages]
    titles = [part.partition("\n")[0].removeprefix("# ") for part in parts]
    texts = [part.partition("\n")[2].strip("\n") for part in parts]
    names = [NAME, *(f"{language}/{name}.json" for language in languages for name in NAMES)]
    names = [name for name in names if (out / name).is_file()]
    files = "\n".join(f"- [{name}]({site_root}{name})" for name in names)
    # What is a section of a language's own list is a part of the language's section here.
    joined = (
        f"## {title}\n\n{text.replace(HEADING, f'{HEADING[:-1]}# ')}"
        for title, text in zip(titles, texts, strict=True)
    )
    lower = "\n\n".join(joined)
    return f"# {' · '.join(titles)}\n\n{files}\n\n{lower}\n"
