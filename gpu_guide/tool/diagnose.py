"""`gpu-guide diagnose`: the cause that a text names, or that a program ends with."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

from gpu_guide.data.diagnosis import Knowledge, load_diagnosis
from gpu_guide.data.errors import Message, load_errors
from gpu_guide.diagnosis.engine import Verdict, diagnose
from gpu_guide.diagnosis.understood import to_paste, understood
from gpu_guide.dry_run.words import Words
from gpu_guide.project import HERE
from gpu_guide.render.words import Words as SiteWords
from gpu_guide.tool.words import why_of

STATUS = {"healthy": 0, "fault": 1, "remark": 2, "unknown": 2}
"""The exit status of each verdict."""
NO_PROGRAM = 127
"""What a shell says of a program that is not there."""
MOST_LINES = 2000
"""Of what a program writes, the last ones are kept."""
_SHELL = {-6: "Aborted", -7: "Bus error", -9: "Killed", -11: "Segmentation fault"}
"""What a shell writes of a program that a signal ended."""
_BEGINS = re.compile(r"^.*Traceback \(most recent call last\)", re.MULTILINE)
_CHAINED = re.compile(
    r"During handling of the above exception|The above exception was the direct cause"
)
_OF_LAUNCHER = "ChildFailedError"
"""What torchrun ends with, whose cause one of its processes has told before."""
_DOCTOR = "python doctor.py"


def run(options: argparse.Namespace, say: Words) -> int:
    """See `STATUS`; with `--run`, the exit status of the program."""
    if options.run_program is not None:
        if not options.run_program:
            print(say("no_program", command="gpu-guide diagnose --run"), file=sys.stderr)
            return options.not_done
        return _run_and_explain(options.run_program, options.json, say)
    text = _given(options.text, say)
    if text is None:
        return options.not_done
    found = _Diagnosis(say.language)
    verdict = found.of(text)
    told = found.as_json(verdict) if options.json else "\n".join(found.lines(verdict))
    print(told)
    return STATUS[verdict.kind]


def _given(words: Sequence[str], say: Words) -> str | None:
    """The text: of a file, of the words themselves, or of standard input."""
    if words and words != ["-"]:
        try:
            content = Path(words[0]).read_bytes() if len(words) == 1 else None
        except (OSError, ValueError):  # no file: the message itself
            content = None
        # One word that looks like the name of a file, and is none, is a mistake.
        if content is None and len(words) == 1 and re.fullmatch(r"[\w./\\:~-]+\.\w{2,4}", words[0]):
            print(say("no_such_file", file=words[0]), file=sys.stderr)
            return None
        return " ".join(words) if content is None else content.decode("utf-8", "replace")
    if sys.stdin.isatty():
        end = "Ctrl-Z, Enter" if sys.platform == "win32" else "Ctrl-D"
        print(say("paste_here", end=end), file=sys.stderr)
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _run_and_explain(command: Sequence[str], as_json: bool, say: Words) -> int:
    """Run a program, its standard error being seen and kept, and explain how it ended."""
    try:
        # A program reads what we print: what the reader's program prints goes aside.
        output = sys.stderr.fileno() if as_json else None
        process = subprocess.Popen(list(command), stdout=output, stderr=subprocess.PIPE)
    except OSError as error:
        why = why_of(error, say.language)
        print(say("cannot_run", program=command[0], why=why), file=sys.stderr)
        return NO_PROGRAM
    kept: deque[bytes] = deque(maxlen=MOST_LINES)
    try:
        _show_and_keep(process, kept)
        status = process.wait()
    except KeyboardInterrupt:  # the program got it as we did
        process.wait()
        return 130
    if status == 0:
        return 0
    text = b"".join(kept).decode("utf-8", "replace")
    if status in _SHELL:
        text += f"\n{_SHELL[status]}\n"
    found = _Diagnosis(say.language)
    verdict = found.of(last_error(text))
    if verdict.kind == "unknown":
        verdict = found.of(text)
    if as_json:
        print(found.as_json(verdict))
    else:
        print("\n".join(["", say("ended", status=status), *found.lines(verdict)]), file=sys.stderr)
    return status if status > 0 else 128 - status


def _show_and_keep(process: subprocess.Popen[bytes], kept: deque[bytes]) -> None:
    assert process.stderr is not None
    rest = b""
    while block := process.stderr.read1(65536):
        sys.stderr.buffer.write(block)
        sys.stderr.buffer.flush()
        *lines, rest = (rest + block).splitlines(keepends=True)
        if rest.endswith(b"\n"):
            lines, rest = [*lines, rest], b""
        kept.extend(lines)
    kept.append(rest)


def last_error(text: str) -> str:
    """The traceback that a program ends with, those that led to it, and what follows; all of the
    text where it has none, or where the last one is torchrun's."""
    starts = [found.start() for found in _BEGINS.finditer(text)]
    if not starts or _OF_LAUNCHER in text[starts[-1] :]:
        return text
    at = len(starts) - 1
    while at and _CHAINED.search(text, starts[at - 1], starts[at]):
        at -= 1
    return text[starts[at] :]


