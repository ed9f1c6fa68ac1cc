"""A verdict as lines for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from gpu_guide.data.diagnosis import Knowledge
from gpu_guide.data.errors import Message, together
from gpu_guide.diagnosis.engine import Finding, Verdict
from gpu_guide.diagnosis.understood import to_paste, understood


def report(
    verdict: Verdict, known: Knowledge, messages: Mapping[str, Message], language: str
) -> list[str]:
    """The verdict: the cause, what it means, the lines that name it, and what to run next."""
    if verdict.main is None:
        told = ["unknown: nothing in this text decides the cause"]
        told += [f"understood: {name}: {value}" for name, value in understood(verdict.reading)]
        told += [f"paste: {command}" for command in to_paste(verdict.reading)]
        return [*told, *(f"also: {finding.id}" for finding in verdict.others)]
    lines = [
        f"{verdict.kind}: {verdict.main.id}",
        *_about(verdict.main, known, messages, language),
        "",
    ]
    lines += [f"  {verdict.reading.lines[number][:200]}" for number in verdict.main.lines]
    causes = {cause.id: cause for cause in known.causes}
    run = verdict.reading.next or (
        list(causes[verdict.main.id].run) if verdict.main.id in causes else []
    )
    lines += ["", *(f"run: {command}" for command in run)] if run else []
    lines += [f"also: {finding.id}" for finding in verdict.others]
    texts = {note.id: note.text[language] for note in known.notes}
    return [*lines, *(f"note: {texts[note.id]}" for note in verdict.notes)]


def _about(
    finding: Finding, known: Knowledge, messages: Mapping[str, Message], language: str
) -> list[str]:
    for cause in (*known.causes, *messages.values()):
        if cause.id == finding.id:
            told = together(cause.means[language], cause.fix[language])
            return [*told.split("\n"), f"see {cause.page}"]
    return ["see check/doctor#diagnoses"]
