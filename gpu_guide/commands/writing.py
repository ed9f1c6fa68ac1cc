"""Commands for those who write pages, snippets and labs, and for the data below them."""

from __future__ import annotations

import argparse
import gc

from gpu_guide.commands import Add
from gpu_guide.project import HERE


def declare(add: Add) -> None:
    """Add them to the parser."""
    new = add("new", _new, "site", "begin a page or an answer, in both languages, or a snippet")
    new.add_argument("kind", choices=("page", "answer", "snippet", "lab"))
    new.add_argument("name", help="its topic and name, for example check/devices")
    add("check", _check, "check", "check pages and snippets without running any code")
    twin = add("twin", _twin, "site", "say that both languages of a page are in line")
    twin.add_argument("name", help="the page, for example check/devices")
    style = add("style", _style, "site", "how often pages say what a native seldom says")
    style.add_argument(
        "names", nargs="*", metavar="page", help="a page or a folder, such as check/devices; or all"
    )
    lab = add("lab", _lab, "test", "run labs and write their notebooks")
    lab.add_argument("names", nargs="*", metavar="name", help="for example first-training; or all")
    lab.add_argument("--again", action="store_true", help="run them even if no code changed")
    lab.add_argument("--record", action="store_true", help="record what this machine's GPU shows")
    add("wheels", _wheels, "site", "compare data/wheels.yml with what is published today")
    add("apis", _apis, "test", "write the public names of the installed torch to data/apis.yml")


def _new(options: argparse.Namespace) -> int:
    from gpu_guide.scaffold import NEW

    NEW[options.kind](options.name, HERE)
    return 0


def _check(options: argparse.Namespace) -> int:
    from gpu_guide.checks import check

    gc.disable()  # almost all that is read stays to the end: looking for garbage finds none
    report = check(HERE)
    print("\n".join(report.problems) or "No problems found.")
    if report.notices:
        print("\n".join(["", "To be known:", *report.notices]))
    return 1 if report.problems else 0


def _twin(options: argparse.Namespace) -> int:
    from gpu_guide.pages.translations import mark_in_line

    mark_in_line(HERE, f"{options.name}.md")
    return 0


def _style(options: argparse.Namespace) -> int:
    from gpu_guide.pages.style import rates

    for language in HERE.languages:
        print(language, *rates(HERE, language, options.names), sep="\n")
    return 0


def _lab(options: argparse.Namespace) -> int:
    from gpu_guide.labs.command import lab, record
    from gpu_guide.render.words import Words

    if options.record:
        return record(options.names, project=HERE, again=options.again)
    return lab(options.names, project=HERE, words=Words, again=options.again)


def _wheels(options: argparse.Namespace) -> int:
    from gpu_guide.data.published import differences

    found = differences(HERE)
    print("\n".join(map(str, found)) or "data/wheels.yml is what is published.")
    return 1 if found else 0


def _apis(options: argparse.Namespace) -> int:
    from gpu_guide.data.apis import write_names

    write_names(HERE)
    return 0
