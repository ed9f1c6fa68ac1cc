"""The package with another guide: two pages, in two other languages, from a folder of its own."""

from __future__ import annotations

from pathlib import Path

import markdown
import pytest
from guides import begin

from gpu_guide.pages import languages, nav, structure, twins
from gpu_guide.pages.page import load_pages
from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.render.words import WORDS
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
        twins.mark_in_line(project, page)
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
    assert list(twins.notices(guide)) == []
    path = guide.docs / "ja" / "second.md"
    path.write_text(path.read_text("utf-8").replace("第二始", "次の始"), encoding="utf-8")
    (behind,) = map(str, twins.notices(guide))
    assert "de/second.md: the other language has changed since" in behind


def test_words_that_a_language_lacks_are_asked_for(
    guide: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words for readers stand in one file, which an error names with the language and the key."""
    config = {"gpu_guide.render": {"language": "de", "root": str(guide.root)}}
    page = "```snippet\nt/three\n```\n"
    for table, key in (({}, "comma"), ({"comma": ", "}, "download")):
        monkeypatch.setitem(WORDS, "de", table)
        with pytest.raises(GuideError, match=rf"render/words\.py: no word {key!r} in 'de'"):
            markdown.markdown(page, extensions=["gpu_guide.render"], extension_configs=config)
