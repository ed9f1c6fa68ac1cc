"""`make audit`: ten kinds of pages in both languages, measured by Lighthouse as on a slow phone.

Lighthouse loads the pages from a server on this machine that compresses as real ones do. What it
says of accessibility, best practices, search engines, bytes and requests is the same in each run;
its figures for speed are those of a simulated phone, of which the median of several runs counts.
How soon the search answers is measured on this machine, without slowing anything down.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.site.build import MARKER, build
from gpu_guide.site.chromium import ARGUMENTS, find_browser, launched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

KINDS = {
    "home": "",
    "start": "start/",
    "tables": "install/compatibility/",
    "guide": "check/not-available/",
    "pictures": "memory/",
    "plot": "speed/crossover/",
    "errors": "reference/errors/devices/",
    "glossary": "reference/glossary/",
    "lab": "labs/first-training/",
    "tool": "reference/diagnose/",
}
"""By kind of page, the page that is measured."""
LIGHTHOUSE = "12.8.2"
"""The newest that runs on Node.js 20; 13 asks for 22.19."""
WHOLE = ("accessibility", "best-practices", "seo")
"""What has to be 100 of 100."""
PERFORMANCE = 95
"""The least on an ordinary page. One with a program, or with more than so many bytes of HTML, is
measured and not judged by it, because laying it out takes a slow phone long."""
ORDINARY_BYTES = 60 * 1024
WITH_PROGRAM = frozenset({"tool"})
LCP_MS = 1800
BYTES = 80 * 1024
REQUESTS = 12
SEARCH_MS = 500
_INDEX = "/search/search_index.json"
_QUERY = "cuda"
"""Pages of every language have the word."""
_ASK = """async (query) => {
  const box = document.querySelector('.md-search__input');
  box.focus();
  box.value = query;
  box.dispatchEvent(new InputEvent('input', { bubbles: true }));
  const answered = () => document.querySelector('.md-search-result__item');
  while (!answered()) await new Promise(requestAnimationFrame);
  return performance.now() - performance.getEntriesByType('navigation')[0].loadEventEnd;
}"""


@dataclass(frozen=True)
class Run:
    """What Lighthouse says of a page, once. Scores are of 100, times in milliseconds."""

    scores: dict[str, int]
    lcp: float
    html: int
    """Bytes of the page itself, unpacked."""
    bytes: int
    """Of all that it loads, as sent, without the search index."""
    requests: int
    foreign: tuple[str, ...]
    """Addresses on other hosts that it asked for."""
    failed: tuple[str, ...]
    """The audits of `WHOLE` that are not passed, each with what it is about."""


def read(report: dict[str, Any]) -> Run:
    """What a report of Lighthouse says, as its JSON has it."""
    categories, audits = report["categories"], report["audits"]
    scores = {name: round(100 * (one["score"] or 0)) for name, one in categories.items()}
    asked = [
        one
        for one in audits["network-requests"]["details"]["items"]
        if urlsplit(one["url"]).scheme in ("http", "https")
    ]
    own = urlsplit(report["finalDisplayedUrl"]).netloc
    counted = [one for one in asked if not urlsplit(one["url"]).path.endswith(_INDEX)]
    wanted = {ref["id"] for name in WHOLE for ref in categories[name]["auditRefs"] if ref["weight"]}
    failed = [
        f"{id}: {audits[id]['title']}"
        for id in sorted(wanted)
        if audits[id]["score"] is not None and audits[id]["score"] < 1
    ]
    document = next(one for one in asked if one.get("resourceType") == "Document")
    return Run(
        scores=scores,
        lcp=audits["largest-contentful-paint"]["numericValue"],
        html=document["resourceSize"],
        bytes=sum(one["transferSize"] for one in counted),
        requests=len(counted),
        foreign=tuple(one["url"] for one in asked if urlsplit(one["url"]).netloc != own),
        failed=tuple(failed),
    )


def faults(kind: str, runs: Sequence[Run]) -> Iterator[str]:
    """What is wrong with a page of this kind, by the median of its runs."""
    first, score, lcp = runs[0], _median(runs, "performance"), _lcp(runs)
    for name in WHOLE:
        if (least := min(run.scores[name] for run in runs)) < 100:
            yield f"{name} {least}, not 100"
    yield from sorted({told for run in runs for told in run.failed})
    if kind not in WITH_PROGRAM and first.html <= ORDINARY_BYTES and score < PERFORMANCE:
        yield f"performance {score:.0f}, less than {PERFORMANCE}"
    if lcp > LCP_MS:
        yield f"largest paint after {lcp:.0f} ms, more than {LCP_MS}"
    if kind not in WITH_PROGRAM and first.bytes > BYTES:
        yield f"{first.bytes} bytes, more than {BYTES}"
    if first.requests > REQUESTS:
        yield f"{first.requests} requests, more than {REQUESTS}"
    yield from sorted({f"another host: {address}" for run in runs for address in run.foreign})


def audit(
    project: Project, site: Path | None = None, kinds: Sequence[str] = (), count: int = 3
) -> int:
    """Print a line for each page and what is wrong with it; return the exit status.

    Raises GuideError where the browser, Node.js or Lighthouse is missing, and for unknown `kinds`.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise fault(None, None, f"no kind of page {kind!r}", did_you_mean(kind, KINDS))
    if site is not None and not (site / MARKER).is_file():
        remedy = "name the folder that `make build` wrote, or leave --site away"
        raise fault(site, None, f"is no built site: there is no {MARKER} in it", remedy)
    find_browser()
    program = find_lighthouse()
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        if site is None:
            site = Path(scratch, "site")
            build(project, site)
        with served(site) as address:
            scored = "perf a11y best  SEO"
            print(f"{'page':36} {scored} {'LCP ms':>6} {'KiB':>5} {'requests':>8}")
            for language in project.languages:
                for kind in kinds or KINDS:
                    path = f"{language}/{KINDS[kind]}"
                    runs = [_run(program, address + path) for _ in range(count)]
                    print(_line(path, runs), flush=True)
                    for told in faults(kind, runs):
                        wrong += 1
                        print(f"  {told}", flush=True)
            with launched() as browser:
                for language in project.languages:
                    taken = _search_time(browser, f"{address}{language}/", _QUERY, count)
                    print(f"search of {language}/ answers {taken:.0f} ms after the page is loaded")
                    if taken > SEARCH_MS:
                        wrong += 1
                        print(f"  more than {SEARCH_MS} ms")
    print(f"{wrong} faults" if wrong else "Every page is as it should be.")
    return 1 if wrong else 0


