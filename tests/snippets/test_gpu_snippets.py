"""Snippets that only a GPU can run: what would make them fail on some GPU is read from their code.

Whoever writes one has one GPU at most, and the guide is read on all of them: from a T4 to an RTX
5090, in a laptop with 4 GiB, under Windows and WSL2, and beside other programs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from small_guides import begin

from gpu_guide.problems import shown
from gpu_guide.project import HERE
from gpu_guide.snippets.model import Snippet, parse, well_formed_snippets

Fault = tuple[int, str]
"""The line, and what is wrong there with its remedy."""


def _called(node: ast.AST) -> str:
    """`query` of `event.query()`, `print` of `print()`; "" where nothing is called."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _calls(node: ast.AST) -> set[str]:
    return {name for part in ast.walk(node) if (name := _called(part))}


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            if isinstance(block := getattr(node, field, None), list):
                yield block


def queried_at_once(snippet: Snippet, tree: ast.Module) -> Iterator[Fault]:
    """An event needs a moment even on an idle GPU: asked at once, either answer may come."""
    for block in _blocks(tree):
        for first, second in pairwise(block):
            if "record" in _calls(first) and "query" in _calls(second):
                yield second.lineno, "query() right after record(): ask the stream's query()"


_TIME = re.compile(r"\b(ms|us|times?|seconds|elapsed|median)\b")


