"""The words of the renderer: every language has all of them, and a missing one is told."""

from __future__ import annotations

import string

import pytest
from markupsafe import Markup

from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.render import words
from gpu_guide.render.words import WORDS, Words


def places(text: str | tuple[str, ...]) -> list[str]:
    """What is filled into the words, by name."""
    whole = text if isinstance(text, str) else "".join(text)
    return sorted(name for _, name, _, _ in string.Formatter().parse(whole) if name)


def test_each_language_of_the_guide_has_each_word_with_the_same_places() -> None:
    assert not list(words.missing(HERE.languages))
    first, *others = (WORDS[language] for language in HERE.languages)
    for other in others:
        for key, text in first.items():
            assert places(text) == places(other[key]), key
            assert isinstance(text, str) or len(text) == len(other[key]), key


def test_a_missing_word_names_file_language_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORDS, "de", {"run": "Ausführen: "})
    assert Words("de")("run") == "Ausführen: "
    says = r"gpu_guide/render/words/de\.yml: no word 'download' — add it, as in en\.yml and zh\.yml"
    with pytest.raises(GuideError, match=says):
        Words("de")("download", file="a.py")
    lacking = [str(problem) for problem in words.missing(["de"])]
    assert len(lacking) == len(WORDS["en"]) - 1 and not any("'run'" in one for one in lacking)


def test_words_around_html_are_html_and_others_stay_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORDS, "de", {"run": "<{what}>", "list_comma": " & "})
    say = Words("de")
    assert say("run", what="a<b") == "<a<b>" and not isinstance(say("run", what="a"), Markup)
    assert say("run", what=Markup("<b>")) == "&lt;<b>&gt;"
    assert say.listed(["a", Markup("<b>")]) == "a &amp; <b>"
