"""One MkDocs build, of one language, and what it complained about."""

from __future__ import annotations

import logging
import os
import re
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

from gpu_guide.project import Project
from gpu_guide.render.file_cache import one_state

_BROKEN_LINK = re.compile(r"Doc file '(?P<page>[^']+)' contains .*?'(?P<link>[^']+)'")


@dataclass(frozen=True)
class Report:
    """What came of one language's build."""

    language: str
    site_root: str
    """The address of the folder that holds zh/ and en/."""
    problems: tuple[str, ...]
    """Warnings and errors, each with its page, and line, where MkDocs knows it."""
    failed: bool
    """Whether the build stopped, so that its output is not whole."""


class _Problems(logging.Handler):
    """Keeps what is logged as a warning or worse."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage().strip())


def build_language(language: str, project: Project, out: Path, site_url: str | None) -> Report:
    """Build the language's pages of the project into `out`.

    `site_url` is the address of the folder above both languages, in place of what mkdocs.yml says.
    To be called in a process of its own, for it sets the working directory and the environment for
    MkDocs; called again there, it knows what it has read of files that are still the same. Raises
    nothing that MkDocs raises: the report says it.
    """
    os.chdir(project.root)  # the search plugin looks for jieba's dictionary from here
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # the theme's notice, some forty lines at every build
    warnings.simplefilter(
        "ignore", SyntaxWarning
    )  # jieba's, when it is compiled for the first time
    caught = _Problems()
    logging.getLogger().addHandler(caught)

    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    site_root, failed = site_url or "", False
    try:
        config = load_config(config_file=str(project.configs[language]), site_dir=str(out))
        site_root = config.extra["site_root"] = site_url or config.extra["site_root"]
        config.plugins.on_startup(command="build", dirty=False)
        with one_state():
            build(config)
        config.plugins.on_shutdown()
    except (Exception, SystemExit) as error:  # MkDocs ends a build by a SystemExit of its own
        failed = True
        caught.messages.append(_describe(error, caught.messages))
    finally:
        logging.getLogger().removeHandler(caught)
    located = (locate(message, project.docs / language) for message in caught.messages if message)
    return Report(language, site_root, tuple(f"[{language}] {text}" for text in located), failed)


def _describe(error: BaseException, logged: list[str]) -> str:
    """The error's message, or "" if it is in the log; with a traceback if nobody raised it on
    purpose."""
    text = str(error)
    expected = type(error).__module__.partition(".")[0] in ("gpu_guide", "mkdocs")
    if not expected:
        return "".join(traceback.format_exception(error)).rstrip()
    return "" if any(text in message for message in logged) else text


def locate(message: str, docs: Path) -> str:
    """Begin `message` with file and line if it is MkDocs' complaint about a link of a page."""
    match = _BROKEN_LINK.search(message)
    if match is None:
        return message
    page = docs / match["page"]
    shown = f"{docs.parent.name}/{docs.name}/{match['page']}"
    if page.is_file():
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
            if match["link"] in line:
                return f"{shown}:{number}: {message}"
    return f"{shown}: {message}"
