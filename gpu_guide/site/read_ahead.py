"""What the builds of all languages need, read before the processes part that do them."""

from __future__ import annotations

import contextlib
import logging
from importlib import import_module

from gpu_guide.data.errors import load_errors
from gpu_guide.pages import twins
from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.render.api_list import users_of_names
from gpu_guide.render.loaded import loaded
from gpu_guide.snippets.model import load_snippets
from gpu_guide.snippets.script import gets_metadata

_MODULES = ("mkdocs.commands.build", "mkdocs_jupyter.plugin", "material.plugins.search.plugin")


def read_ahead(project: Project) -> None:
    """Import the modules and read the files that each build would otherwise import and read for
    itself.

    What is wrong with a file is left for the build to say.
    """
    for module in (*_MODULES, "gpu_guide.site.plugin"):
        import_module(module)
    jieba = import_module("jieba")
    jieba.setLogLevel(logging.WARNING)  # else it tells how long that took
    jieba.initialize()
    with contextlib.suppress(GuideError):
        twins.stale(project)
        for snippet in loaded(load_snippets, project, project.snippets).values():
            _ = snippet.sha256  # which the snippet keeps
            gets_metadata(snippet.source)
        loaded(load_errors, project, project.errors)
        loaded(users_of_names, project, project.snippets)
