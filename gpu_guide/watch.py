"""`make watch snippet=check/devices`: the tests of one snippet, whenever its file is saved."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project


def watch(name: str, project: Project, runs: int | None = None) -> int:
    """Run the tests of the snippet `name`, and again on each save, until Ctrl-C or so many `runs`.

    Returns the exit status of the last run. Raises GuideError for a snippet that is not there.
    """
    folder = project.snippets
    file = folder / f"{name.removeprefix('snippets/').removesuffix('.py')}.py"
    if not file.is_file():
        known = [
            path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.py")
        ]
        remedy = did_you_mean(name, known, f"begin it: `make new snippet={name}`")
        raise fault(None, None, f"no snippet {name!r}", remedy)
    saved = _Saved(file)
    observer = Observer()
    observer.schedule(saved, str(file.parent))
    observer.start()
    command = [sys.executable, "-m", "pytest", "-q", file.relative_to(project.root).as_posix()]
    try:
        while True:
            saved.forget()
            status = subprocess.run(
                command, cwd=project.root, env=os.environ, check=False
            ).returncode
            runs = None if runs is None else runs - 1
            if runs == 0:
                return status
            print(f"\n{name}: waiting for it to be saved (Ctrl-C ends it)", flush=True)
            saved.wait()
    except KeyboardInterrupt:
        return 130
    finally:
        observer.stop()
        observer.join()


class _Saved(FileSystemEventHandler):
    """Whether the content of a file is another than at the last look: a run may read it often."""

    def __init__(self, file: Path) -> None:
        self._file, self._seen = file, b""
        self._events: queue.Queue[None] = queue.Queue()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Something happened in the folder."""
        self._events.put(None)

    def forget(self) -> None:
        """What the file holds now is not news."""
        self._seen = self._content()

    def wait(self) -> None:
        """Return once the file holds something else; an editor may delete it for a moment."""
        while self._content() in (self._seen, b""):
            self._events.get()

    def _content(self) -> bytes:
        return self._file.read_bytes() if self._file.is_file() else b""
