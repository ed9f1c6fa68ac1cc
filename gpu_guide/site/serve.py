"""Serve the guide on this machine, and rebuild it whenever a file is saved."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from mkdocs.livereload import LiveReloadServer

from gpu_guide.data.plots import load_plots
from gpu_guide.pages import translations as freshness
from gpu_guide.pages.page import load_pages
from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.render.file_cache import loaded
from gpu_guide.site.build import Workers, build, copy_snippets
from gpu_guide.snippets.model import parse

_POLLING_SECONDS = 0.2
"""Between two looks at the files. A look takes 7 ms."""


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
            polling_interval=_POLLING_SECONDS,
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


_Stamp = tuple[str, int, int]
_State = tuple[list[str], list[_Stamp], list[tuple[object, ...]]]
"""The stale pages of a language, the files that its pages are made of, and its snippets."""


def _stamps(project: Project) -> dict[Path, _Stamp]:
    """The state of each file that is watched."""
    files: list[Path] = []
    for path, recursive in watched(project):
        files += [path] if path.is_file() else path.glob("**/*" if recursive else "*.py")
    found = {file: file.stat() for file in sorted(files) if file.is_file()}
    return {file: (str(file), stat.st_mtime_ns, stat.st_size) for file, stat in found.items()}


def _states(project: Project, stamps: Mapping[Path, _Stamp]) -> dict[str, _State]:
    """What a build of each language is made of. Raises GuideError for a page that is none."""
    docs = project.docs
    stale = freshness.stale(project)
    for code in project.languages:  # a notice stands in the place of what is missing here
        alone = [*freshness.unwritten(project, code).items()]
        stale[code] += [f"{address} {freshness.text_hash(page)}" for address, page in alone]
    others = {code: docs / code for code in project.languages}
    others[""] = project.snippets  # of which a language is made as far as it shows them
    return {
        language: (
            stale[language],
            [
                stamp
                for file, stamp in stamps.items()
                if not any(file.is_relative_to(o) for c, o in others.items() if c != language)
            ],
            [
                _as_shown(project, name, language, stamps)
                for name in sorted(_named(project, language))
            ],
        )
        for language in project.languages
    }


def _named(project: Project, language: str) -> set[str]:
    """The snippets that pages in the language show, and those of all plots."""
    pages = load_pages(project)[0][language].values()
    named = {use.name for page in pages for use in page.snippets}
    with contextlib.suppress(GuideError):  # which the build tells
        named |= {plot.snippet for plot in loaded(load_plots, project, project.plots).values()}
    return named


def _as_shown(
    project: Project, name: str, language: str, stamps: Mapping[Path, _Stamp]
) -> tuple[object, ...]:
    """What a page in the language shows of a snippet; of a malformed one, which file it is."""
    file = project.snippets / f"{name}.py"
    if file not in stamps:
        return (name,)
    try:
        it = parse(file, project)
    except GuideError:
        return stamps[file]
    return name, it.title[language], it.code(language), it.sha256, it.simulated, it.measures


class Versions:
    """The site as it was built last, in a folder of its own; the one before stays for a while."""

    def __init__(self, scratch: Path, url: str, project: Project) -> None:
        self.current = self._outdated = scratch / "none"
        self._scratch, self._url, self._project = scratch, url, project
        self._numbers = itertools.count(1)
        self._built: dict[str, _State] = {}
        self._workers = Workers()
        self._stamps: dict[Path, _Stamp] = {}

    def build(self) -> None:
        """Build the next version and make it the current one. Raises GuideError, changing nothing.

        Only the languages are built whose pages, or whose notices that the other half has changed,
        are others than before, or show a snippet otherwise; all if anything else has changed. A
        warning is printed and does not keep the page from being looked at: an author links to pages
        that are yet to be written.
        """
        start = time.perf_counter()
        stamps = _stamps(self._project)
        states = _states(self._project, stamps)
        unchanged = {
            language: self.current / language
            for language, state in states.items()
            if self._built.get(language) == state
        }
        if len(unchanged) == len(states):
            self._copy_snippets(stamps)
            return
        new = self._scratch / str(next(self._numbers))
        for warning in build(
            self._project,
            new,
            self._url,
            strict=False,
            unchanged=unchanged,
            workers=self._warm(stamps),
        ):
            print(warning, file=sys.stderr)
        self._built, self._stamps = states, stamps
        # The server still reads the version that it had until it is told of the new one.
        shutil.rmtree(self._outdated, ignore_errors=True)
        self._outdated, self.current = self.current, new
        built = " and ".join(language for language in states if language not in unchanged)
        print(f"Built {built} in {time.perf_counter() - start:.1f} s.", flush=True)

    def _copy_snippets(self, stamps: dict[Path, _Stamp]) -> None:
        """Take over snippets that have changed where no page shows it: they can be downloaded."""
        if stamps != self._stamps:
            copied = self.current / self._project.snippets.name
            shutil.rmtree(copied, ignore_errors=True)
            copy_snippets(self._project, copied)
            self._stamps = stamps

    def close(self) -> None:
        """End the processes that build."""
        self._workers.close()

    def _warm(self, stamps: Mapping[Path, _Stamp]) -> Workers:
        """The processes that built before, or new ones if they may know what is no longer so: they
        read pages and snippets again, and everything else once."""
        read_anew = (self._project.docs, self._project.snippets)

        def read_once(found: Mapping[Path, _Stamp]) -> set[_Stamp]:
            return {s for file, s in found.items() if not any(map(file.is_relative_to, read_anew))}

        if self._stamps and read_once(stamps) != read_once(self._stamps):
            self._workers.close()
            self._workers = Workers()
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
