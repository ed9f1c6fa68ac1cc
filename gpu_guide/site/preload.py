"""Preloading: reads what the builds of all languages need, before their processes are forked."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from gpu_guide.data.diagnosis import load_diagnosis
from gpu_guide.data.entries import load_glossary
from gpu_guide.data.errors import load_errors
from gpu_guide.data.gpus import load_gpus
from gpu_guide.data.wheels import load_wheels
from gpu_guide.pages import translations
from gpu_guide.pages.snippet_index import first_uses
from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.records.store import load_records
from gpu_guide.render.api_names import users_of_names
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.homes import homes
from gpu_guide.render.snippet import colour
from gpu_guide.render.term_links import term_words
from gpu_guide.snippets.model import load_snippets
from gpu_guide.snippets.script import gets_metadata

_READ: tuple[tuple[Callable[[Project], object], Callable[[Project], Path]], ...] = (
    (load_errors, lambda project: project.errors),
    (users_of_names, lambda project: project.snippets),
    (load_diagnosis, lambda project: project.data),
    (load_gpus, lambda project: project.data),
    (load_wheels, lambda project: project.wheels),
    (load_records, lambda project: project.records),
    (load_glossary, lambda project: project.glossary),
    (term_words, lambda project: project.glossary),
    (first_uses, lambda project: project.docs),
    (homes, lambda project: project.docs),
)
"""What reads files, and where they lie: as `loaded` is asked for it by the build."""
_MODULES = ("mkdocs.commands.build", "mkdocs_jupyter.plugin", "material.plugins.search.plugin")


def preload(project: Project) -> None:
    """Import the modules, read the files and colour the code that each build would otherwise
    import, read and colour for itself.

    What is wrong with a file, or missing, is left for the build to say.
    """
    for module in (*_MODULES, "gpu_guide.site.plugin"):
        import_module(module)
    jieba = import_module("jieba")
    jieba.setLogLevel(logging.WARNING)  # else it tells how long that took
    jieba.initialize()
    with contextlib.suppress(GuideError):
        translations.stale(project)
        for snippet in loaded(load_snippets, project, project.snippets).values():
            _ = snippet.sha256  # which the snippet keeps
            gets_metadata(snippet.source)
            colour(snippet.code(project.languages[0], ()))
    for read, path in _READ:
        with contextlib.suppress(GuideError, OSError):
            loaded(read, project, path(project))
