"""The package with another guide: two pages, in two other languages, from a folder of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_environments import GPU
from inline_build import InThisProcess
from malformed_data import TEXTS
from rendering import rendered
from small_guides import begin

from gpu_guide.checks import check
from gpu_guide.labs import notebook
from gpu_guide.labs import text as lab_text
from gpu_guide.labs.records import LabRecord, LabRun
from gpu_guide.labs.records import write as write_lab_record
from gpu_guide.labs.source import load_labs
from gpu_guide.pages import languages, nav, structure, translations
from gpu_guide.pages.page import load_pages
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.records.store import Entry, Record, write
from gpu_guide.render.words import WORDS
from gpu_guide.site.build import build
from gpu_guide.snippets.model import Printed, load_snippets

SNIPPET = '''"""Ein Tensor.

テンソル。
"""

import torch

# de: Drei Zahlen.
# ja: 三つの数。
print(torch.arange(3))
#> tensor([0, 1, 2])
'''
PAGES = {
    "de": ("Anfang", "Eine kleine Seite nur für die Tests, die nichts lehrt.", "zweite"),
    "ja": (
        "始まり",
        "テストのためだけの小さなページで、何も教えません。ほかの用途はまったくありません。",
        "第二",
    ),
}


@pytest.fixture
def guide(tmp_path: Path) -> Project:
    project = begin(tmp_path, "de", "ja")
    for lang, name in ((lang, path.name) for lang, path in project.configs.items()):
        settings = f"docs_dir: docs/{lang}\nnav:\n  - A: index.md\n  - B: second.md\n"
        (tmp_path / name).write_text(settings, encoding="utf-8")
        title, description, second = PAGES[lang]
        for page, more in (("index", ""), ("second", second)):
            text = (
                f"---\ntitle: {more}{title}\ndescription: {more}{description}\n---\n\n"
                f"# {more}{title}\n\n{description}\n\n```snippet\nt/three\n```\n"
            )
            (project.docs / lang / f"{page}.md").write_text(text, encoding="utf-8")
    (project.snippets / "t").mkdir(parents=True)
    (project.snippets / "t" / "three.py").write_text(SNIPPET, encoding="utf-8")
    for page in ("index.md", "second.md"):
        translations.mark_in_line(project, page)
    return project


def test_snippets_hold_both_languages(guide: Project) -> None:
    snippet = load_snippets(guide)["t/three"]
    assert snippet.title == {"de": "Ein Tensor.", "ja": "テンソル。"}
    assert "# Drei Zahlen." in snippet.code("de") and "三つ" not in snippet.code("de")
    assert "# 三つの数。" in snippet.code("ja") and "Drei" not in snippet.code("ja")
    path = guide.snippets / "t" / "three.py"
    path.write_text(SNIPPET.replace("# ja: 三つの数。\n", ""), encoding="utf-8")
    with pytest.raises(GuideError, match="'# de:' without '# ja:'"):
        load_snippets(guide)


def test_the_checks_of_pages_hold_both_languages(guide: Project) -> None:
    def problems() -> list[str]:
        found = [*structure.check(guide, ["t/three"]), *nav.check(guide)]
        return [str(one) for one in (*found, *languages.check(load_pages(guide)[0]))]

    assert problems() == []
    assert list(translations.notices(guide)) == []
    path = guide.docs / "ja" / "second.md"
    path.write_text(path.read_text("utf-8").replace("第二始", "次の始"), encoding="utf-8")
    (behind,) = map(str, translations.notices(guide))
    assert "de/second.md: the other language has changed since" in behind


def test_words_that_a_language_lacks_are_asked_for(
    guide: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words for readers stand in one file, which an error names with the language and the key."""
    page = "```snippet\nt/three\n```\n"
    for table, key in (({}, "ran_cpu"), ({"ran_cpu": "auf der CPU"}, "ran_on")):
        monkeypatch.setitem(WORDS, "de", table)
        with pytest.raises(GuideError, match=rf"render/words/de\.yml: no word {key!r}"):
            rendered(page, "de", root=guide.root)


# --- to the end: evidence, a plot, tables, a lab, and both sites ---------------------------------

H100 = replace(GPU, gpu="NVIDIA H100", cuda="13.0")
MEASURED = '''"""Gemessen.

測る。
"""
# measures: yes

print("eins: 1")
print("zwei: 2")
'''
ONLY_A_GPU = '''"""Nur mit GPU.

GPU だけ。
"""
# needs: cuda
# simulated: no

print("x")
'''
PLOT = """- name: t/plot
  snippet: t/measured
  kind: bars
  line: '(?P<x>\\w+): (?P<y>\\d+)'
  series:
    - {key: y, de: Zeit, ja: 時間}
  names:
    eins: {de: erste, ja: 一番}
  de: {title: Zeiten, x: Fall, y: s}
  ja: {title: 時間の図, x: 場合, y: s}
"""
NCCL = """- kind: backend
  since: "2.15"
  read: 2026-11-22
  source: https://example.org/
  de: Quelle
  ja: 出典

- kind: difference
  de: {what: Name, before: alt, since: neu}
  ja: {what: 名前, before: 古い, since: 新しい}
"""
LAB = "# minutes: 1\n# colab: no\n\n# %% one\nprint(1)\n"
FENCES = "".join(
    f"\n```{kind}\n{name}\n```\n"
    for kind, name in (
        ("snippet", "t/measured"),
        ("plot", "t/plot"),
        ("snippet", "t/only"),
        ("table", "wheels/pip"),
        ("table", "nccl/backends"),
    )
)
SETTINGS = """site_name: {title}
docs_dir: docs/{lang}
theme: {{name: material, language: {lang}, font: false}}
extra:
  site_root: https://guide.example/
  alternate:
    - {{lang: de, hreflang: de, link: de/}}
    - {{lang: ja, hreflang: ja, link: ja/}}
nav:
  - A: index.md
  - B: second.md
  - C: labs/small.ipynb
exclude_docs: /labs/*.md
plugins:
  mkdocs-jupyter: {{include: ["*.ipynb"], ignore: ["*.md"], execute: false}}
  search: {{lang: [en]}}
  gpu-guide: {{}}
markdown_extensions: {{attr_list: {{}}, gpu_guide.render: {{}}}}
"""


