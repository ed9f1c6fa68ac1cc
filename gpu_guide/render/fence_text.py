"""Fences of the guide as Markdown: code with what it printed and
where it ran, tables, and the words of pictures.

It is made of the same facts as the HTML, and not of the HTML, which would have to be coloured and
drawn for it. Only tables and notices, which are little, are read back from theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from gpu_guide.data.gpus import load_gpus
from gpu_guide.data.pictures import load_pictures
from gpu_guide.data.plots import load_plots
from gpu_guide.labs import notebook
from gpu_guide.labs.records import load_lab_records
from gpu_guide.project import Project
from gpu_guide.records.evidence import pinned_torch, runs
from gpu_guide.records.store import load_records
from gpu_guide.render import cells, plot, provenance, snippet
from gpu_guide.render.extension import of_data
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.html_text import markdown_of
from gpu_guide.render.words import Words
from gpu_guide.snippets.model import load_snippets


class FenceText:
    """`FenceText(project, say)(kind, body)`: the Markdown of a fence, in which `%PAGES%` and
    `%SNIPPETS%` stand for addresses as they do in HTML. For one build: it reads each file once.

    Raises KeyError for a name that is not there, with which the page itself is not built.
    """

    def __init__(self, project: Project, say: Words) -> None:
        self.project, self.say = project, say
        self._kinds: dict[str, Callable[..., str]] = {
            "snippet": self._snippet,
            "picture": self._picture,
            "plot": self._plot,
            "lab": self._lab,
            "cell": self._cell,
        }
        self._of_data = of_data(project, say)
        self._snippets = cache(lambda: loaded(load_snippets, project, project.snippets))
        self._records = cache(lambda: loaded(load_records, project, project.records))
        labs = project.lab_records
        self._lab_records = cache(lambda: loaded(load_lab_records, labs, labs))
        self._pictures = cache(lambda: loaded(load_pictures, project, project.pictures))
        self._plots = cache(lambda: loaded(load_plots, project, project.plots))
        self._torch = cache(lambda: loaded(pinned_torch, project.constraints, project.constraints))
        self._notebook = cache(self._read)

    def __contains__(self, kind: str) -> bool:
        return kind in self._kinds or kind in self._of_data

    def __call__(self, kind: str, body: Sequence[str]) -> str:
        if kind in self._kinds:
            return self._kinds[kind](*body)
        return markdown_of(self._of_data[kind](list(body), 1))

    def _snippet(self, name: str, option: str = "") -> str:
        found, say, records = self._snippets()[name], self.say, self._records()
        outputs = runs(found, records, self._torch())
        shown = [
            (provenance.label(run.origins, say), found.code(say.language, run.prints))
            for run in outputs
        ]
        title = found.title[say.language].rstrip(".。")
        file = f"[`{found.name}.py`](%SNIPPETS%/{found.name}.py)"
        said = snippet.evidence(found, outputs, say, records)
        return _joined(
            f"{file}{say('colon')}{title}",
            *self._code(shown, option),
            *_commands(snippet.command(found)),
            self._evidence(said),
        )

    def _code(self, shown: list[tuple[str, str]], option: str) -> Iterator[str]:
        """The code with its first output, then the outputs of others; as the option says."""
        if option == "show: download":
            return
        if option == "show: guess":
            yield fenced("python", snippet.without_outputs(shown[0][1]))
            printed = snippet.answers(shown)
        else:
            yield fenced("python", shown[0][1])
            printed = snippet.answers(shown)[1:] if len(shown) > 1 else []
        for label, text in printed:
            yield f"{label}{self.say('colon')}"
            yield fenced("text", text)

    def _evidence(self, said: Sequence[str]) -> str:
        return self.say("text_ran", where=markdown_of(" · ".join(said)))

    def _picture(self, name: str) -> str:
        texts = self._pictures()[name].texts[self.say.language]
        return self.say("text_picture", title=texts["title"], text=texts["text"])

    def _plot(self, name: str) -> str:
        found, say = self._plots()[name], self.say
        code = self._snippets()[found.snippet]
        parts = [f"**{found.words[say.language]['title']}**"]
        gpus = loaded(load_gpus, self.project, self.project.gpus) if found.has_peak else None
        for _, chart in plot.charts(found, code, self._records(), say, gpus):
            parts.append(_table(plot.heads(found, say), chart["rows"]))
            parts += [self._evidence(chart["claims"]), *chart["notes"]]
        return _joined(*parts) if len(parts) > 1 else _joined(*parts, plot.no_chart(code, say))

    def _read(self, name: str) -> notebook.Notebook:
        return notebook.read(notebook.path_of(self.project, self.say.language, name))

    def _lab(self, name: str) -> str:
        ran = cells.ran_on(self._notebook(name), self.say, self._lab_records(), self._torch())
        link = f"[{self.say('notebook')}](%PAGES%/labs/{name}.ipynb)"
        return _joined(link, self._evidence(ran))

    def _cell(self, place: str, *_: str) -> str:
        name, _, identity = place.partition("/")
        found = self._notebook(name)
        cell = notebook.code_cells(found)[identity]
        parts = [fenced("python", "".join(cell["source"]))]
        if solution := notebook.solutions(found).get(identity):
            parts += [f"{self.say('solution')}{self.say('colon')}"]
            parts += [fenced("python", solution["lines"])]
        shown = cells.shown(found, identity, self.say, self._lab_records())
        for label, outputs in shown:
            if [label for label, _ in shown] != ["CPU"]:
                parts.append(f"{label}{self.say('colon')}")
            parts += [self._output(output, cells.alternative(cell)) for output in outputs]
        return _joined(*parts)

    def _output(self, output: notebook.Output, alt: str) -> str:
        if output["output_type"] == "stream":
            return fenced("text", "".join(output["text"]))
        if "image/svg+xml" in output["data"]:
            return self.say("text_drawn", text=alt)
        return fenced("text", "".join(output["data"]["text/plain"]))


def fenced(language: str, text: str) -> str:
    """The text as a fence, longer than every row of backquotes in it."""
    marks = "```"
    while marks in text:
        marks += "`"
    return f"{marks}{language}\n{text.rstrip(chr(10))}\n{marks}"


def _commands(command: str) -> Iterator[str]:
    if command:
        yield fenced("bash", command)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _joined(*parts: str) -> str:
    return "\n\n".join(parts)
