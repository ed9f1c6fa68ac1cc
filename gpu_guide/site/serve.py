"""Serve the guide on this machine, built anew whenever a file of it is saved."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path

from mkdocs.livereload import LiveReloadServer

from gpu_guide.pages import twins as freshness
from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.site.build import Workers, build


def serve(project: Project, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Build both languages, serve them at http://host:port and rebuild on save, until Ctrl-C.

    A rebuild that fails prints why and leaves the last good site up. Raises GuideError if the port
    is taken or the first build fails.
    """
    url = f"http://{host}:{port}"
    _check_port(host, port)
    with tempfile.TemporaryDirectory(prefix="gpu-guide-") as scratch:
        versions = Versions(Path(scratch), url, project)
        versions.build()
        server = LiveReloadServer(
            builder=lambda: rebuild(versions, server),
            host=host,
            port=port,
            root=str(versions.current),
        )
        server.error_handler = lambda code: versions.error_page(code)
        for path, recursive in watched(project):
            server.watch(str(path), recursive=recursive)
        print(f"\n  {url}   (Ctrl-C ends it)\n", flush=True)
        try:
            server.serve()
        except KeyboardInterrupt:
            print()
        finally:
            server.shutdown()
            versions.close()


def watched(project: Project) -> list[tuple[Path, bool]]:
    """What makes a build outdated when it changes: a path, and whether what is below it counts.

    The packages one by one, without `__pycache__`, which every build writes.
    """
    code = project.package
    packages = sorted({path.parent for path in code.rglob("*.py")})
    templates = sorted(code.rglob("templates"))
    tops = [*project.sources, *project.configs.values(), project.constraints, *templates]
    whole = [(path, True) for path in tops if path.exists()]
    return [*whole, *((package, False) for package in packages)]


def _check_port(host: str, port: int) -> None:
    """Raise GuideError if `port` of `host` cannot be had: before the build, not after it."""
    with socket.socket() as probe:
        if sys.platform != "win32":  # there, this option would let two servers share a port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            what = f"port {port} of {host} cannot be used ({error.strerror})"
            remedy = f"end what holds it, or choose another: --port {port + 1}"
            raise fault(None, None, what, remedy) from error


_State = tuple[list[str], list[tuple[str, int, int]]]
"""The stale pages of a language, and the files that its pages are made of."""


def _states(project: Project) -> dict[str, _State]:
    """What a build of each language is made of. Raises GuideError for a page that is none."""
    docs = project.docs
    stale = freshness.stale(project)
    for code in project.languages:  # a notice stands in the place of what is missing here
        alone = [*freshness.unwritten(project, code).items()]
        stale[code] += [f"{address} {freshness.text_hash(page)}" for address, page in alone]
    files: list[Path] = []
    for path, recursive in watched(project):
        files += [path] if path.is_file() else path.glob("**/*" if recursive else "*.py")
    files = [file for file in files if file.is_file()]
    stamps = [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in sorted(files)]
    others = {code: str(docs / code) + os.sep for code in project.languages}
    return {
        language: (
            stale[language],
            [
                stamp
                for stamp in stamps
                if not any(stamp[0].startswith(o) for c, o in others.items() if c != language)
            ],
        )
        for language in project.languages
    }


def _fixed(project: Project) -> list[tuple[str, int, int]]:
    """The state of all that a process which builds reads once: of all but pages and snippets."""
    tops = [
        (path, deep)
        for path, deep in watched(project)
        if path not in (project.docs, project.snippets)
    ]
    files = [f for path, deep in tops for f in ([path], path.glob("**/*" if deep else "*.py"))]
    found = sorted(file for group in files for file in group if file.is_file())
    return [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in found]


class Versions:
    """The site as it was built last, in a folder of its own; the one before stays for a while."""

    def __init__(self, scratch: Path, url: str, project: Project) -> None:
        self.current = self._outdated = scratch / "none"
        self._scratch, self._url, self._project = scratch, url, project
        self._numbers = itertools.count(1)
        self._built: dict[str, _State] = {}
        self._workers, self._made_of = Workers(), _fixed(project)

    def build(self) -> None:
        """Build the next version and make it the current one. Raises GuideError, changing nothing.

        Only the languages are built whose pages, or whose notices that the other half has changed,
        are others than before; both if anything else is. A warning is printed and does not keep
        the page from being looked at: whoever writes a page links to ones that are yet to be
        written.
        """
        start = time.perf_counter()
        new = self._scratch / str(next(self._numbers))
        states = _states(self._project)
        unchanged = {
            language: self.current / language
            for language, state in states.items()
            if self._built.get(language) == state
        }
        if len(unchanged) == len(states):
            return
        for warning in build(
            self._project,
            new,
            self._url,
            strict=False,
            unchanged=unchanged,
            workers=self._warm(),
        ):
            print(warning, file=sys.stderr)
        self._built = states
        # The server still reads the version that it had until it is told of the new one.
        shutil.rmtree(self._outdated, ignore_errors=True)
        self._outdated, self.current = self.current, new
        built = " and ".join(language for language in states if language not in unchanged)
        print(f"Built {built} in {time.perf_counter() - start:.1f} s.", flush=True)

    def close(self) -> None:
        """End the processes that build."""
        self._workers.close()

    def _warm(self) -> Workers:
        """The processes that built before, or new ones if they may know what is no longer so."""
        if self._made_of != (now := _fixed(self._project)):
            self._workers.close()
            self._workers, self._made_of = Workers(), now
        return self._workers

    def error_page(self, code: int) -> bytes | None:
        """The page for an HTTP error, or None where the site has none."""
        page = self.current / f"{code}.html"
        return page.read_bytes() if page.is_file() else None


def rebuild(versions: Versions, server: LiveReloadServer) -> None:
    """Build again and serve the result; if it fails, print why and go on serving what there is.

    Raises nothing: the server would hold back every request after an exception.
    """
    try:
        versions.build()
    except GuideError as error:
        print(f"{error}\nThe last good version is still being served.", file=sys.stderr, flush=True)
    server.root = str(versions.current)