def _line(path: str, runs: Sequence[Run]) -> str:
    scores = (_median(runs, name) for name in ("performance", *WHOLE))
    shown = " ".join(f"{score:4.0f}" for score in scores)
    weight = f"{runs[0].bytes / 1024:5.1f} {runs[0].requests:8}"
    return f"{path:36} {shown} {_lcp(runs):6.0f} {weight}"


def _median(runs: Sequence[Run], name: str) -> float:
    return statistics.median(run.scores[name] for run in runs)


def _lcp(runs: Sequence[Run]) -> float:
    return statistics.median(run.lcp for run in runs)


def _search_time(browser: Browser, address: str, query: str, count: int) -> float:
    """Milliseconds from the end of loading until a query that was typed at once is answered."""
    taken = []
    for _ in range(count):
        page = browser.new_page()
        page.goto(address)
        taken.append(page.evaluate(_ASK, query))
        page.close()
    return statistics.median(taken)


def _run(program: Path, address: str) -> Run:
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.json")
        flags = " ".join(
            [
                "--headless",
                f"--user-data-dir={Path(scratch, 'profile')}",
                *(f'"{one}"' if " " in one else one for one in ARGUMENTS),
            ]
        )
        command = [shutil.which("node"), str(program), address, "--quiet", "--output=json"]
        command += [f"--output-path={report}", f"--chrome-flags={flags}"]
        environment = os.environ | {"CHROME_PATH": shutil.which(find_browser()) or ""}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode or not report.is_file():
            remedy = "its last words: " + " ".join(done.stderr.split()[-60:])
            raise fault(None, None, f"Lighthouse gave no report of {address}", remedy)
        return read(json.loads(report.read_text(encoding="utf-8")))


def find_lighthouse() -> Path:
    """The program of Lighthouse, installed outside the tree if it is not there yet.

    Raises GuideError where Node.js is missing, or Lighthouse cannot be installed.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        remedy = "install Node.js 20 or newer, which brings npm, and run the same command again"
        raise fault(None, None, "Lighthouse needs Node.js, and there is no `node`", remedy)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "pytorch-gpu-guide" / f"lighthouse-{LIGHTHOUSE}"
    program = folder / "node_modules" / "lighthouse" / "cli" / "index.js"
    if program.is_file():
        return program
    if npm is None:
        raise fault(None, None, "Lighthouse is installed by npm, which is missing", "install npm")
    print(f"installing Lighthouse {LIGHTHOUSE} into {folder}, which is done once …", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-audit", "--no-fund", "--no-save", "--prefix", str(folder)]
    environment = os.environ | {"PUPPETEER_SKIP_DOWNLOAD": "1"}
    done = subprocess.run(
        [*command, f"lighthouse@{LIGHTHOUSE}"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or not program.is_file():
        remedy = "npm says: " + " ".join(done.stderr.split()[-60:])
        raise fault(None, None, "Lighthouse was not installed", remedy)
    return program


class _Compressed(SimpleHTTPRequestHandler):
    """Sends files as a host of static sites does: compressed, and to be kept for ten minutes."""

    protocol_version = "HTTP/1.1"
    _kinds = (".html", ".css", ".js", ".json", ".svg", ".xml", ".txt")

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        packed = path.suffix in self._kinds and "gzip" in self.headers.get("Accept-Encoding", "")
        content = _packed(path) if packed else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)) + "; charset=utf-8")
        self.send_header("Cache-Control", "max-age=600")
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@cache
def _packed(path: Path) -> bytes:
    """The file compressed, as a host keeps it, so that no reader waits for the compressing."""
    return gzip.compress(path.read_bytes(), 6, mtime=0)


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve the folder `site` on a free port of this machine, compressed; yield its address."""
    handler = partial(_Compressed, directory=str(site))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
