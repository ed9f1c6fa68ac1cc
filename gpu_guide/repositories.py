"""Public repositories at a commit: found on this machine or fetched, and laid out in a folder."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gpu_guide.environments import root, run_or_raise
from gpu_guide.problems import fault

MIRRORS = "PUBLIC_SCRIPTS"
"""The variable that names a folder of repositories, <owner>/<name>.git, for where no network is."""


def found(address: str, commit: str) -> Path | None:
    """A repository on this machine that has the commit."""
    name = "/".join(address.split("/")[-2:]) + ".git"
    folders = [Path(os.environ[MIRRORS])] if os.environ.get(MIRRORS) else []
    for folder in (*folders, root() / "public-scripts"):
        if (folder / name).is_dir() and not _git(folder / name, "cat-file", "-e", commit):
            return folder / name
    return None


def fetched(address: str, commit: str) -> Path:
    """The same, fetched where it is not there. Raises GuideError."""
    if there := found(address, commit):
        return there
    owner, name = address.split("/")[-2:]
    folder = root() / "public-scripts" / owner / f"{name}.git"
    at = ["git", "--git-dir", str(folder)]
    doing = f"fetching {address}"
    if not folder.is_dir():
        run_or_raise(["git", "init", "--quiet", "--bare", str(folder)], doing)
        run_or_raise([*at, "remote", "add", "origin", address], doing)
    # No files yet: a checkout fetches those that it needs.
    shallow = ["--quiet", "--depth", "1", "--filter=blob:none"]
    run_or_raise([*at, "fetch", *shallow, "origin", commit], doing)
    return folder


def check_out(source: Path, commit: str, files: Sequence[str], folder: Path) -> None:
    """Lay files of a commit into `folder`, and leave nothing in `source`. Raises GuideError."""
    with tempfile.TemporaryDirectory() as made:
        index = {"GIT_INDEX_FILE": str(Path(made, "index"))}
        tree = ("--work-tree", str(folder), "checkout", "--quiet", commit, "--")
        if why := _git(source, *tree, *files, **index):
            raise fault(source, None, f"{commit}: {why}", "see git's words")


def _git(folder: Path, *words: str, **variables: str) -> str:
    """What went wrong; "" for nothing."""
    command = ["git", "--git-dir", str(folder), *words]
    given = os.environ | variables
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    return done.stderr.strip() or "failed" if done.returncode else ""
