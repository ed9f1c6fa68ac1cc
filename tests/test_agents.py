"""AGENTS.md: the paths that it names are there, its commands exist, and what it says of them."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import fields

from gpu_guide import ROOT
from gpu_guide.data.errors import Message
from gpu_guide.project import HERE
from gpu_guide.site import catalogue, for_programs
from gpu_guide.snippets.model import load_snippets
from gpu_guide.tool import main

TEXT = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
SITE = "https://e.org/"


def test_it_is_short():
    assert len(TEXT.encode()) < 3000


def test_paths_are_there():
    named = [name for name in re.findall(r"`([\w./-]+)`", TEXT) if "/" in name]
    named += re.findall(r"ARGS=\"?([\w/.]+)", TEXT)
    of_site = {"en/errors.json", "en/answers.json", "en/llms.txt"}
    assert of_site <= {*named}
    named = [name for name in named if name not in of_site]
    assert len(named) > 4 and [name for name in named if not (ROOT / name).exists()] == []
    pages = re.findall(r"page=([\w/]+)", TEXT)
    assert pages and all((HERE.docs / "en" / f"{page}.md").is_file() for page in pages)


def test_commands_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = re.findall(r"(?:^|`)make ([a-z-]+)", TEXT, re.MULTILINE)
    assert len(named) >= 5 and set(named) <= targets
    assert "ARGS" in makefile and "page" in makefile


def test_the_message_is_found_as_it_says(capfd):
    (command,) = re.findall(r"gpu-guide (diagnose .*)", TEXT)
    assert main.main(shlex.split(command)) == 1
    cause = json.loads(capfd.readouterr().out)["cause"]
    assert cause["id"] and cause["means"] and cause["fix"]
    keys = re.search(r"an entry: (.*?)\)", TEXT)[1]
    assert set(re.findall(r"`(\w+)`", keys)) <= {one.name for one in fields(Message)}


def test_the_places_where_code_ran_are_all_named():
    said = set(re.findall(r"`([a-z-]+)`", re.search(r"for each snippet: (.*)", TEXT)[1]))
    entries = json.loads(catalogue.written(HERE, SITE))["snippets"]
    found = {one["on"] for entry in entries for one in entry["verified"]}
    assert found == said
    assert "cuda" in {snippet.needs.kind for snippet in load_snippets(HERE).values()}
    assert {f"en/{name}.json" for name in for_programs.NAMES} < set(re.findall(r"`(.*?)`", TEXT))
