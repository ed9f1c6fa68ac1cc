"""What another environment printed: read it, compare with it, write it.

A record is `records/<environment>.json`, written by `make record` alone. It holds the environment
once and, per snippet, the hash of what ran, what each `print` printed, and the seconds it took.
"""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from gpu_guide import ROOT
from gpu_guide.environment import Environment
from gpu_guide.snippets import Printed, Snippet, shown

RECORDS = ROOT / "records"


class RecordError(ValueError):
    """A record that cannot be read: says the file, the place and the remedy."""

    def __init__(self, path: Path, where: str, problem: str) -> None:
        super().__init__(
            f"{shown(path)}: {where}: {problem} — records are written by `make record`, not by "
            "hand: restore the file or record again"
        )


@dataclass(frozen=True)
class Entry:
    """One snippet's run."""

    sha256: str
    prints: tuple[Printed, ...]
    seconds: float


@dataclass(frozen=True)
class Record:
    """Everything one environment printed."""

    environment: Environment
    entries: dict[str, Entry]

    def fresh(self, snippet: Snippet) -> Entry | None:
        """The entry of `snippet` if it was made from today's code, else None."""
        entry = self.entries.get(snippet.name)
        return entry if entry and entry.sha256 == snippet.sha256 else None

    def stale(self, snippet: Snippet) -> bool:
        """Whether there is an entry, but of older code."""
        return snippet.name in self.entries and self.fresh(snippet) is None


def path_of(environment_id: str, folder: Path = RECORDS) -> Path:
    """Where the record of an environment lies."""
    return folder / f"{environment_id}.json"


def load_records(folder: Path = RECORDS) -> list[Record]:
    """Every record, by file name. Raises RecordError for the first that cannot be read."""
    return [read(path) for path in sorted(folder.glob("*.json"))]


def read(path: Path) -> Record:
    """One record. Raises RecordError where it is not what `write` writes."""
    environment, content = read_file(path, "snippets")
    entries = {name: _entry(path, name, entry) for name, entry in content.items()}
    return Record(environment, entries)


def read_file(path: Path, part: str) -> tuple[Environment, dict[str, Any]]:
    """The environment of a record's file, and what it holds under `part`. Raises RecordError."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise RecordError(path, f"byte {error.start}", "not UTF-8") from None
    except json.JSONDecodeError as error:
        raise RecordError(path, f"line {error.lineno}", f"not JSON: {error.msg}") from None
    if not isinstance(content, dict) or content.keys() != {"environment", part}:
        raise RecordError(path, "top", f"not the keys 'environment' and {part!r}")
    environment = _environment(path, content["environment"])
    if not isinstance(content[part], dict):
        raise RecordError(path, part, "not an object")
    return environment, content[part]


def _environment(path: Path, content: Any) -> Environment:
    types = {field.name: field.type for field in fields(Environment)}
    if not isinstance(content, dict) or content.keys() != types.keys():
        raise RecordError(path, "environment", f"not the keys {', '.join(types)}")
    for key, value in content.items():
        if type(value).__name__ != types[key]:
            raise RecordError(path, f"environment.{key}", f"{value!r} is no {types[key]}")
    if content["id"] != path.stem:
        raise RecordError(path, "environment.id", f"{content['id']!r} is not the file's name")
    return Environment(**content)


def _entry(path: Path, name: str, content: Any) -> Entry:
    where = f"snippets[{name!r}]"
    if not isinstance(content, dict) or content.keys() != {"sha256", "prints", "seconds"}:
        raise RecordError(path, where, "not the keys 'sha256', 'prints', 'seconds'")
    prints = content["prints"]
    if not isinstance(prints, list) or not all(
        isinstance(pair, list) and [type(part) for part in pair] == [int, str] for pair in prints
    ):
        raise RecordError(path, f"{where}.prints", "not a list of [statement, text]")
    if not isinstance(content["seconds"], (int, float)) or not isinstance(content["sha256"], str):
        raise RecordError(path, where, "sha256 is no text or seconds is no number")
    printed = tuple(Printed(statement, text) for statement, text in prints)
    return Entry(content["sha256"], printed, float(content["seconds"]))


def write(record: Record, folder: Path = RECORDS) -> Path:
    """Write `record` whole or not at all, and return its path."""
    entries = {
        name: {
            "sha256": entry.sha256,
            "prints": [[printed.statement, printed.text] for printed in entry.prints],
            "seconds": round(entry.seconds, 3),
        }
        for name, entry in record.entries.items()
    }
    return write_file(folder, record.environment, "snippets", entries)


def write_file(
    folder: Path, environment: Environment, part: str, entries: dict[str, dict[str, Any]]
) -> Path:
    """Write a record's file whole or not at all, with the entries by name under `part`."""
    path = path_of(environment.id, folder)
    content = {"environment": asdict(environment), part: dict(sorted(entries.items()))}
    folder.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".json.new")
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)
    return path


def merge(old: Record | None, new: Record, snippets: Container[str]) -> Record:
    """`new` plus what `old` knows of `snippets` that did not run, or failed, this time.

    Old entries stay only where the versions are the same: a file names one environment.
    """
    if old is None or _versions(old.environment) != _versions(new.environment):
        return new
    kept = {name: entry for name, entry in old.entries.items() if name in snippets}
    return Record(new.environment, kept | new.entries)


def _versions(environment: Environment) -> dict[str, Any]:
    return {key: value for key, value in asdict(environment).items() if key != "date"}
