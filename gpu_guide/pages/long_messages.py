"""A message of `data/errors` says its cause in a sentence or two, and remedies as a short list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_guide.data.errors import load_errors
from gpu_guide.pages.chapters import words
from gpu_guide.problems import GuideError, Problem
from gpu_guide.project import Project, about

LONGEST = {
    "means": {"han": 80, "words": 60},
    "fix": {"han": 130, "words": 90},
    "confirm": {"han": 50, "words": 40},
}
"""The most that each part may have, of Chinese characters or of words; code does not count."""


def check(project: Project) -> Iterator[Problem]:
    """The messages that are too long."""
    try:
        messages = load_errors(project) if project.errors.is_dir() else {}
    except GuideError:
        return  # told where messages are read
    for message in messages.values():
        path = project.errors / f"{message.group}.yml"
        for part, most in LONGEST.items():
            for language, text in getattr(message, part).items():
                kind = "han" if about(language).han else "words"
                if (found := words(text, kind == "han")) > most[kind]:
                    begin = re.search(rf"(?m)^- id: {message.id}$", path.read_text("utf-8"))
                    line = path.read_text("utf-8").count("\n", 0, begin.start()) + 1 if begin else 1
                    what = f"{message.id}: {part}: {found} {kind}, at most {most[kind]}"
                    yield Problem(path, line, what, "move the rest to an answer, and link to it")
