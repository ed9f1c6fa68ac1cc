"""Words that readers search for and that the pages do not use: data/search_aliases.yml has by place
what it is searched for, data/search_synonyms.yml words that mean the same, and data/questions.yml
what people ask."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from gpu_guide import fast_yaml
from gpu_guide.problems import fault
from gpu_guide.project import Project


def load_aliases(project: Project, language: str) -> dict[str, str]:
    """What each place of the language's site is searched for besides its own words. Raises
    GuideError."""
    path = project.search_aliases
    found = _of_language(path, language)
    if not isinstance(found, dict):
        remedy = "write lines such as 'install/windows/: words, more words'"
        raise fault(path, None, f"{language}: not places with their words", remedy)
    return {str(place): str(words) for place, words in found.items()}


def load_synonyms(project: Project, language: str) -> list[list[str]]:
    """Groups of words that mean the same in a search in the language, in lower case. Raises
    GuideError."""
    path = project.search_synonyms
    if not path.is_file():
        return []
    groups = _of_language(path, language)
    if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
        remedy = "write lines such as '- card, GPU'"
        raise fault(path, None, f"{language}: not groups of words", remedy)
    return [[word.strip().lower() for word in re.split("[,，]", group)] for group in groups]


def load_questions(project: Project, language: str) -> tuple[list[list[str]], dict[str, list[str]]]:
    """Groups of words that mean the same in a question, in lower case, and by place how it is asked
    for in this language. Raises GuideError."""
    path = project.questions
    if not path.is_file():
        return [], {}
    content = _read(path)
    remedy = "write what its first lines describe"
    try:
        same = [re.split("[,，] *", group) for group in content["same"][language]]
        asked = {str(one["place"]): list(one[language]) for one in content["questions"]}
    except (KeyError, TypeError) as error:
        raise fault(path, None, f"{error} is missing or no list", remedy) from None
    return [[word.strip().lower() for word in group] for group in same], asked


def _of_language(path: Path, language: str) -> Any:
    """Entries of the file below the language's key."""
    content = _read(path)
    if not isinstance(content, dict) or language not in content:
        remedy = f"write '{language}:' and below it what is of this language"
        raise fault(path, None, f"{language}: missing", remedy)
    return content[language]


def _read(path: Path) -> Any:
    try:
        content = fast_yaml.load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "unreadable"
        line = mark.line + 1 if mark else 1
        raise fault(path, line, f"not YAML: {problem}", "correct the syntax") from None
    return content
