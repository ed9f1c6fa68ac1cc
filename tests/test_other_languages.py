"""The package with another guide: two pages, in two other languages, from a folder of its own."""

from __future__ import annotations

from pathlib import Path

import markdown
import pytest

from gpu_guide.pages import languages, nav, structure, twins
from gpu_guide.pages.page import load_pages
from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.snippets.model import load_snippets

SNIPPET = '''"""Ein Tensor.

テンソル。
"""

import torch

# de: Drei Zahlen.
# ja: 三つの数。
print(torch.arange(3))
#> tensor([0, 1, 2])
'''
WORDS = {
    "de": ("Anfang", "Eine kleine Seite nur für die Tests, die nichts lehrt.", "zweite"),
    "ja": (
        "始まり",
        "テストのためだけの小さなページで、何も教えません。ほかの用途はまったくありません。",
        "第二",
    ),
}


@pytest.fixture
def guide(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    for name, lang in (("mkdocs.yml", "de"), ("mkdocs.ja.yml", "ja")):
        settings = f"docs_dir: docs/{lang}\nnav:\n  - A: index.md\n  - B: second.md\n"
        (tmp_path / name).write_text(settings, encoding="utf-8")
        title, description, second = WORDS[lang]
        (project.docs / lang).mkdir(parents=True)
        for page, more in (("index", ""), ("second", second)):
            text = (
                f"---\ntitle: {more}{title}\ndescription: {more}{description}\n---\n\n"
                f"# {more}{title}\n\n{description}\n\n```snippet\nt/three\n```\n"
            )
            (project.docs / lang / f"{page}.md").write_text(text, encoding="utf-8")
    (project.snippets / "t").mkdir(parents=True)
    (project.snippets / "t" / "three.py").write_text(SNIPPET, encoding="utf-8")
    for page in ("index.md", "second.md"):
        twins.mark_in_line(project.docs, page)
    return project


def test_snippets_hold_both_languages(guide: Project) -> None:
    snippet = load_snippets(guide.snippets)["t/three"]
    assert snippet.title == {"de": "Ein Tensor.", "ja": "テンソル。"}
    assert "# Drei Zahlen." in snippet.code("de") and "三つ" not in snippet.code("de")
    assert "# 三つの数。" in snippet.code("ja") and "Drei" not in snippet.code("ja")
    path = guide.snippets / "t" / "three.py"
    path.write_text(SNIPPET.replace("# ja: 三つの数。\n", ""), encoding="utf-8")
    with pytest.raises(GuideError, match="'# de:' without '# ja:'"):
        load_snippets(guide.snippets)


def test_the_checks_of_pages_hold_both_languages(guide: Project) -> None:
    def problems() -> list[str]:
        found = [*structure.check(guide.docs, ["t/three"]), *nav.check(guide.root)]
        return [str(one) for one in (*found, *languages.check(load_pages(guide.docs)[0]))]

    assert problems() == []
    assert list(twins.notices(guide.docs)) == []
    path = guide.docs / "ja" / "second.md"
    path.write_text(path.read_text("utf-8").replace("第二始", "次の始"), encoding="utf-8")
    (behind,) = map(str, twins.notices(guide.docs))
    assert "de/second.md: the other language has changed since" in behind


def test_words_that_a_language_lacks_are_asked_for(
    guide: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words for readers stand in tables: each names its file where it has none of a language."""
    options = {"language": "de", "docs": str(guide.docs), "snippets": str(guide.snippets)}
    settings = {"extensions": ["gpu_guide.render"]}
    settings["extension_configs"] = {"gpu_guide.render": options}
    page = "```snippet\nt/three\n```\n"
    with pytest.raises(Exception, match=r"gpu_guide/render/snippet\.py: no words in 'de'"):
        markdown.markdown(page, **settings)
    words = {"de": {"download": "{file} laden", "run": "Ausführen: "}}
    monkeypatch.setattr("gpu_guide.render.snippet._WORDS", words)
    with pytest.raises(Exception, match=r"gpu_guide/records/evidence\.py: no words in 'de'"):
        markdown.markdown(page, **settings)
