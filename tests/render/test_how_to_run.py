"""What a page says of starting a download: it fits what the file needs and says in its head."""

from __future__ import annotations

import re
import shlex
from html import unescape
from pathlib import Path

from gpu_guide.project import HERE
from gpu_guide.render.how_to_run import how_to_run
from gpu_guide.render.words import Words
from gpu_guide.site.build import copy_snippets
from gpu_guide.snippets.model import load_snippets

SNIPPETS = load_snippets(HERE)


def commands(html: str) -> dict[str, str]:
    """By system, the command; by "installed", the one without uv."""
    rows = re.findall(r"<p>(.*?)</p>", html)
    found = {}
    for row in rows:
        code = re.search(r"<code>(.*?)</code>", row)
        if code:
            name = row.split(":")[0] if row.startswith(("Linux:", "Windows:")) else "installed"
            found[name] = unescape(code[1])
    return found


def test_each_command_starts_the_file_as_it_has_to_be(tmp_path: Path) -> None:
    copy_snippets(HERE, tmp_path)
    for name, snippet in SNIPPETS.items():
        starts_the_file(name, str(how_to_run(snippet, Words("en"))), tmp_path / f"{name}.py")


def starts_the_file(name: str, html: str, downloaded: Path) -> None:
    found, file = commands(html), downloaded.name
    copy = downloaded.read_text(encoding="utf-8")
    needs = re.search(r"^# needs: (.*)$", copy, re.MULTILINE)
    words = re.split(r", ", needs[1]) if needs else []
    folder, _, command = found["Linux"].partition(" && ")
    assert folder == "cd ~/Downloads"
    processes = [word.removeprefix("torchrun:") for word in words if word.startswith("torchrun:")]
    if "# /// script" not in copy:
        expected = ["python3", file]
    elif processes:
        # Twice: once as the list of packages, once as the program.
        expected = ["uv", "run", "--with-requirements", file]
        expected += ["torchrun", f"--nproc-per-node={processes[0]}", file]
    else:
        expected = ["uv", "run", file]
    assert shlex.split(command) == expected, name
    assert ("installed" in found) == (expected[:2] == ["uv", "run"] and not processes), name
    if processes or {"linux", "triton", "no-wddm"} & set(words):
        assert "Windows" not in found, name
        assert ("WSL2" in html) == ("no-wddm" not in words), name
    else:
        command = command.replace("python3", "python")
        assert found["Windows"] == f"cd ~\\Downloads; {command}"


def test_it_is_folded_named_and_left_out_of_the_search() -> None:
    snippet = SNIPPETS["check/devices"]
    for language, word in (("zh", "如何运行"), ("en", "How to run")):
        html = str(how_to_run(snippet, Words(language)))
        assert html.startswith('<details class="snippet__how" data-search-exclude><summary ')
        assert f'aria-label="{word} devices.py">{word}</summary>' in html
        assert 'href="%PAGES%/install/uv/#downloads"' in html
        page = HERE.docs / language / "install" / "uv.md"
        assert "{ #downloads }" in page.read_text(encoding="utf-8")