def compares_times_closely(snippet: Snippet, tree: ast.Module) -> Iterator[Fault]:
    """How two times compare differs between GPUs: a ratio near 1 holds on some of them only."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assert) or not _TIME.search(ast.unparse(node.test)):
            continue
        sides: list[ast.expr] = []
        for part in ast.walk(node.test):
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult | ast.Div):
                sides += [part.left, part.right]
            if isinstance(part, ast.Compare) and not isinstance(part.ops[0], ast.Eq):
                sides += [part.left, *part.comparators]
        if any(map(_is_near_one, sides)):
            yield node.lineno, "times compared by a ratio near 1: assert their order"


def _is_near_one(node: ast.AST) -> bool:
    value = getattr(node, "value", None)
    return isinstance(value, int | float) and 0.67 < value < 1.5


def lets_the_driver_refuse(snippet: Snippet, tree: ast.Module) -> Iterator[Fault]:
    """The driver of Windows and WSL2 lends host memory, so nothing raises, unless a limit is set.

    A fraction of 1.0 is no limit (torch 2.13 and 2.15).
    """
    if snippet.needs.kind != "cuda" or snippet.needs.no_wddm:
        return
    limited = any(
        _called(node) == "set_per_process_memory_fraction" and ast.unparse(node.args[0]) != "1.0"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    )
    for node in ast.walk(tree):
        caught = isinstance(node, ast.ExceptHandler) and node.type and ast.unparse(node.type)
        if caught and "OutOfMemoryError" in caught and not limited:
            yield node.lineno, "expects out of memory without a limit: set a fraction below 1"


def needs_what_it_does_not_name(snippet: Snippet, tree: ast.Module) -> Iterator[Fault]:
    """A need that stands in the code alone is a failure where it is not met, not a skip."""
    if snippet.needs.kind != "cuda":
        return
    source = snippet.source
    if "compile" in _calls(tree) and not (snippet.needs.triton and snippet.needs.capability):
        yield 1, "torch.compile on a GPU: write '# needs: cuda, sm_70, triton'"
    if "expandable_segments:True" in source and not snippet.needs.no_wddm:
        yield 1, "expandable segments fail on some WSL drivers: write '# needs: cuda, no-wddm'"
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and "get_device_capability" in _calls(node):
            yield node.lineno, "asserts a capability: skip with a printed line, or write sm_80"


def takes_a_new_gpu_for_granted(snippet: Snippet, tree: ast.Module) -> Iterator[Fault]:
    """FlashAttention needs capability 8.0, which a T4 has not."""
    if (snippet.needs.capability or (0, 0)) >= (8, 0) or "get_device_capability" in _calls(tree):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "FLASH_ATTENTION":
            yield node.lineno, "FlashAttention without asking get_device_capability()"


def prints_segments_as_they_come(snippet: Snippet, tree: ast.Module) -> Iterator[Fault]:
    """In which order a snapshot lists its segments is not specified."""
    unsorted: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and "snapshot" in _called(node.value):
            unsorted |= {ast.unparse(target) for target in node.targets}
    ordered = {ast.unparse(n.func.value) for n in ast.walk(tree) if _called(n) == "sort"}
    for node in ast.walk(tree):
        listed = isinstance(node, ast.For) and ast.unparse(node.iter) in unsorted - ordered
        if listed and "print" in _calls(node):
            yield node.lineno, "prints a snapshot's segments as they come: sort them first"


Rule = Callable[[Snippet, ast.Module], Iterator[Fault]]
RULES: tuple[Rule, ...] = (
    queried_at_once,
    compares_times_closely,
    lets_the_driver_refuse,
    needs_what_it_does_not_name,
    takes_a_new_gpu_for_granted,
    prints_segments_as_they_come,
)


def faults(rule: Rule, snippet: Snippet) -> list[str]:
    found = rule(snippet, ast.parse(snippet.source))
    return [f"{shown(snippet.path)}:{line}: {fault}" for line, fault in found]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_snippet_fails_on_some_gpu(rule):
    found = [fault for snippet in well_formed_snippets(HERE) for fault in faults(rule, snippet)]
    assert not found, "\n".join(found)


EXPECTS_OOM = "try:\n    f()\nexcept OutOfMemoryError:\n    g()"


@pytest.mark.parametrize(
    ("rule", "needs", "code", "wrong"),
    [
        (queried_at_once, "cuda", "e.record()\nprint(e.query())", True),
        (queried_at_once, "cuda", "e.record()\nwork()\nprint(e.query())", False),
        (compares_times_closely, "cuda", 'assert ms["a"] < 0.9 * ms["b"]', True),
        (compares_times_closely, "cuda", "assert 0.8 < seconds / other < 1.25", True),
        (compares_times_closely, "cuda", 'assert ms["a"] < ms["b"] / 2', False),
        (compares_times_closely, "cuda", "assert peak < 0.9 * before", False),
        (lets_the_driver_refuse, "cuda", EXPECTS_OOM, True),
        (lets_the_driver_refuse, "cuda, no-wddm", EXPECTS_OOM, False),
        (
            lets_the_driver_refuse,
            "cuda",
            f"set_per_process_memory_fraction(1.0)\n{EXPECTS_OOM}",
            True,
        ),
        (
            lets_the_driver_refuse,
            "cuda",
            f"set_per_process_memory_fraction(0.5)\n{EXPECTS_OOM}",
            False,
        ),
        (needs_what_it_does_not_name, "cuda", "f = torch.compile(f)", True),
        (needs_what_it_does_not_name, "cuda, sm_70, triton", "f = torch.compile(f)", False),
        (needs_what_it_does_not_name, "cuda", 'conf = "expandable_segments:True"', True),
        (needs_what_it_does_not_name, "cuda", "assert cuda.get_device_capability() > (8,)", True),
        (takes_a_new_gpu_for_granted, "cuda", "x = SDPBackend.FLASH_ATTENTION", True),
        (takes_a_new_gpu_for_granted, "cuda, sm_80", "x = SDPBackend.FLASH_ATTENTION", False),
        (prints_segments_as_they_come, "cuda", "s = memory_snapshot()\nfor x in s: print(x)", True),
        (
            prints_segments_as_they_come,
            "cuda",
            "s = memory_snapshot()\ns.sort()\nfor x in s: print(x)",
            False,
        ),
    ],
)
def test_each_rule_finds_its_fault(tmp_path, rule, needs, code, wrong):
    text = f'"""T.\n\n题。\n"""\n# needs: {needs}\n\n{code}\n'
    guide = begin(tmp_path, files={"snippets/name.py": text})
    assert bool(faults(rule, parse(guide.snippets / "name.py", guide))) is wrong
