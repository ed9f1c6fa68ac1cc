"""A fence `glossary` with the name of a topic becomes its terms, each with an anchor of its own.

Each term is given in the page's language, with the other language's word and what it means.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpu_guide.data.entries import Term, load_glossary
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.words import Words


class Glossary:
    """`Glossary(project, say)(topic)`: the explained terms of a topic. Raises GuideError."""

    def __init__(self, project: Project, say: Words) -> None:
        self.project, self.say = project, say

    def __call__(self, topic: str) -> str:
        terms = loaded(load_glossary, self.project, self.project.glossary)
        explained = [term for term in terms if term.explain]
        chosen = [term for term in explained if term.topic == topic]
        if not chosen:
            topics = list(dict.fromkeys(term.topic for term in explained))
            remedy = did_you_mean(topic, topics)
            raise fault(None, None, f"no topic {topic!r} in data/glossary.yml", remedy)
        chosen.sort(key=lambda term: self._word(term, self.say.language).lower())
        return "\n".join(line for term in chosen for line in self._lines(term))

    def _lines(self, term: Term) -> Iterator[str]:
        say, other = self.say, self.project.other_than(self.say.language)
        here, there = self._word(term, say.language), self._word(term, other)
        beside = "" if here == there else f' <span lang="{other}">{there}</span>'
        yield f"{here}{beside} {{ #{term.id} }}"
        yield f":   {term.explain[say.language]}\n"

    def _word(self, term: Term, language: str) -> str:
        return str(getattr(term, language))
