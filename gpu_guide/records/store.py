"""Records of other environments: read them, compare with them, write them.

A record is `records/<environment>.json`, written by `make record` alone. It holds the environment
once and, per snippet, the hash of what ran, what each print statement printed, and the seconds it
took. Each of these parts has a checksum. A number says how the file is laid out, so that an older
one stays readable.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container
from dataclasses import MISSING, asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.records import digest
from gpu_guide.run.machine import Environment
from gpu_guide.snippets.model import Printed, Snippet

SCHEMA = 3
"""The layout that is written. 1 had no number, neither `wsl` nor `mig`, an entry per line; 2 had no
checksums, and hashes of the code's text instead of what it says: its entries count as stale."""
_CHECKED_SINCE = 3
_RESTORE = "the recorder alone writes records: `git restore` the file"
_Made = TypeVar("_Made")


def unreadable(path: Path, part: str, what: str) -> GuideError:
    """The error of a record in which `part` is not what the recorder writes."""
    remedy = "`make record` writes records, nobody else: restore the file or record again"
    return fault(path, part, what, remedy)


@dataclass(frozen=True)
class Entry:
    """One snippet's run."""

    sha256: str
    prints: tuple[Printed, ...]
    seconds: float | None
    """How long it took; None on a stand-in GPU, which knows nothing of time."""
    attempts: int = 1
    """How often it was run until it passed: above 1 only for code that measures."""
    date: str = ""
    """The day on which it ran, where that is not the record's."""


@dataclass(frozen=True)
class Record:
    """Everything one environment printed."""

    environment: Environment
    entries: dict[str, Entry]

    def fresh(self, snippet: Snippet) -> Entry | None:
        """The entry of `snippet` if it was made from today's code, else None."""
        entry = self.entries.get(snippet.name)
        return entry if entry and entry.sha256 == snippet.sha256 else None

    def machine(self, name: str) -> Environment:
        """The environment as it was on the day on which the snippet `name` ran in it."""
        date = self.entries[name].date if name in self.entries else ""
        return replace(self.environment, date=date) if date else self.environment

    def stale(self, snippet: Snippet) -> bool:
        """Whether there is an entry, but of older code."""
        return snippet.name in self.entries and self.fresh(snippet) is None


def path_of(environment_id: str, folder: Path) -> Path:
    """Where the record of an environment lies."""
    return folder / f"{environment_id}.json"


def load_records(project: Project) -> list[Record]:
    """The records of the project, by file name. Raises GuideError for one that cannot be read."""
    return [read(path) for path in machine_files(project)]


def machine_files(project: Project) -> list[Path]:
    """The files of the records in their order: what is simulated is no machine's."""
    return sorted({*project.records.glob("*.json")} - {project.simulated_record})


def read(path: Path) -> Record:
    """One record. Raises GuideError where it is not what `write` writes."""
    environment, entries = read_file(path, "snippets", _entry)
    for name, entry in entries.items():
        if (entry.seconds is None) != bool(environment.stand_in):
            what = "missing" if entry.seconds is None else "of a stand-in GPU, which has no clock"
            raise unreadable(path, f"snippets[{name!r}].seconds", what)
    return Record(environment, entries)


