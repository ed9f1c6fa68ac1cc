"""A fence `exercises` with the name of a page becomes that page's programs to mend, as Markdown.

Each is a heading with its task, the code, and folded: two hints, and the solution as a diff.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from posixpath import relpath
from textwrap import indent

from gpu_guide.exercises.source import Exercise, load_exercises
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.render.error_list import title_of
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.words import Words


class ExerciseList:
    """`ExerciseList(project, say)("exercises/move")`. Raises GuideError."""

    def __init__(self, project: Project, say: Words) -> None:
        self.project, self.say = project, say

    def __call__(self, page: str) -> str:
        exercises = loaded(load_exercises, self.project, self.project.exercises)
        chosen = [exercise for exercise in exercises.values() if exercise.page == page]
        if not chosen:
            pages = sorted({exercise.page for exercise in exercises.values()})
            remedy = did_you_mean(page, pages, "name one of exercises/order.yml")
            raise fault(None, None, f"no exercises of {page!r}", remedy)
        name = f"{page.rpartition('/')[2]}.ipynb"
        link = f'<a href="%EXERCISES%/{self.say.language}/{name}" download><code>{name}</code></a>'
        notebook = _small(self.say("exercise_notebook", file=link))
        lines = (line for exercise in chosen for line in self._lines(exercise))
        return "\n".join([notebook, *lines])

    def _lines(self, exercise: Exercise) -> Iterator[str]:
        say, words = self.say, exercise.start.words[self.say.language]
        file = f"{exercise.name}.py"
        yield f"## {words['title']} {{ #{anchor(exercise)} }}\n"
        yield f"{words['task']}\n"
        yield f"```python\n{exercise.program.read_text(encoding='utf-8').rstrip()}\n```\n"
        address = f"%EXERCISES%/{say.language}/{file}"
        download = f'<a href="{address}" download><code>{file}</code></a>'
        command = f"<code>gpu-guide learn check {Path(file).name}</code>"
        yield _small(say("exercise_check", file=download, command=command))
        for key in ("hint", "last_hint"):
            yield from self._folded(say(f"exercise_{key}"), words[key])
        page, _, section = exercise.start.section.partition("#")
        address = relpath(page, "exercises") + f".md#{section}"
        title = title_of(self.project, say.language, exercise.start.section)
        more = say("error_more", title=title, address=address)
        change = f"```diff\n{difference(exercise)}\n```"
        yield from self._folded(say("solution"), f"{change}\n\n{words['reason']}\n\n{more}")

    def _folded(self, title: str, text: str) -> Iterator[str]:
        yield f'??? note "{title}"\n\n{indent(text, "    ")}\n'


def _small(html: str) -> str:
    """A line as a block of HTML: in it no page is looked for, and no term linked."""
    return f"<p>\n<small>{html}</small>\n</p>\n"


def anchor(exercise: Exercise) -> str:
    """Its id on its page."""
    return exercise.name.partition("/")[2].replace("_", "-")


def difference(exercise: Exercise) -> str:
    """The lines that make the solution of the program, with what is around them."""
    before, after = (
        path.read_text(encoding="utf-8").splitlines()
        for path in (exercise.program, exercise.solution)
    )
    rows = list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]
    return "\n".join("…" if row.startswith("@@") else row for row in rows[1:])
