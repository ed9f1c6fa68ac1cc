"""What a contributor gets wrong is told: the mistakes of data/contributor_mistakes.yml."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from contributor_mistakes import DATA, ELSEWHERE, GUIDE, MISTAKES, RECORD, Mistake

from gpu_guide import ROOT, lint
from gpu_guide.checks import check
from gpu_guide.labs import notebook, text
from gpu_guide.labs.source import load_labs
from gpu_guide.pages.translations import mark_in_line
from gpu_guide.project import HERE, Project
from gpu_guide.records.store import write
from gpu_guide.render.words import Words
from gpu_guide.scaffold import new_page, new_snippet

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def guide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A guide of two pages, two snippets, a lab and a record, in which nothing is wrong."""
    root = tmp_path_factory.mktemp("guide")
    # Machines on which CUDA fails, and errors, name sections of the real guide that answer, and the
    # diagnosis names errors; each picture has to stand on a page; the long pages are its own, and
    # so are peaks that were measured, with the scripts that are run for them, and other projects
    # whose tests are run.
    of_the_guide = (
        "broken_machines.yml",
        "errors",
        "diagnosis.yml",
        "dry_run_measured.yml",
        "dry_run_published.yml",
        "long_pages.yml",
        "pictures.yml",
        "public_scripts.yml",
        "simulated_projects.yml",
    )
    leave = shutil.ignore_patterns(*of_the_guide)
    shutil.copytree(ROOT / "data", root / "data", ignore=leave)
    for name in ("pyproject.toml", "rumdl.toml", "labs/ruff.toml"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    for name, content in GUIDE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    write(RECORD, root / "records")
    project = Project(root)
    for lab in load_labs(project).values():
        for lang in project.languages:
            made = notebook.make(lab, text.read(project, lang, lab.name), {}, Words(lang))
            path = notebook.path_of(project, lang, lab.name)
            path.write_text(notebook.dumps(made), encoding="utf-8")
    for page in sorted((root / "docs" / "en").rglob("*.md")):
        mark_in_line(project, page.relative_to(root / "docs" / "en").as_posix())
    return root


@pytest.fixture
def planted(guide: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """The guide with the mistake of the test, which is taken back afterwards."""
    mistake: Mistake = request.param
    before = {guide / file: _bytes(guide / file) for file, *_ in mistake.edits}
    for file, old, new in mistake.edits:
        path, content = guide / file, _bytes(guide / file)
        assert (old is None) == (content is None), (
            f"{file} has changed: correct contributor_mistakes.yml"
        )
        if old is not None:
            assert old.encode() in content, (
                f"{file} has no {old!r}: correct contributor_mistakes.yml"
            )
            content = content.replace(old.encode(), (new or "").encode(), 1)
        if new is None:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(new.encode() if old is None else content)
    for page in mistake.in_line:
        mark_in_line(Project(guide), page)
    yield guide
    for path, content in before.items():
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
    for page in mistake.in_line:
        mark_in_line(Project(guide), page)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


@pytest.fixture
def only_what_is_asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the tools of other people where they have nothing to find: three processes less."""
    if not request.getfixturevalue("mistake").by_a_tool:
        monkeypatch.setattr(lint, "check", lambda project: [])


def test_the_small_guide_has_no_problems(guide: Path) -> None:
    report = check(Project(guide))
    assert report.problems == () and report.notices == ()


@pytest.mark.usefixtures("only_what_is_asked")
@pytest.mark.parametrize(
    ("planted", "mistake"),
    [(mistake, mistake) for mistake in MISTAKES.values()],
    ids=list(MISTAKES),
    indirect=["planted"],
)
def test_a_mistake_is_told_with_file_line_and_remedy(planted: Path, mistake: Mistake) -> None:
    report = check(Project(planted))
    found = (*report.problems, *report.notices)
    told = [one.replace(f"{planted.as_posix()}/", "") for one in found]
    hits = [one for one in told if one.startswith(mistake.where) and mistake.says in one]
    assert hits, "\n".join([f"not told: {mistake.where} … {mistake.says}", *told])
    assert all(" — " in one for one in hits)


def test_what_make_new_writes_is_told_as_unfinished_and_as_nothing_else(guide: Path) -> None:
    snippet, page = "check/new_one", "check/new-one"
    lists = ("mkdocs.yml", "mkdocs.en.yml", "data/addresses.yml")
    navs = {guide / name: (guide / name).read_bytes() for name in lists}
    made = [guide / "snippets" / f"{snippet}.py"]
    made += [guide / "docs" / lang / f"{page}.md" for lang in HERE.languages]
    try:
        new_snippet(snippet, Project(guide), lambda line: None)
        new_page(page, Project(guide), lambda line: None)
        report = check(Project(guide))
        assert report.problems and all("unfinished: 'TODO'" in one for one in report.problems)
        told = "\n".join(report.problems)
        assert all(path.as_posix() in told for path in made) and not report.notices
        for path in made:
            for key in ("title", "description") if path.suffix == ".md" else ():
                assert f"{path.as_posix()}:{2 if key == 'title' else 3}: unfinished" in told
    finally:
        for path in made:
            path.unlink(missing_ok=True)
        for path, content in navs.items():
            path.write_bytes(content)


def test_of_seventy_mistakes_at_least_sixty_five_are_told() -> None:
    """The list is whole: what is told here, what only running tells, and what nobody tells."""
    assert not (MISTAKES.keys() & ELSEWHERE.keys() or MISTAKES.keys() & DATA["untold"].keys())
    assert len(MISTAKES) + len(ELSEWHERE) + len(DATA["untold"]) >= 70
    assert len(MISTAKES) + len(ELSEWHERE) >= 65


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_test_that_tells_it_is_there(name: str) -> None:
    file, _, test = ELSEWHERE[name].partition("::")
    assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")
