"""Commands that start a downloaded snippet, on Linux and on Windows.

Where a browser leaves a download is said once, in install/uv/#downloads, to which each snippet
leads.
"""

from __future__ import annotations

from markupsafe import Markup

from gpu_guide.render.template import fill
from gpu_guide.render.words import Words
from gpu_guide.snippets.model import Snippet
from gpu_guide.snippets.script import gets_metadata


def how_to_run(snippet: Snippet, say: Words) -> Markup:
    """The folded part next to the download."""
    file, alone = snippet.path.name, gets_metadata(snippet.source)
    return fill(
        "how_to_run.html",
        say=say,
        file=file,
        linux=f"cd ~/Downloads && {on_linux(snippet)}",
        windows=f"cd ~\\Downloads; {started(snippet)}" if on_windows(snippet) else "",
        in_wsl=not snippet.needs.no_wddm,
        installed=f"python {file}" if alone and snippet.needs.kind != "torchrun" else "",
    )


def started(snippet: Snippet) -> str:
    """The command that starts the file in the folder that it is in.

    uv makes an environment with what the file says that it needs. torchrun does not read that, so
    uv is handed the file twice; a file that looks at the environment in which it runs gets none.
    """
    file = snippet.path.name
    if not gets_metadata(snippet.source):
        return f"python {file}"
    if snippet.needs.kind == "torchrun":
        return f"uv run --with-requirements {file} {torchrun(snippet)}"
    return f"uv run {file}"


def torchrun(snippet: Snippet) -> str:
    """How torchrun starts the file, in an environment that has what it needs."""
    return f"torchrun --nproc-per-node={snippet.needs.count} {snippet.path.name}"


def on_linux(snippet: Snippet) -> str:
    """The same on Linux, where `python` alone is often not there."""
    command = started(snippet)
    return command.replace("python ", "python3 ", 1) if command.startswith("python ") else command


def on_windows(snippet: Snippet) -> bool:
    """Whether it runs on Windows itself, for which PyPI has no Triton, and where torchrun does not
    start (multi-gpu/nccl#other-backend)."""
    needs = snippet.needs
    return not (needs.linux or needs.triton or needs.no_wddm or needs.kind == "torchrun")
