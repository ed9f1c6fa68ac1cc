"""Typed access to `data/expected.yml`: how pages say what no GPU has shown yet."""

from __future__ import annotations

import re

import yaml

from gpu_guide import fast_yaml
from gpu_guide.problems import fault
from gpu_guide.project import Project


def load_expected(project: Project) -> dict[str, re.Pattern[str]]:
    """By language a pattern that finds such words. Raises GuideError."""
    path = project.expected
    try:
        content = fast_yaml.load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise fault(path, line, "not YAML", "correct the syntax") from None
    found = {}
    for language in project.languages:
        words = content.get(language) if isinstance(content, dict) else None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            what = f"{language}: not a list of regular expressions"
            raise fault(path, None, what, f"write '{language}: [expected to]'")
        try:
            found[language] = re.compile("|".join(words) or "(?!)")
        except re.error as error:
            raise fault(path, None, f"{language}: {error}", "write regular expressions") from None
    return found
