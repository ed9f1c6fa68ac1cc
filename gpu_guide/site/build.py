"""Both builds of the guide, and the files next to them: the root page, snippets, sitemap.

site/index.html      sends a reader to zh/ or en/
site/zh/  site/en/   one MkDocs build each
site/snippets/       the files that the pages show, for download
site/exercises/      the programs to mend, for download, and notebooks of them
site/snippets.json   what each of them is; site/llms.txt lists the pages of both languages
site/*.schema.json   what is in the errors.json and the answers.json of each language
site/zh/labs/*.ipynb the notebooks, for download: with links that lead to the site
"""

from __future__ import annotations

import gc
import posixpath
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gpu_guide.data import addresses
from gpu_guide.data.addresses import url_of
from gpu_guide.data.errors import load_errors
from gpu_guide.labs import checks as lab_checks
from gpu_guide.labs import notebook
from gpu_guide.labs.source import load_labs
from gpu_guide.pages.page import load_pages
from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.render.words import Words
from gpu_guide.site import catalogue, exercise_files, for_programs
from gpu_guide.site.json_ld import published
from gpu_guide.site.mkdocs import Report, build_language
from gpu_guide.site.preload import preload
from gpu_guide.snippets.libraries import load_libraries
from gpu_guide.snippets.model import load_snippets
from gpu_guide.snippets.script import with_metadata

MARKER = ".built-by-gpu-guide"
"""The file by which a build knows its own work again: only a folder that holds it is replaced."""


class Workers:
    """A process for each language, side by side. Each keeps the modules that it has loaded and
    what it has parsed, so that it builds again in less time."""

    def __init__(self, builder: Callable[..., Report] = build_language) -> None:
        self._builder = builder
        self._pools: dict[str, ProcessPoolExecutor] = {}

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(
        self, language: str, project: Project, out: Path, site_url: str | None
    ) -> Future[Report]:
        """Begin a build of the language."""
        if language not in self._pools:
            spawn = get_context("spawn")  # a forked one would hold the code as it was read here
            self._pools[language] = ProcessPoolExecutor(1, mp_context=spawn)
        return self._pools[language].submit(self._builder, language, project, out, site_url)

    def close(self) -> None:
        """End the processes."""
        for pool in self._pools.values():
            pool.shutdown()


def for_one_build(project: Project) -> Workers:
    """The processes that need the least for a single build. Only for a program that has begun no
    threads: on Linux they are copies of it."""
    return _Copies(project) if sys.platform == "linux" else Workers()


class _Copies(Workers):
    """Copies of this process, which have read what all languages need."""

    def __init__(self, project: Project) -> None:
        super().__init__()
        gc.disable()  # what is read stays: collecting garbage need not look at it, now or again
        preload(project)
        gc.freeze()
        gc.enable()
        # One pool, since a second would be forked beside the thread that the first has begun.
        pool = ProcessPoolExecutor(len(project.languages), mp_context=get_context("fork"))
        self._pools = dict.fromkeys(project.languages, pool)


def build(
    project: Project,
    out: Path,
    site_url: str | None = None,
    strict: bool = True,
    *,
    unchanged: Mapping[str, Path] | None = None,
    workers: Workers | None = None,
) -> list[str]:
    """Build the site of the project into `out`, replacing what is there once all of it is built.

    `site_url` is the address of the folder that holds zh/ and en/; without it, what mkdocs.yml
    says. `unchanged` are folders of an earlier build, by language,
    to be taken over as they are; `workers` the processes of an earlier one.
    Returns the warnings, which can only be there if not `strict`. Raises GuideError if a language
    does not build, or with `strict` if one warns, or if `out` is no folder to build into.
    """
    out = out.resolve()
    _check_out(out, project)
    site_url = _root_url(site_url)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as scratch:
        new = Path(scratch, "site")
        with nullcontext(workers) if workers else Workers() as processes:
            warnings = _build_all(new, site_url, strict, project, unchanged or {}, processes)
        if out.exists():
            shutil.rmtree(out)
        new.rename(out)
    return warnings


