"""Commands that build the site, and measure what was built."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpu_guide.commands import Add
from gpu_guide.project import HERE


def declare(add: Add) -> None:
    """Add them to the parser."""
    serve = add("serve", _serve, "site", "build both languages, serve them, rebuild on save")
    serve.add_argument("--port", type=int, default=8000, help="(default: 8000)")
    build = add("build", _build, "site", "build the whole site into a folder")
    build.add_argument("--out", type=Path, default=HERE.root / "site")
    build.add_argument("--site-url", help="address of the folder that will hold zh/ and en/")
    build.add_argument("--builder", choices=("mkdocs", "zensical"), default="mkdocs")
    build.add_argument("--against", type=Path, help="a site built already: say what differs")
    offline = add("offline", _offline, "site", "build a zip that is read without a network")
    offline.add_argument("--out", type=Path, default=HERE.root / "pytorch-gpu-guide-offline.zip")
    offline.add_argument("--site", type=Path, help="a site that is built already")
    pdf = add("pdf", _pdf, "browser", "print a PDF of each section and language")
    pdf.add_argument("names", nargs="*", metavar="name", help="for example memory; or all")
    pdf.add_argument("--language", choices=HERE.languages, action="append", default=[])
    pdf.add_argument("--out", type=Path, default=HERE.root / "build" / "pdf")
    pdf.add_argument("--site", type=Path, help="a site that is built already")
    audit = add("audit", _audit, "browser", "measure ten kinds of pages by Lighthouse")
    audit.add_argument("kinds", nargs="*", metavar="kind", help="for example home; or all")
    audit.add_argument("--site", type=Path, help="a site that is built already")
    audit.add_argument("--runs", type=int, default=3, help="of each page (default: 3)")


def _serve(options: argparse.Namespace) -> int:
    from gpu_guide.site.serve import serve

    serve(HERE, port=options.port)
    return 0


def _build(options: argparse.Namespace) -> int:
    from gpu_guide.site.build import Workers, build, for_one_build

    if options.builder == "zensical":
        from gpu_guide.site.zensical import build_language

        workers = Workers(build_language)
    else:
        workers = for_one_build(HERE)
    with workers:
        build(HERE, options.out, options.site_url, workers=workers)
    return _compare(options.against, options.out) if options.against else 0


def _offline(options: argparse.Namespace) -> int:
    from gpu_guide.site.offline import offline

    size = offline(HERE, options.out, options.site)
    print(f"{options.out}: {size / 1e6:.1f} MB")
    return 0


def _pdf(options: argparse.Namespace) -> int:
    from gpu_guide.site.pdf import pdf

    for path in pdf(HERE, options.out, options.site, options.names, options.language):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


def _audit(options: argparse.Namespace) -> int:
    from gpu_guide.site.audit import audit

    return audit(HERE, options.site, options.kinds, options.runs)


def _compare(first: Path, second: Path) -> int:
    """Print what differs between two built sites; 1 where the second lacks something."""
    from gpu_guide.site.compare_builds import differences, lost, table

    found = {lang: differences(first / lang, second / lang) for lang in HERE.languages}
    for language, differs in found.items():
        print(f"## {language}\n\n{table(differs, first.name, second.name)}")
    return int(any(map(lost, found.values())))
