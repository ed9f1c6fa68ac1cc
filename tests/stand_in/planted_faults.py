"""How many planted faults in snippets that only a GPU can answer a stand-in notices.

`python -m gpu_guide stand-in -- python tests/stand_in/planted_faults.py [faults of each kind]`
takes some minutes and prints who survived. It is no test: `python -m gpu_guide faults` counts over
all snippets what is noticed anywhere.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from gpu_guide.data.accepted_survivors import load_explained
from gpu_guide.faults.count import explain, offered, results, sample, share, table
from gpu_guide.faults.snippets import Fault
from gpu_guide.project import HERE
from gpu_guide.run.stand_in_limits import speaks_for
from gpu_guide.snippets.model import Snippet, load_snippets

SEED = 12


def wrong_figures(snippet: Snippet) -> Iterator[tuple[Snippet, Fault]]:
    """Every number in an assertion, once too large by one."""
    lines = snippet.source.split("\n")
    for statement in ast.walk(ast.parse(snippet.source)):
        for node in ast.walk(statement) if isinstance(statement, ast.Assert) else ():
            if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
                continue
            line = lines[node.lineno - 1]
            new = str(node.value + 1)
            changed = line[: node.col_offset] + new + line[node.end_col_offset :]
            source = "\n".join([*lines[: node.lineno - 1], changed, *lines[node.lineno :]])
            old = line[node.col_offset : node.end_col_offset]
            yield snippet, Fault("figure", node.lineno, old, new, source)


def main(count: int) -> int:
    """Plant `count` faults of each kind; 1 where less than 80 % are noticed."""
    chosen = [
        snippet
        for snippet in load_snippets(HERE).values()
        if snippet.needs.kind == "cuda" and not snippet.simulated and not snippet.measures
        if speaks_for(snippet)
    ]
    choices = {kind: some for kind, some in offered(chosen).items() if kind in KINDS}
    choices["figure"] = [pair for snippet in chosen for pair in wrong_figures(snippet)]
    print({kind: len(some) for kind, some in choices.items()}, "offered by", len(chosen))
    found = []
    for kind, some in choices.items():
        named = {kind: some}
        for result in results(sample(named, count, SEED, _name), HERE):
            found.append(result)
            print(result, flush=True)
    found = explain(found, load_explained(HERE.faults))
    print(table(found, choices))
    noticed = sum(bool(one.verdict.caught_by) for one in found) / len(found)
    print(f"{noticed:.1%} of all, {share(found):.1%} without those that change nothing")
    return 0 if share(found) >= 0.8 else 1


KINDS = ("device", "line", "size")


def _name(pair: tuple[Snippet, Fault]) -> str:
    snippet, fault = pair
    return f"{snippet.name} {fault.line} {fault.old} {fault.new}"


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 25))