def _check_out(out: Path, project: Project) -> None:
    """Raise GuideError unless `out` can be replaced without loss: for it will be deleted.

    What a folder is called or what lies in it proves nothing: docs, too, has a zh and an en.
    """
    root = project.root.resolve()
    if root.is_relative_to(out):
        remedy = "choose a folder of its own, such as site"
        raise fault(out, None, "the project lies in it", remedy)
    inside = out.relative_to(root).parts[0] if out.is_relative_to(root) else ""
    if inside in project.own_folders or inside.startswith("."):
        raise fault(out, None, f"belongs to {inside} of the project", "choose another folder")
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not (out / MARKER).is_file():
        what = f"holds something other than a built site: there is no {MARKER} in it"
        remedy = "choose another folder, or, if an older guide built this one, delete it yourself"
        raise fault(out, None, what, remedy)


def _root_url(site_url: str | None) -> str | None:
    """`site_url` with a slash at its end. Raises GuideError if it is no address of a site."""
    if site_url is None:
        return None
    parts = urlsplit(site_url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        what = f"site URL {site_url!r}: not the address of a folder"
        raise fault(None, None, what, "write it like https://example.org/guide/")
    return site_url.rstrip("/") + "/"


def _build_all(
    out: Path,
    site_url: str | None,
    strict: bool,
    project: Project,
    unchanged: Mapping[str, Path],
    workers: Workers,
) -> list[str]:
    """Build everything into the new folder `out`; return the warnings."""
    languages = [language for language in project.languages if language not in unchanged]
    jobs = [workers.submit(language, project, out / language, site_url) for language in languages]
    reports = [job.result() for job in jobs]
    problems = [problem for report in reports for problem in report.problems]
    problems += _about_labs(project)
    if any(report.failed for report in reports) or (strict and problems):
        raise GuideError("The site was not built:", *problems)
    for language, built in unchanged.items():
        shutil.copytree(built, out / language)
    site_root = reports[0].site_root
    copy_snippets(project, out / project.snippets.name)
    if project.exercises.is_dir():
        exercise_files.write(project, out / project.exercises.name)
    for language in project.languages:
        folder, address = project.lab_pages(language), f"{site_root}{language}/"
        _copy_notebooks(folder, out / language / folder.name, address)
    _write_root_pages(out, project, site_root)
    if project.constraints.is_file():
        _write(out / catalogue.NAME, catalogue.written(project, site_root))
        for name in for_programs.NAMES:
            _write(out / f"{name}.schema.json", for_programs.schema(name, site_root))
    _write(out / catalogue.LIST, catalogue.list_of_all(out, project.languages, site_root))
    _write_redirects(out, project, site_root)
    return problems


def _about_labs(project: Project) -> list[str]:
    """What is wrong with the labs: above all, a notebook that is older than its text or code."""
    if not project.labs.is_dir():
        return []
    try:
        return [str(p) for p in lab_checks.check(project, load_labs(project), Words)]
    except GuideError as error:
        return [str(error)]


def copy_snippets(project: Project, target: Path) -> None:
    """Copy the snippets, in their folders, each with what it needs in its head.

    That is read from pyproject.toml, data/libraries.yml and the snippet's own needs; of a project
    without the first, they are copied as they are.
    """
    settings = project.root / "pyproject.toml"
    known = tomllib.loads(settings.read_text(encoding="utf-8")) if settings.is_file() else {}
    about = known.get("project", {})
    own_python = known.get("tool", {}).get("gpu-guide", {}).get("python")
    listed = about.get("optional-dependencies", {}).get("test", ())
    requirements = {re.split(r"[^\w-]", one)[0]: one for one in listed}
    if requirements:
        requirements |= {one.module: one.pinned for one in load_libraries(project)}
    python = own_python or about.get("requires-python", "")
    snippets = load_snippets(project) if requirements else {}
    for file in sorted(project.snippets.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        name = file.relative_to(project.snippets).with_suffix("").as_posix()
        if requirements:
            release = snippets[name].needs.torch if name in snippets else None
            own = {"torch": "torch>={}.{}".format(*release)} if release else {}
            text = with_metadata(text, python, requirements | own)
        copy = target / file.relative_to(project.snippets)
        copy.parent.mkdir(parents=True, exist_ok=True)
        _write(copy, text)


def _copy_notebooks(source: Path, target: Path, address: str) -> None:
    """Copy the notebooks; links between pages become links to the language's site at `address`.

    Raises GuideError for one that is none of the guide's.
    """

    def absolute(link: str) -> str:
        page = re.sub(r"/index\.md$", "/", urljoin(f"{address}labs/", link))
        return re.sub(r"\.(?:md|ipynb)$", "/", page)

    for file in sorted(source.glob("*.ipynb")):
        copy = notebook.with_links(notebook.read(file), absolute)
        _write(target / file.name, notebook.dumps(copy))


def _write_root_pages(out: Path, project: Project, site_root: str) -> None:
    """Write the pages above the two languages, and what search engines ask for."""
    env = Environment(
        loader=FileSystemLoader(project.theme / "root"), undefined=StrictUndefined, autoescape=True
    )
    context = {
        "site_root": site_root,
        "root_path": urlsplit(site_root).path,
        "pages": _addresses(project),
    }
    for name in ("index.html", "404.html"):
        _write(out / name, env.get_template(name).render(context) + "\n")
    # GitHub Pages would otherwise leave out what begins with an underscore.
    _write(out / ".nojekyll", "")
    _write(out / MARKER, "`make build` deletes and replaces the folder in which this file lies.\n")
    if not published(site_root):
        _write(out / "robots.txt", "User-agent: *\nAllow: /\n")
        return
    sitemaps = "".join(
        f"  <sitemap><loc>{site_root}{language}/sitemap.xml</loc></sitemap>\n"
        for language in project.languages
    )
    _write(
        out / "sitemap.xml",
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{sitemaps}</sitemapindex>\n",
    )
    _write(out / "robots.txt", f"User-agent: *\nAllow: /\n\nSitemap: {site_root}sitemap.xml\n")


def _addresses(project: Project) -> list[tuple[str, dict[str, str]]]:
    """The address of each page below its language's folder, with its titles by language."""
    titles: dict[str, dict[str, str]] = {}
    for language, found in load_pages(project)[0].items():
        for page in found.values():
            address = url_of(page.address.removesuffix(".md"))
            titles.setdefault(address, {})[language] = page.title
    return sorted(titles.items())


def _write_redirects(out: Path, project: Project, site_root: str) -> None:
    """Write a page at each address that leads elsewhere now: a static host has no other way.

    The links are relative, so that they lead to the same place on a mirror. Raises GuideError.
    """
    path = project.addresses
    if not path.is_file():
        return
    template = Environment(
        loader=FileSystemLoader(project.theme / "root"), undefined=StrictUndefined, autoescape=True
    ).get_template("moved.html")
    pages = load_pages(project)[0]
    messages = load_errors(project).values() if project.errors.is_dir() else ()
    titles = {message.own_page: message.says[0] for message in messages}
    for name, target in addresses.moved(addresses.load(path)).items():
        for language in project.languages:
            halves = (pages[half].get(f"{target}.md") for half in (language, *project.languages))
            title = titles.get(target) or next(half.title for half in halves if half)
            here, there = f"{language}/{url_of(name)}", f"{language}/{url_of(target)}"
            text = template.render(
                language=language,
                title=title,
                address=site_root + there,
                target=f"{posixpath.relpath(there, here)}/",
            )
            (out / here).mkdir(parents=True, exist_ok=True)
            _write(out / here / "index.html", text + "\n")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