def read_file(
    path: Path, part: str, read_entry: Callable[[Path, str, Any], _Made]
) -> tuple[Environment, dict[str, _Made]]:
    """The environment of a record's file, and what `read_entry` makes of each entry of `part`.

    Raises GuideError for a file of another form, or for what is not as it was written.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise unreadable(path, f"byte {error.start}", "not UTF-8") from None
    except json.JSONDecodeError as error:
        raise unreadable(path, f"line {error.lineno}", f"not JSON: {error.msg}") from None
    if not isinstance(content, dict):
        raise unreadable(path, "top", "not an object")
    schema = content.pop("schema", 1)
    if type(schema) is not int or not 1 <= schema <= SCHEMA:
        raise unreadable(path, "schema", f"{schema!r} is none of 1 to {SCHEMA}: is it newer?")
    if content.keys() != {"environment", part}:
        raise unreadable(path, "top", f"not the keys 'schema', 'environment' and {part!r}")
    if not isinstance(content[part], dict):
        raise unreadable(path, part, "not an object")
    environment = _environment(path, digest.unsealed(content["environment"]))
    entries = {
        name: read_entry(path, name, digest.unsealed(entry))
        for name, entry in content[part].items()
    }
    if schema >= _CHECKED_SINCE:
        digest.check(path, {"environment": content["environment"]}, _RESTORE)
        places = {f"{part}[{name!r}]": entry for name, entry in content[part].items()}
        digest.check(path, places, f"{_RESTORE}, or delete this entry and record it again")
    return environment, entries


def _environment(path: Path, content: Any) -> Environment:
    types = get_type_hints(Environment)
    needed = {field.name for field in fields(Environment) if field.default is MISSING}
    if not isinstance(content, dict) or not needed <= content.keys() <= types.keys():
        raise unreadable(path, "environment", f"not the keys {', '.join(types)}")
    for key, value in content.items():
        if type(value) is not types[key]:
            raise unreadable(path, f"environment.{key}", f"{value!r} is no {types[key].__name__}")
    if content["id"] != path.stem:
        raise unreadable(path, "environment.id", f"{content['id']!r} is not the file's name")
    return Environment(**content)


def _entry(path: Path, name: str, content: Any) -> Entry:
    where = f"snippets[{name!r}]"
    needed, allowed = {"sha256", "prints"}, {"sha256", "prints", "seconds", "attempts", "date"}
    if not isinstance(content, dict) or not needed <= content.keys() <= allowed:
        raise unreadable(path, where, "not the keys 'sha256', 'prints', 'seconds'")
    attempts = content.get("attempts", 1)
    if type(attempts) is not int or attempts < 1:
        raise unreadable(path, f"{where}.attempts", f"{attempts!r} is no count")
    if not isinstance(date := content.get("date", ""), str):
        raise unreadable(path, f"{where}.date", f"{date!r} is no text")
    prints = content["prints"]
    if not isinstance(prints, list) or not all(
        isinstance(pair, list) and [type(part) for part in pair] == [int, str] for pair in prints
    ):
        raise unreadable(path, f"{where}.prints", "not a list of [statement, text]")
    seconds = content.get("seconds")
    if not isinstance(seconds, (int, float, type(None))) or not isinstance(content["sha256"], str):
        raise unreadable(path, where, "sha256 is no text or seconds is no number")
    texts: dict[int, list[str]] = {}
    for statement, text in prints:  # in the first layout, one entry per line
        texts.setdefault(statement, []).append(text)
    printed = tuple(Printed(statement, "\n".join(lines)) for statement, lines in texts.items())
    return Entry(content["sha256"], printed, seconds, attempts, date)


def write(record: Record, folder: Path) -> Path:
    """Write `record` whole or not at all, and return its path."""
    entries = {
        name: {
            "sha256": entry.sha256,
            "prints": [[printed.statement, printed.text] for printed in entry.prints],
        }
        | ({} if entry.seconds is None else {"seconds": round(entry.seconds, 3)})
        | ({"attempts": entry.attempts} if entry.attempts > 1 else {})
        | ({"date": entry.date} if entry.date else {})
        for name, entry in record.entries.items()
    }
    return write_file(folder, record.environment, "snippets", entries)


def write_file(
    folder: Path, environment: Environment, part: str, entries: dict[str, dict[str, Any]]
) -> Path:
    """Write a record's file whole or not at all, with the entries by name under `part`."""
    path = path_of(environment.id, folder)
    content = {
        "schema": SCHEMA,
        "environment": digest.sealed(environment.id, asdict(environment)),
        part: {name: digest.sealed(environment.id, entries[name]) for name in sorted(entries)},
    }
    folder.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".json.new")
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)
    return path


def same_versions(one: Environment, other: Environment) -> bool:
    """Whether both are one machine with one set of versions, if perhaps on different days."""
    return replace(one, date="") == replace(other, date="")


def merge(old: Record | None, new: Record, snippets: Container[str]) -> Record:
    """`new` plus what `old` knows of `snippets` that did not run, or failed, this time.

    Old entries stay only where the versions are the same: a file names one environment. Each entry
    keeps its day, and the record the day that it had while some entry is of that day.
    """
    if old is None or not same_versions(old.environment, new.environment):
        return new
    kept = {name: old for name in old.entries if name in snippets} | {n: new for n in new.entries}
    days = {name: record.machine(name).date for name, record in kept.items()}
    stays = not days or old.environment.date in days.values()
    day = old.environment.date if stays else new.environment.date
    entries = {
        name: replace(record.entries[name], date="" if days[name] == day else days[name])
        for name, record in kept.items()
    }
    return Record(replace(new.environment, date=day), entries)
