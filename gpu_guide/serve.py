"""Serve the guide on this machine, built anew whenever a file of it is saved."""

from __future__ import annotations

import itertools
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path

from mkdocs.livereload import LiveReloadServer

from gpu_guide import ROOT
from gpu_guide.site import SiteError, build

# gpu_guide/ itself but not its __pycache__, which every rebuild writes.
_WATCHED = {
    "docs": True,
    "snippets": True,
    "labs": True,
    "theme": True,
    "data": True,
    "records": True,
    "gpu_guide": False,
    "mkdocs.yml": False,
    "mkdocs.en.yml": False,
    "constraints.txt": False,
}


def serve(host: str = "127.0.0.1", port: int = 8000, *, root: Path = ROOT) -> None:
    """Build both languages, serve them at http://host:port and rebuild on save, until Ctrl-C.

    A rebuild that fails prints why and leaves the last good site up. Raises SiteError if the port
    is taken or the first build fails.
    """
    url = f"http://{host}:{port}"
    _check_port(host, port)
    with tempfile.TemporaryDirectory(prefix="gpu-guide-") as scratch:
        versions = Versions(Path(scratch), url, root)
        versions.build()
        server = LiveReloadServer(
            builder=lambda: rebuild(versions, server),
            host=host,
            port=port,
            root=str(versions.current),
        )
        server.error_handler = lambda code: versions.error_page(code)
        for name, recursive in _WATCHED.items():
            if (root / name).exists():
                server.watch(str(root / name), recursive=recursive)
        print(f"\n  {url}   (Ctrl-C ends it)\n", flush=True)
        try:
            server.serve()
        except KeyboardInterrupt:
            print()
        finally:
            server.shutdown()


def _check_port(host: str, port: int) -> None:
    """Raise SiteError if `port` of `host` cannot be had: before the build, not after it."""
    with socket.socket() as probe:
        if sys.platform != "win32":  # there, this option would let two servers share a port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise SiteError(
                f"port {port} of {host} cannot be used ({error.strerror}) — end what holds it, "
                f"or choose another: --port {port + 1}"
            ) from error


class Versions:
    """The site as it was built last, in a folder of its own; the one before stays for a while."""

    def __init__(self, scratch: Path, url: str, root: Path) -> None:
        self.current = self._outdated = scratch / "none"
        self._scratch, self._url, self._root = scratch, url, root
        self._numbers = itertools.count(1)

    def build(self) -> None:
        """Build the next version and make it the current one. Raises SiteError, changing nothing.

        A warning is printed and does not keep the page from being looked at: whoever writes a page
        links to ones that are yet to be written.
        """
        start = time.perf_counter()
        new = self._scratch / str(next(self._numbers))
        for warning in build(new, self._url, strict=False, root=self._root):
            print(warning, file=sys.stderr)
        # The server still reads the version that it had until it is told of the new one.
        shutil.rmtree(self._outdated, ignore_errors=True)
        self._outdated, self.current = self.current, new
        print(f"Built both languages in {time.perf_counter() - start:.1f} s.", flush=True)

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
    except SiteError as error:
        print(f"{error}\nThe last good version is still being served.", file=sys.stderr, flush=True)
    server.root = str(versions.current)
