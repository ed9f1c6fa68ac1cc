"""Outputs on one simulated GPU of snippets that run on any machine: `records/simulated.json`.

Their `#>` lines are the CPU's, so it is kept separately: without it a tensor that ends up on the
wrong device would only be noticed on a real GPU. No page shows it, since no machine printed it.
Written by `--update-examples`, read by the tests alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from gpu_guide.problems import fault
from gpu_guide.records import digest
from gpu_guide.records.compare import compare, numbered
from gpu_guide.run.machine import CPU, Environment
from gpu_guide.run.runner import Tier
from gpu_guide.run.stand_in_limits import speaks_for
from gpu_guide.snippets.model import Printed, Snippet


def keeps(
    snippet: Snippet, tier: Tier, here: Environment, file: Path, *, new: bool = False
) -> bool:
    """Whether this is where `snippet` on `tier` is compared, on the machine `here`.

    That is the CPU build's task. If the snippet is `new`, any build may begin its entry.
    """
    if tier is not Tier.SIMULATED or snippet.needs.kind != "any" or snippet.measures:
        return False
    return here.id == CPU or (new and snippet.name not in read(file))


def answers(snippet: Snippet, tier: Tier, file: Path) -> bool:
    """Whether the file says what a stand-in GPU prints of `snippet`: what simulated ones print."""
    if tier is not Tier.STAND_IN or snippet.needs.kind != "any" or snippet.measures:
        return False
    return speaks_for(snippet) and snippet.name in read(file)


def read(file: Path) -> dict[str, tuple[Printed, ...]]:
    """What was printed by snippet. Raises GuideError where the file is not what is written."""
    if not file.exists():
        return {}
    try:
        content = json.loads(file.read_text(encoding="utf-8"))["snippets"]
        found = {
            name: tuple(Printed(int(statement), str(text)) for statement, text in entry["prints"])
            for name, entry in content.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        what = f"not what was written: {type(error).__name__}: {error}"
        raise fault(file, "snippets", what, "restore the file, or run --update-examples") from None
    places = {f"snippets[{name!r}]": entry for name, entry in content.items()}
    remedy = "`git restore` the file, or delete this entry and run `pytest --update-examples`"
    digest.check(file, places, remedy)
    return found


def problem_with(snippet: Snippet, printed: Iterable[Printed], file: Path) -> str:
    """What differs from the file, as a message; "" where nothing."""
    old = numbered(read(file).get(snippet.name, ()))
    remedy = "if the placement is right, `pytest --update-examples` writes the record"
    return compare(snippet, old, numbered(printed), f"records/{file.name}", remedy)


def update(snippet: Snippet, printed: tuple[Printed, ...], file: Path) -> None:
    """Write what was printed. A snippet that printed nothing has no entry."""
    old = read(file)
    new = {name: prints for name, prints in old.items() if name != snippet.name}
    new |= {snippet.name: printed} if printed else {}
    if new != old:
        _write(new, file)


def _write(content: dict[str, tuple[Printed, ...]], file: Path) -> None:
    prints = {n: {"prints": [[p.statement, p.text] for p in content[n]]} for n in sorted(content)}
    entries = {name: digest.sealed(file.stem, entry) for name, entry in prints.items()}
    text = json.dumps({"snippets": entries}, ensure_ascii=False, indent=1)
    file.parent.mkdir(exist_ok=True)
    file.write_text(text + "\n", encoding="utf-8", newline="\n")
