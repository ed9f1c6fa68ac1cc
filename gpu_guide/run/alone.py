"""Snippets that have to run alone on a GPU, recognized by what their code names.

Side by side, each would disturb what the other shows: how long something takes, how much memory is
free, which devices there are.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from gpu_guide.snippets.model import Snippet
from gpu_guide.snippets.syntax import nodes_of, tree_of

_RULES = {
    "measures time": r"perf_counter\w*|monotonic\w*|process_time|elapsed_time|enable_timing"
    r"|benchmark|Timer|timeit|profile|profiler",
    "shows what happens at the same time": r"_sleep|record_stream|wait_stream|non_blocking|Stream",
    "reads free memory": r"mem_get_info|device_memory_used|memory_usage|utilization|nvidia-smi"
    r"|list_gpu_processes|pynvml",
    "fills the GPU": r"OutOfMemoryError|total_memory|set_per_process_memory_fraction"
    r"|per_process_memory_fraction",
    "hides or counts devices": r"CUDA_VISIBLE_DEVICES|CUDA_DEVICE_ORDER|device_count",
    "starts processes": r"multiprocessing|mp|subprocess|spawn|torchrun|init_process_group|fork",
}
"""By the reason what a name, an attribute, an import or a word of a string is then."""
_REASONS = {reason: re.compile(names) for reason, names in _RULES.items()}
_WORD = re.compile(r"[\w-]+")


def why_alone(snippet: Snippet) -> str:
    """Why `snippet` has to run alone; "" if it need not."""
    if snippet.measures:
        return "measures time"
    if snippet.needs.kind == "torchrun":
        return "starts processes"
    words = _words(snippet.source)
    return next((why for why, one in _REASONS.items() if any(map(one.fullmatch, words))), "")


@lru_cache(maxsize=2048)
def _words(source: str) -> frozenset[str]:
    """Names, attributes, imports and words of strings, without the title."""
    title = tree_of(source).body[0].value
    words: set[str] = set()
    for node in nodes_of(source):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.keyword(arg=str(word)):
                words.add(word)
            case ast.alias(name=name):
                words.update(name.split("."))
            case ast.ImportFrom(module=str(name)):
                words.update(name.split("."))
            case ast.Constant(value=str(text)) if node is not title:
                words.update(_WORD.findall(text))
    return frozenset(words)
