"""Labs on the site: cells as HTML, outputs of other machines, buttons, and the pages as built."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from html import unescape
from multiprocessing import get_context
from pathlib import Path

import markdown
import pytest
from browser import SCHEMES, Watch, axe, launched, load_axe, served, too_wide, use_scheme
from built_site import MAX_PAGE_BYTES, SITE_URL, language_pages
from fake_environments import GPU
from playwright.sync_api import expect
from rendering import rendered
from small_guides import begin

from gpu_guide import ROOT
from gpu_guide.labs import notebook
from gpu_guide.labs.records import LabRecord, LabRun, load_lab_records, write
from gpu_guide.labs.source import load_labs
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.render import cells
from gpu_guide.render.words import Words
from gpu_guide.site.mkdocs import build_language

LAB = "first-training"
Render = Callable[..., str]


@pytest.fixture
def render(tmp_path: Path) -> Render:
    """Renders the labs of the guide, with records of its own."""
    root = begin(tmp_path / "guide").root
    for lang in HERE.languages:
        shutil.copytree(HERE.docs / lang / "labs", root / "docs" / lang / "labs")

    return partial(rendered, root=root)


def fence(kind: str, name: str) -> str:
    return f"```{kind}\n{name}\n```"


def recorded(folder: Path, sha256: str = "", lab: str = LAB) -> None:
    """A record of a GPU whose every cell printed its own id."""
    found = load_labs(HERE)[lab]
    outputs = {
        cell.id: [{"output_type": "stream", "name": "stdout", "text": [f"GPU {cell.id} <b>\n"]}]
        for cell in found.cells
    }
    write(LabRecord(GPU, {lab: LabRun(sha256 or found.sha256, outputs, 9.0)}), folder)


# --- the extension -------------------------------------------------------------------------------


def test_a_cell_is_code_as_everywhere_and_what_it_printed(render: Render) -> None:
    html = render(fence("cell", f"{LAB}/data"))
    assert '<div class="language-python highlight"><pre><span></span><code>' in html
    code = unescape(re.sub(r"<[^>]+>", "", html.split("</code>")[0]))
    assert code.strip() == notebook.sources(read("en"))["data"]
    assert '<pre class="cell__text">(2700, 2) (300, 2) cpu\n</pre>' in html
    assert "tabbed" not in html


def read(lang: str) -> notebook.Notebook:
    return notebook.read(notebook.path_of(HERE, lang, LAB))


def test_a_picture_is_part_of_the_page_and_says_what_it_shows(render: Render) -> None:
    for lang, alt in (("zh", "三条旋臂"), ("en", "three spiral arms")):
        html = render(fence("cell", f"{LAB}/look"), lang)
        assert '<div class="cell__picture"><svg' in html
        assert f'role="img" aria-label="{alt}' in html


def test_another_machines_output_is_behind_a_tab(render: Render, tmp_path: Path) -> None:
    recorded(tmp_path / "guide" / "records" / "labs")
    html = render("\n\n".join(fence("cell", f"{LAB}/{cell}") for cell in ("setup", "data")))
    assert html.count('class="tabbed-set tabbed-alternate"') == 2
    assert len(set(re.findall(r'<input [^>]*id="([^"]+)"', html))) == 4
    assert html.count(f">{GPU.gpu}</label>") == 2 == html.count(">CPU</label>")
    assert "GPU setup &lt;b&gt;" in html and "training on cpu" in html
    assert html.index("training on cpu") < html.index("GPU setup")
    bar = render(fence("lab", LAB), "zh")
    assert f"{GPU.gpu}，torch {GPU.torch}，CUDA {GPU.cuda}" in bar


def test_no_tab_is_empty_or_there_twice(tmp_path: Path) -> None:
    """What stands open is an output, and even if it is the only one, it says of which machine."""
    recorded(tmp_path)
    (record,) = load_lab_records(tmp_path)
    found = read("en")
    notebook.code_cells(found)["setup"]["outputs"] = []
    for identity, labels in (("setup", [GPU.gpu]), ("data", ["CPU", GPU.gpu])):
        html = cells.cell(found, identity, Words("en"), [record, record], 1)
        assert re.findall(r"<label [^>]*>([^<]*)</label>", html) == labels
        assert html.count('<pre class="cell__text">') == len(labels)


def test_the_text_of_a_lab_can_be_built_as_it_is(render: Render) -> None:
    """With its `alt:` lines, by a generator that knows no notebooks."""
    text = (ROOT / "docs" / "en" / "labs" / f"{LAB}.md").read_text(encoding="utf-8")
    html = render(text.split("---\n", 2)[2])
    assert html.count('<div class="cell"') == len(load_labs(HERE)[LAB].cells)


def test_a_record_of_older_code_is_not_shown(render: Render, tmp_path: Path) -> None:
    recorded(tmp_path / "guide" / "records" / "labs", sha256="0" * 64)
    assert "tabbed" not in render(fence("cell", f"{LAB}/setup"))
    bar = render(fence("lab", LAB))
    assert f"{GPU.gpu} ran older code ({GPU.date})" in bar and GPU.torch not in bar


def test_the_download_stands_first_and_clouds_only_where_they_can_lead(render: Render) -> None:
    def links(**options: str) -> list[str]:
        return re.findall(r'<a [^>]*href="([^"]+)"', render(fence("lab", LAB), **options))

    local = [f"%PAGES%/labs/{LAB}.ipynb", "%PAGES%/labs/#open"]
    path = f"me/guide/blob/main/docs/en/labs/{LAB}.ipynb"
    colab = f"https://colab.research.google.com/github/{path}"
    kaggle = f"https://www.kaggle.com/kernels/welcome?src=https://github.com/{path}"
    assert links() == local
    assert links(repository="https://gitlab.com/me/guide") == local
    found = links(repository="https://github.com/me/guide.git")
    assert found == [local[0], colab, kaggle, local[1]]
    _, *elsewhere, _ = links(repository="https://github.com/me/guide", branch="next")
    assert len(elsewhere) == 2 and all("blob/next/docs" in link for link in elsewhere)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (fence("cell", f"{LAB}/setpu"), f"did you mean '{LAB}/setup'"),
        (fence("cell", "no-such-lab/setup"), "no such notebook"),
        (fence("cell", ""), "no such notebook"),
        (fence("lab", ""), "write the name of one lab"),
    ],
)
def test_a_fault_is_named(render: Render, text: str, says: str) -> None:
    with pytest.raises(GuideError, match=says):
        render(text)


# --- the built site ------------------------------------------------------------------------------


def faults(html: str, found: notebook.Notebook) -> list[str]:
    """What is wrong with the page of a notebook."""
    problems = []
    if html.lstrip().startswith("{") or "cell_type" in html:
        problems.append("raw JSON")
    if len(html.encode()) > MAX_PAGE_BYTES:
        problems.append("too heavy")
    if html.count('<div class="cell" data-cell') != len(notebook.code_cells(found)):
        problems.append("cells that are not the guide's")
    if f'/labs/{found["metadata"]["guide"]["lab"]}.ipynb" download' not in html:
        problems.append("no download")
    headings = [cell["metadata"].get("guide", {}).get("heading") for cell in found["cells"]]
    for heading in filter(None, headings):
        if not re.search(rf'<h[23] id="{heading}">.*?class="headerlink"', html):
            problems.append(f"no heading {heading}")
        if f'<a href="#{heading}" class="md-nav__link">' not in html:
            problems.append(f"no entry in the table of contents for {heading}")
    return problems


@pytest.mark.build
@pytest.mark.parametrize("language", HERE.languages)
def test_each_lab_is_a_page_of_the_guide(site: Path, language: str) -> None:
    pages = language_pages(site, language)
    for name in load_labs(HERE):
        html = (site / language / "labs" / name / "index.html").read_text(encoding="utf-8")
        found = notebook.read(notebook.path_of(HERE, language, name))
        assert faults(html, found) == [], name
        assert pages[f"labs/{name}/index.html"].description


def test_raw_notebooks_and_mkdocs_jupyters_own_pages_are_seen_to_be_wrong() -> None:
    from mkdocs_jupyter.convert import nb2html

    path = notebook.path_of(HERE, "zh", LAB)
    found, raw = read("zh"), path.read_text(encoding="utf-8")
    missing = ["cells that are not the guide's", "no download", "no heading device"]
    assert faults(raw, found)[:1] == ["raw JSON"]
    in_theme = f"<html><main>{markdown.markdown(raw)}</main></html>"
    assert faults(in_theme, found)[:4] == ["raw JSON", *missing]
    assert faults(nb2html(str(path)), found)[:4] == ["too heavy", *missing]


@pytest.mark.build
@pytest.mark.parametrize("language", HERE.languages)
def test_the_downloaded_notebook_leads_to_the_site(site: Path, language: str) -> None:
    for name in load_labs(HERE):
        text = (site / language / "labs" / f"{name}.ipynb").read_text(encoding="utf-8")
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        prose = "".join(row for cell in cells for row in cell["source"])
        links = re.findall(r"\]\(([^)]+)\)", prose)
        assert links and all(link.startswith(("https://", "#")) for link in links)
        for link in links:
            inside = link.partition("#")[0].removeprefix(SITE_URL)
            if link.startswith(SITE_URL):
                assert (site / inside / "index.html").is_file(), link
        assert json.loads(text)["nbformat"] == 4


@pytest.fixture
def page_address(tmp_path: Path) -> Iterator[str]:
    """The English page of a lab, built beside a record of a GPU and without the other topics."""
    recorded(tmp_path / "records" / "labs")
    for name in ("theme", "data", "docs/en/labs", "docs/zh/labs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "docs" / "en" / "index.md").write_text("# Home\n", encoding="utf-8")
    (tmp_path / "data" / "search_aliases.yml").write_text("en: {}\n", encoding="utf-8")
    shutil.rmtree(tmp_path / "data" / "errors")  # which name pages of other topics
    for name in ("diagnosis.yml", "homes.yml", "questions.yml"):
        (tmp_path / "data" / name).unlink()
    shutil.copyfile(ROOT / "constraints.txt", tmp_path / "constraints.txt")
    for name in ("mkdocs.yml", "mkdocs.en.yml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        text = re.sub(r"^nav:\n(?:[ ].*\n)+", "nav: [index.md]\n", text, flags=re.MULTILINE)
        (tmp_path / name).write_text(text, encoding="utf-8")
    out = tmp_path / "out"
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        job = pool.submit(build_language, "en", Project(tmp_path), out / "en", SITE_URL)
        assert not job.result().failed
    with served(out, SITE_URL) as address:
        yield f"{address}en/labs/{LAB}/"


@pytest.mark.browser
def test_one_click_switches_all_outputs_to_another_machine(page_address: str) -> None:
    with launched() as browser:
        page = browser.new_page(
            viewport={"width": 360, "height": 740},
            reduced_motion="reduce",
            permissions=["clipboard-read", "clipboard-write"],
        )
        watch = Watch(page, page_address)
        page.goto(page_address)
        expect(page.get_by_text("training on cpu")).to_be_visible()
        expect(page.get_by_text("GPU data <b>")).to_be_hidden()
        page.get_by_text(GPU.gpu, exact=True).first.click()
        expect(page.get_by_text("GPU setup <b>")).to_be_visible()
        expect(page.get_by_text("GPU data <b>")).to_be_visible()
        load_axe(page)
        assert axe(page) == []
        use_scheme(page, "slate")
        assert axe(page, SCHEMES["slate"]) == [] == too_wide(page) == watch.take()
        page.locator("[data-cell$='/data'] .md-code__button").first.click()
        page.wait_for_function("async () => await navigator.clipboard.readText() !== ''")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == notebook.sources(read("en"))["data"]
        page.close()
