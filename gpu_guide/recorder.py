"""`make record`: run every snippet here, say what changed, write `records/<environment>.json`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from gpu_guide.environment import CPU, Environment, describe
from gpu_guide.outputs import compare_with_file, compare_with_record
from gpu_guide.plan import recorded_tier
from gpu_guide.records import RECORDS, Entry, Record, merge, path_of, read, write
from gpu_guide.runner import run_snippet
from gpu_guide.snippets import Snippet, load_snippets


def record(
    snippets: Mapping[str, Snippet] | None = None,
    folder: Path = RECORDS,
    here: Environment | None = None,
    say: Callable[[str], None] = print,
) -> int:
    """Record this environment and return the exit status.

    0: all that can run here ran and is recorded. 1: some failed; the others are recorded, and what
    was known of the failed ones is kept. 2: a CPU build, whose outputs stand in the snippets.
    """
    here = here or describe()
    if here.id == CPU:
        say(
            "This is a CPU build of torch: what it prints stands in the snippets themselves "
            "(`pytest --update-examples` writes it). There is nothing to record here."
        )
        return 2
    snippets = load_snippets() if snippets is None else snippets
    path = path_of(here.id, folder)
    old = read(path) if path.exists() else None
    say(f"{here.id}: torch {here.torch}, CUDA {here.cuda}, Python {here.python}, {here.gpus} GPU")
    entries: dict[str, Entry] = {}
    failed: list[str] = []
    for name, snippet in snippets.items():
        tier = recorded_tier(snippet, here)
        if tier is None:
            say(f"  not here  {name}: needs {snippet.needs}")
            continue
        run = run_snippet(snippet, tier)
        try:
            if run.outcome != "passed":
                raise ValueError(run.problem)
            entries[name] = Entry(snippet.sha256, run.prints(snippet), run.seconds)
        except ValueError as error:
            failed.append(name)
            say(f"  FAILED    {name}: {error}")
            continue
        say(f"  {_verdict(snippet, entries[name], old, here)}")
    merged = merge(old, Record(here, entries), snippets)
    for name in sorted(set(old.entries if old else ()) - merged.entries.keys()):
        say(f"  dropped   {name}: recorded with other versions, or gone")
    write(merged, folder)
    say(f"{len(entries)} recorded, {len(failed)} failed: {path}")
    return 1 if failed else 0


def _verdict(snippet: Snippet, entry: Entry, old: Record | None, here: Environment) -> str:
    before = old.entries.get(snippet.name) if old else None
    if snippet.measures:
        return f"measured  {snippet.name}"
    if before is None:
        differs = compare_with_file(snippet, entry.prints) if snippet.outputs else ""
        return f"new       {snippet.name}" + (f", unlike the file's:\n{differs}" if differs else "")
    differs = compare_with_record(snippet, entry.prints, before.prints, here.id)
    return f"changed   {snippet.name}\n{differs}" if differs else f"same      {snippet.name}"