class _Diagnosis:
    """The rules and their words, in one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.known: Knowledge = load_diagnosis(HERE)
        self.messages: Mapping[str, Message] = load_errors(HERE)
        self.say = SiteWords(language)

    def of(self, text: str) -> Verdict:
        return diagnose(text, self.known, self.messages)

    def _about(self, id: str) -> tuple[str, str, str]:
        """What a finding means, what to do, and where that is explained."""
        for one in (*self.known.causes, *self.messages.values()):
            if one.id == id:
                return one.means[self.language], one.fix[self.language], one.page
        return self.say("verdict_doctor"), "", "check/doctor#diagnoses"

    def _run(self, verdict: Verdict) -> list[str]:
        """The commands to run next; for our own doctor, the one that is there already."""
        causes = {cause.id: cause for cause in self.known.causes}
        id = verdict.main.id if verdict.main else ""
        commands = verdict.reading.next or (causes[id].run if id in causes else ())
        return [one.replace(_DOCTOR, "gpu-guide doctor") for one in commands]

    def _notes(self, verdict: Verdict) -> list[str]:
        texts = {note.id: note.text[self.language] for note in self.known.notes}
        return [texts[note.id] for note in verdict.notes]

    def lines(self, verdict: Verdict) -> Iterator[str]:
        """The verdict for a terminal."""
        say = self.say
        heading = say(f"verdict_{verdict.kind}")
        if verdict.main is None:
            yield heading
            yield say("verdict_unsure")
            for name, value in understood(verdict.reading):
                yield f"  {say(f'verdict_of_{name}')}: {value}"
            for command in to_paste(verdict.reading):
                yield f"  $ {command}"
        else:
            means, fix, page = self._about(verdict.main.id)
            yield f"{heading}: {verdict.main.id}"
            yield indent(_plain(means), "  ")
            yield ""
            yield say("verdict_lines")
            for number in verdict.main.lines:
                yield f"  {verdict.reading.lines[number][:200]}"
            if fix:
                yield ""
                yield say("verdict_todo")
                yield indent(_plain(fix), "  ")
            if commands := self._run(verdict):
                yield ""
                yield say("verdict_next")
                yield from (f"  $ {command}" for command in commands)
            yield ""
            yield say("verdict_more") + page
        if verdict.others:
            yield f"{say('verdict_also')}: " + ", ".join(one.id for one in verdict.others)
        for note in self._notes(verdict):
            yield f"{say('verdict_notes')}: {_plain(note)}"

    def as_json(self, verdict: Verdict) -> str:
        """The verdict for programs."""
        cause: dict[str, Any] | None = None
        if verdict.main:
            means, fix, page = self._about(verdict.main.id)
            lines = [verdict.reading.lines[number] for number in verdict.main.lines]
            cause = {"id": verdict.main.id, "means": means, "fix": fix, "page": page}
            cause |= {"lines": lines}
        told = {
            "kind": verdict.kind,
            "language": self.language,
            "cause": cause,
            "run": self._run(verdict),
            "also": [one.id for one in verdict.others],
            "notes": self._notes(verdict),
            "understood": dict(understood(verdict.reading)),
            "paste": to_paste(verdict.reading) if verdict.main is None else [],
        }
        return json.dumps(told, ensure_ascii=False, indent=2)


def _plain(text: str) -> str:
    """Without the marks of Markdown."""
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
