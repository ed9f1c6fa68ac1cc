"""The table of NCCL backends, in HTML: what differs between them, in the language of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from gpu_guide import ROOT
from gpu_guide.data.entries import entries
from gpu_guide.problems import fault
from gpu_guide.snippets.model import Language

NCCL = ROOT / "data" / "nccl.yml"

_COLUMNS = ("what", "before", "since")
_HEADS: dict[Language, tuple[str, ...]] = {
    "zh": ("不同之处", "{since} 之前", "从 {since} 起"),
    "en": ("what differs", "before {since}", "since {since}"),
}
_SOURCE: dict[Language, str] = {
    "zh": "来源（{read} 读取）：",
    "en": "Sources, read {read}: ",
}


@dataclass(frozen=True)
class Backends:
    """Since which release there is a new backend, where that was read, and what differs."""

    since: str
    read: str
    source: str
    names: Mapping[Language, str]
    differences: tuple[Mapping[Language, Mapping[str, str]], ...]


def load_backends(path: Path = NCCL) -> Backends:
    """The entries of the file. Raises GuideError."""
    found = list(entries(path))
    heads = [(line, entry) for line, entry in found if entry.get("kind") == "backend"]
    if len(heads) != 1:
        raise fault(path, 1, f"{len(heads)} entries of kind backend", "write one")
    line, head = heads[0]
    for key in ("since", "read", "source", "zh", "en"):
        if not str(head.get(key) or ""):
            raise fault(path, line, f"{key}: missing", f"add '{key}: …' to this entry")
    rows = [_difference(path, line, entry) for line, entry in found if entry is not head]
    names = {lang: head[lang] for lang in _HEADS}
    return Backends(str(head["since"]), str(head["read"]), head["source"], names, tuple(rows))


def _difference(
    path: Path, line: int, entry: Mapping[str, Any]
) -> dict[Language, Mapping[str, str]]:
    if entry.get("kind") != "difference":
        problem = f"kind: {entry.get('kind')!r}"
        raise fault(path, line, problem, "the kinds are backend and difference")
    for lang in _HEADS:
        texts = entry.get(lang)
        if not isinstance(texts, dict) or sorted(texts) != sorted(_COLUMNS):
            remedy = f"give it the keys {', '.join(_COLUMNS)}"
            raise fault(path, line, f"{lang}: not the three texts of a row", remedy)
    return {lang: entry[lang] for lang in _HEADS}


def backends_table(data: Backends, lang: Language) -> str:
    """The differences, a row each, and below them where they were read."""
    head = "".join(f'<th scope="col">{text.format(since=data.since)}</th>' for text in _HEADS[lang])
    body = "\n".join(
        '<tr><th scope="row">{}</th><td>{}</td><td>{}</td></tr>'.format(
            *(_inline(row[lang][column]) for column in _COLUMNS)
        )
        for row in data.differences
    )
    source = f'<a href="{escape(data.source)}">{escape(data.names[lang])}</a>'
    return (
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
        f"<p><small>{_SOURCE[lang].format(read=data.read)}{source}</small></p>"
    )


def _inline(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
