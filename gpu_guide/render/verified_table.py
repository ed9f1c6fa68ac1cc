"""A fence `verified` with the name of a topic becomes a table: where each snippet of it has run.

A column is a way of running, a cell what is known of it from the snippet and from the records. With
the word `everything` it becomes a bar for each way of running: how many snippets have passed there;
with `sentence`, what the home page says of all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from gpu_guide.pages.snippet_index import first_uses, linked
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.records.store import Record, load_records
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.words import Words
from gpu_guide.run.machine import CUDA_BUILD_NO_GPU, Environment
from gpu_guide.run.tiers import speaks_of_devices
from gpu_guide.snippets.model import Snippet, load_snippets

Cell = Callable[[Snippet], str]
"""The key of the word in a cell: passed, other (not meant to run there), not_run or stale."""


EVERYTHING, SENTENCE = "everything", "sentence"


class VerifiedTable:
    """`VerifiedTable(project, say)("memory")`. Raises GuideError."""

    def __init__(self, project: Project, say: Words) -> None:
        self.project, self.say = project, say

    def __call__(self, topic: str) -> str:
        snippets = loaded(load_snippets, self.project, self.project.snippets).values()
        if topic == EVERYTHING:
            return self._bars(snippets)
        if topic == SENTENCE:
            return self._sentence(snippets)
        topics = list(dict.fromkeys(snippet.name.partition("/")[0] for snippet in snippets))
        if topic not in topics:
            remedy = did_you_mean(topic, topics)
            raise fault(None, None, f"no snippets of {topic!r}", remedy)
        chosen = [snippet for snippet in snippets if snippet.name.startswith(f"{topic}/")]
        columns = _columns(loaded(load_records, self.project, self.project.records))
        uses = loaded(first_uses, self.project, self.project.docs)[self.say.language]
        heads = [self._head(key) for key in columns]
        rows = [self._row(snippet, columns.values(), uses) for snippet in chosen]
        head = _line([self.say("verified_snippet"), *heads])
        return "\n".join([head, _line(["---"] * (len(heads) + 1)), *rows, ""])

    def _bars(self, snippets: Iterable[Snippet]) -> str:
        """A row for each way of running; of the snippets that are not meant for it none counts."""
        rows = []
        for key, cell in _columns(loaded(load_records, self.project, self.project.records)).items():
            counts = Counter(map(cell, snippets))
            meant = counts["passed"] + counts["stale"] + counts["not_run"]
            bar = f'<progress value="{counts["passed"]}" max="{meant}"></progress>'
            said = self.say("verified_count", passed=counts["passed"], meant=meant)
            if counts["stale"]:
                said += self.say("verified_count_stale", stale=counts["stale"])
            rows.append(_line([self._head(key), said, bar]))
        heads = [self.say(f"verified_{name}") for name in ("place", "passed", "share")]
        table = "\n".join([_line(heads), _line(["---"] * 3), *rows])
        return f'<div class="coverage" markdown>\n\n{table}\n\n</div>'

    def _sentence(self, snippets: Collection[Snippet]) -> str:
        columns = _columns(loaded(load_records, self.project, self.project.records))
        passed = {key: [*map(columns[key], snippets)].count("passed") for key in ("cpu", "gpu")}
        return self.say("verified_sentence", all=len(snippets), **passed)

    def _head(self, key: str) -> str:
        kind, _, torch = key.partition(" ")
        return self.say(f"verified_{kind}", torch=torch)

    def _row(self, snippet: Snippet, columns: Iterable[Cell], uses: Mapping[str, str]) -> str:
        name = linked(snippet.name, uses, "reference")
        return _line([name, *(self.say(f"verified_{cell(snippet)}") for cell in columns)])


def _columns(records: Sequence[Record]) -> dict[str, Cell]:
    """By kind and torch of a way to run snippets, what is known of one."""
    columns: dict[str, Cell] = {"cpu": _on_cpu, "simulated": _simulated}
    for record in records:
        here = record.environment
        if here.stand_in:
            columns[f"stand_in {_release(here)}"] = lambda snippet, of=record: _stand_in(
                snippet, of
            )
        elif here.id == CUDA_BUILD_NO_GPU:
            columns[f"build {_release(here)}"] = lambda snippet, of=record: _build(snippet, of)
    machines = [record for record in records if record.environment.has_gpu]
    hardware = [record for record in machines if not record.environment.stand_in]
    columns["gpu"] = lambda snippet: _best(snippet, hardware)
    return columns


def _release(here: Environment) -> str:
    return ".".join(here.torch.split(".")[:2])


def _on_cpu(snippet: Snippet) -> str:
    return "other" if snippet.needs.kind == "cuda" else "passed"


def _simulated(snippet: Snippet) -> str:
    if snippet.needs.kind == "torchrun" or not speaks_of_devices(snippet):
        return "other"
    return "passed" if snippet.simulated else "not_run"


def _stand_in(snippet: Snippet, record: Record) -> str:
    return _of(snippet, record) if snippet.needs.kind == "cuda" else "other"


def _build(snippet: Snippet, record: Record) -> str:
    elsewhere = snippet.needs.kind == "cuda" or snippet.needs.libraries
    return "other" if elsewhere else _of(snippet, record)


def _of(snippet: Snippet, record: Record) -> str:
    if record.fresh(snippet):
        return "passed"
    return "stale" if record.stale(snippet) else "not_run"


def _best(snippet: Snippet, records: Sequence[Record]) -> str:
    """The best of what machines with a GPU know."""
    found = {_of(snippet, record) for record in records}
    return next((one for one in ("passed", "stale") if one in found), "not_run")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
