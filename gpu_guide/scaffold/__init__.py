"""`make new`: begin a page, an answer, a snippet or a lab, as the checks expect them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from gpu_guide import fast_yaml
from gpu_guide.data import addresses
from gpu_guide.pages import nav
from gpu_guide.pages.translations import mark_in_line
from gpu_guide.problems import fault
from gpu_guide.project import Project, about
from gpu_guide.snippets.model import Language

_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*(?:/[a-z0-9]+(?:[-_][a-z0-9]+)*)*$")
_TEXTS = Path(__file__).with_name("texts.yml")
_PAGE = """---
title: {title}
description: {description}
---

# {heading}

{answer}
"""
_LAB = """# minutes: 10
# colab: yes

# %% setup
import torch

accelerator = torch.accelerator.current_accelerator(check_available=True)
device = accelerator or torch.device("cpu")
print(device)
"""
_CODE = """
import torch

x = torch.arange(3)

print(x.tolist())
"""


def new_page(name: str, project: Project, say: Callable[[str], None] = print) -> None:
    """Write the page NAME in each language, in line, and name it in each navigation.

    They show the snippet of the same name where there is one. Raises GuideError, and then writes
    nothing.
    """
    snippet = _checked(name).replace("-", "_")
    shows = (project.snippets / f"{snippet}.py").is_file()
    fence = f"\n```snippet\n{snippet}\n```\n" if shows else ""
    navs = list(project.configs.values())
    for path in navs:
        nav.place(path, f"{name}.md")  # so that nothing is written where this fails
    files = {
        project.docs / language / f"{name}.md": _page(language, name) + fence
        for language in project.languages
    }
    _write(files, project, say)
    mark_in_line(project, f"{name}.md")
    for path in navs:
        line = nav.add(path, f"{name}.md")
        say(f"added to nav: {path.name}:{line}")
    _note_address(name, project, say)
    say("Write what says TODO: `make check` tells what is left.")


def new_snippet(name: str, project: Project, say: Callable[[str], None] = print) -> None:
    """Write snippets/NAME.py. Raises GuideError where it exists."""
    file = project.snippets / f"{_checked(name)}.py"
    titles = "\n\n".join(_texts(language)["shows"] for language in sorted(project.languages))
    _write({file: f'"""{titles}\n"""\n{_CODE}'}, project, say)
    say(f"Name it on a page in a fence:\n```snippet\n{name}\n```\n"
        "Run it, and have its output written, with "
        f"`make test ARGS='snippets/{name}.py --update-examples'`.")  # fmt: skip


def new_lab(name: str, project: Project, say: Callable[[str], None] = print) -> None:
    """Write labs/NAME.py and its texts. Raises GuideError, and then writes nothing."""
    if "/" in _checked(name):
        what = f"{name!r}: a lab has a name without a topic"
        raise fault(None, None, what, "write it like first-training")
    files = {project.labs / f"{name}.py": _LAB}
    for language in project.languages:
        path = project.lab_pages(language) / f"{name}.md"
        files[path] = f"{_page(language, name)}\n```cell\n{name}/setup\n```\n"
    _write(files, project, say)
    _note_address(f"labs/{name}", project, say)
    settings = " and ".join(path.name for path in project.configs.values())
    say(
        f"Write, run `make lab name={name}`, and add `labs/{name}.ipynb` to `nav` in {settings}, "
        "and to the tables of labs/index.md."
    )


def new_answer(name: str, project: Project, say: Callable[[str], None] = print) -> None:
    """Begin the answer TOPIC/ID as the last of docs/*/answers/TOPIC.md in each language, before
    the page's footnotes.

    Raises GuideError, and then writes nothing.
    """
    topic, _, anchor = _checked(name).partition("/")
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", anchor):
        remedy = "write topic/id, for example check/error-802"
        raise fault(None, None, f"{name!r}: not the name of an answer", remedy)
    files = {
        language: project.docs / language / "answers" / f"{topic}.md"
        for language in project.languages
    }
    for path in files.values():
        if not path.is_file():
            remedy = f"begin it: make new page=answers/{topic}"
            raise fault(path, None, "no such page of answers", remedy)
        if f"{{ #{anchor} }}" in path.read_text(encoding="utf-8"):
            raise fault(path, None, f"{anchor!r} is there already", "choose another id")
    for language, path in files.items():
        texts = _texts(language)
        question = texts["question"].format(name=name)
        answer = texts["remedy"].format(why="../index.md")
        text = path.read_text(encoding="utf-8").rstrip("\n") + "\n"
        notes = re.search(r"\n(?:\[\^[^\n]*\n)+\Z", text)
        before, after = (text[: notes.start()], notes[0]) if notes else (text, "")
        before += f"\n## {question} {{ #{anchor} }}\n\n{answer}\n"
        path.write_text(before + after, encoding="utf-8", newline="\n")
        line = before.count("\n") - 2
        say(f"asked: {path.relative_to(project.root).as_posix()}:{line}")
    say("Write what says TODO: `make check` tells what is left.")


NEW = {"page": new_page, "snippet": new_snippet, "lab": new_lab, "answer": new_answer}
"""What `make new` can begin."""


def _note_address(name: str, project: Project, say: Callable[[str], None]) -> None:
    path = project.addresses
    if path.is_file():
        say(f"noted its address: data/{path.name}:{addresses.note(path, name)}")


def _checked(name: str) -> str:
    if not _NAME.match(name):
        remedy = "write topic/name in lower case, for example check/devices"
        raise fault(None, None, f"{name!r}: not a name", remedy)
    return name


def _texts(language: Language) -> dict[str, str]:
    """What is to be written, in the words of a language that texts.yml has."""
    known = fast_yaml.load(_TEXTS.read_text(encoding="utf-8"))
    if language in known:
        return known[language]
    first = next(iter(known.values()))
    return {key: f"{text} ({about(language).name})" for key, text in first.items()}


def _page(language: Language, name: str) -> str:
    texts = _texts(language).items()
    filled = {key: text.format(name=name, why="../index.md") for key, text in texts}
    return _PAGE.format(**filled)


def _write(files: dict[Path, str], project: Project, say: Callable[[str], None]) -> None:
    there = [path for path in files if path.exists()]
    if there:
        raise fault(there[0], None, "exists already", "choose another name, or edit that file")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        say(f"wrote {path.relative_to(project.root).as_posix()}")
