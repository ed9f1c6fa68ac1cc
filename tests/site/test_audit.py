"""`make audit` without Lighthouse: what it makes of a report, its server, what it says is missing.

Lighthouse itself is run by hand and in no test: it takes half a minute a page, and what it measures
of time is another figure on each machine.
"""

from __future__ import annotations

import gzip
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpu_guide.cli import main
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.site import audit
from gpu_guide.site.audit import KINDS, Run, faults, find_lighthouse, read, served

GOOD = Run(
    scores={"performance": 97, "accessibility": 100, "best-practices": 100, "seo": 100},
    lcp=1500.0,
    html=40_000,
    bytes=70_000,
    requests=9,
    foreign=(),
    failed=(),
)


def report(**audits: dict[str, Any]) -> dict[str, Any]:
    """A report as Lighthouse writes it, as far as it is read, with other or further `audits`."""
    host = "http://127.0.0.1:1"

    def asked(path: str, size: int, kind: str = "Script") -> dict[str, Any]:
        whole = {"transferSize": size, "resourceSize": 3 * size, "resourceType": kind}
        return {"url": path if ":" in path else host + path, **whole}

    items = [
        asked("/zh/", 10_000, "Document"),
        asked("/zh/assets/guide.js", 5_000),
        asked("/zh/search/search_index.json", 900_000, "XHR"),
        asked("data:image/svg+xml,x", 0, "Image"),
    ]
    reference = [{"id": "color-contrast", "weight": 7}, {"id": "hint", "weight": 0}]
    empty: list[dict[str, Any]] = []
    return {
        "finalDisplayedUrl": f"{host}/zh/",
        "categories": {
            "performance": {"score": 0.97, "auditRefs": empty},
            "accessibility": {"score": 1, "auditRefs": reference},
            "best-practices": {"score": 1, "auditRefs": empty},
            "seo": {"score": None, "auditRefs": empty},
        },
        "audits": {
            "network-requests": {"details": {"items": items + audits.pop("more", empty)}},
            "largest-contentful-paint": {"numericValue": 1499.6},
            "color-contrast": {"score": 1, "title": "Contrast is sufficient"},
            "hint": {"score": 0, "title": "Not counted"},
        }
        | audits,
    }


def test_a_report_is_read_without_the_index_and_what_is_no_request() -> None:
    run = read(report())
    assert run.scores == {"performance": 97, "accessibility": 100, "best-practices": 100, "seo": 0}
    assert (run.bytes, run.requests, run.html, run.lcp) == (15_000, 2, 30_000, 1499.6)
    assert run.foreign == run.failed == ()


def test_a_failed_audit_and_another_host_are_named() -> None:
    more = [{"url": "https://cdn.example/x.js", "transferSize": 1, "resourceSize": 1}]
    said = {"score": 0, "title": "Contrast is not sufficient"}
    run = read(report(more=more, **{"color-contrast": said}))
    assert run.failed == ("color-contrast: Contrast is not sufficient",)
    assert run.foreign == ("https://cdn.example/x.js",)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scores": GOOD.scores | {"seo": 92}}, "seo 92, not 100"),
        ({"scores": GOOD.scores | {"performance": 94}}, "performance 94, less than 95"),
        ({"lcp": 1801.0}, "largest paint after 1801 ms, more than 1800"),
        ({"bytes": 80 * 1024 + 1}, "81921 bytes, more than 81920"),
        ({"requests": 13}, "13 requests, more than 12"),
        ({"foreign": ("https://cdn.example/",)}, "another host: https://cdn.example/"),
        ({"failed": ("image-alt: An image without text",)}, "image-alt: An image without text"),
    ],
)
def test_each_limit_is_told(change: dict[str, Any], told: str) -> None:
    assert list(faults("start", [GOOD])) == []
    assert list(faults("start", [replace(GOOD, **change)])) == [told]


def test_times_are_judged_by_the_median_and_tools_and_long_pages_not_by_their_score() -> None:
    slow = replace(GOOD, lcp=4000.0, scores=GOOD.scores | {"performance": 60})
    assert list(faults("start", [slow, GOOD, GOOD])) == []
    assert len(list(faults("start", [slow, slow, GOOD]))) == 2
    slow = replace(slow, lcp=GOOD.lcp)
    assert list(faults("tool", [slow])) == []
    assert list(faults("start", [replace(slow, html=61 * 1024)])) == []


def test_ten_kinds_of_pages_and_each_is_a_page_of_both_languages() -> None:
    assert len(KINDS) == 10
    for language in HERE.languages:
        for path in filter(None, KINDS.values()):
            page = HERE.docs / language / path.rstrip("/")
            there = [page.with_suffix(".md"), page.with_suffix(".ipynb"), page / "index.md"]
            assert any(one.is_file() for one in there), path


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    assert main(["audit", "hom"]) == 1
    assert "no kind of page 'hom'" in capsys.readouterr().err
    monkeypatch.setattr(audit.shutil, "which", lambda name: None)
    with pytest.raises(GuideError, match=r"install Node\.js 20 or newer"):
        find_lighthouse()
    monkeypatch.setattr(audit.shutil, "which", lambda name: None if name == "npm" else name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(GuideError, match="npm, which is missing"):
        find_lighthouse()
    program = tmp_path / "pytorch-gpu-guide" / f"lighthouse-{audit.LIGHTHOUSE}"
    program = program / "node_modules" / "lighthouse" / "cli" / "index.js"
    program.parent.mkdir(parents=True)
    program.touch()
    assert find_lighthouse() == program


def test_the_server_compresses_and_keeps_to_its_folder(tmp_path: Path) -> None:
    (tmp_path / "zh").mkdir()
    (tmp_path / "zh" / "index.html").write_text("<p>文" * 500, encoding="utf-8")

    def ask(address: str, encoding: str) -> tuple[bytes, Any]:
        request = urllib.request.Request(address, headers={"Accept-Encoding": encoding})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read(), answer.headers

    with served(tmp_path) as address:
        plain, headers = ask(f"{address}zh/", "identity")
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        packed, headers = ask(f"{address}zh/", "gzip, br")
        assert headers["Content-Encoding"] == "gzip" and len(packed) < len(plain) / 10
        assert gzip.decompress(packed) == plain
        with pytest.raises(urllib.error.HTTPError, match="404"):
            ask(f"{address}en/", "gzip")