@pytest.fixture
def whole(guide: Project) -> Project:
    """The guide with everything that a page can show, and a machine that ran it."""
    of_wheels = (
        TEXTS["wheels"].replace("  zh: 元数据", "  de: Daten").replace("  en: meta", "  ja: メタ")
    )
    files = {
        "snippets/t/measured.py": MEASURED,
        "snippets/t/only.py": ONLY_A_GPU,
        "labs/small.py": LAB,
        "data/plots.yml": PLOT,
        "data/nccl.yml": NCCL,
        "data/wheels.yml": of_wheels,
        "data/search_aliases.yml": "de: {}\nja: {}\n",
        "theme/root/index.html": "{{ site_root }}",
        "theme/root/404.html": "{{ site_root }}",
    }
    for name in ("pyproject.toml", "rumdl.toml"):
        files[name] = (HERE.root / name).read_text(encoding="utf-8")
    for lang, path in guide.configs.items():
        title, description, _ = PAGES[lang]
        files[path.name] = SETTINGS.format(title=title, lang=lang)
        page = f"docs/{lang}/second.md"
        files[page] = (guide.root / page).read_text(encoding="utf-8") + FENCES
        files[f"docs/{lang}/labs/small.md"] = (
            f"---\ntitle: {title} 3\ndescription: 3 {description}\n---\n\n# {title} 3\n\n"
            f"{description}\n\n```cell\nsmall/one\n```\n"
        )
    begin(guide.root, *guide.languages, files=files)
    snippets, lab = load_snippets(guide), load_labs(guide)["small"]
    printed = (Printed(0, "eins: 1"), Printed(1, "zwei: 2"))
    entry = Entry(snippets["t/measured"].sha256, printed, 1.0)
    write(Record(H100, {"t/measured": entry}), guide.records)
    shown = {"one": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]}
    write_lab_record(LabRecord(H100, {"small": LabRun(lab.sha256, shown, 1.0)}), guide.lab_records)
    for lang in guide.languages:
        made = notebook.make(lab, lab_text.read(guide, lang, "small"), shown, str)
        notebook.path_of(guide, lang, "small").write_text(notebook.dumps(made), encoding="utf-8")
    for page in ("second.md", "labs/small.md"):
        translations.mark_in_line(guide, page)
    return guide


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that say which language they are of, and else are the English ones."""
    for language in ("de", "ja"):
        table: dict[str, str | tuple[str, ...]] = {}
        for key, said in WORDS["en"].items():
            texts = (said,) if isinstance(said, str) else said
            marked = tuple(f"{language}:{text}" for text in texts)
            table[key] = marked[0] if isinstance(said, str) else marked
        monkeypatch.setitem(WORDS, language, table)


@pytest.mark.usefixtures("words")
def test_nothing_is_wrong_with_the_whole_guide(whole: Project) -> None:
    report = check(whole)
    assert (report.problems, report.notices) == ((), ())


def test_make_check_names_every_word_that_a_language_lacks(whole: Project) -> None:
    where = "gpu_guide/render/words/"
    told = [one for one in check(whole).problems if one.startswith(where)]
    assert len(told) == 2 * len(WORDS["en"])
    assert f"{where}ja.yml: no word 'not_recorded' — add it, as in en.yml and zh.yml" in told


@pytest.mark.build
@pytest.mark.usefixtures("words")
def test_both_sites_are_built_in_their_languages(
    whole: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "site"
    assert build(whole, out, "https://guide.example/", workers=InThisProcess()) == []
    for lang, other in (("de", "ja"), ("ja", "de")):
        page = (out / lang / "second" / "index.html").read_text(encoding="utf-8")
        lab = (out / lang / "labs" / "small" / "index.html").read_text(encoding="utf-8")
        for said in (
            f"NVIDIA H100{lang}:, torch ",
            f"{lang}:Needs a GPU: not recorded yet",
            f"<summary>{lang}:The figures of the plot</summary>",
            f"{lang}:Sources, read 2026-11-22: ",
            f"{lang}:CPU-only",
            f'<th scope="col">{lang}:since 2.15</th>',
            {"de": "Zeiten", "ja": "時間の図"}[lang],
            {"de": ">erste<", "ja": ">一番<"}[lang],
            {"de": "Gemessen", "ja": "測る"}[lang],
            {"de": "neu</td>", "ja": "新しい</td>"}[lang],
        ):
            assert said in page, said
        assert f"{lang}:Download the notebook" in lab and f"{lang}:Output 1" in lab
        assert f"NVIDIA H100{lang}:, torch " in lab
        assert f"{other}:" not in page.split("<article")[1].split("</article")[0]
