"""The source pages: the project's own, and small trees with one fault each."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide import ROOT
from gpu_guide.pages import structure
from gpu_guide.pages.differences import behind
from gpu_guide.pages.page import parse
from gpu_guide.pages.translations import mark_in_line, notices, stale
from gpu_guide.problems import GuideError, Problem
from gpu_guide.project import HERE, Project

PAGES = sorted((ROOT / "docs").rglob("*.md"))
MARKDOWN = [*PAGES, *HERE.texts]


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- the project's pages -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    names = [
        p.relative_to(HERE.snippets).with_suffix("").as_posix() for p in HERE.snippets.rglob("*.py")
    ]
    return structure.check(HERE, names)


@pytest.fixture(scope="module")
def rumdl() -> list[dict]:
    return run_rumdl(*(label(path) for path in MARKDOWN))


def run_rumdl(*files: str) -> list[dict]:
    """What rumdl finds in the files, with the project's settings."""
    # Beside this Python: `python -m rumdl` looks for the binary elsewhere.
    program = shutil.which("rumdl", path=str(Path(sys.executable).parent))
    assert program, "rumdl is missing: pip install -e '.[test]'"
    command = [program, "check", "--no-cache", "--config", str(ROOT / "rumdl.toml")]
    done = subprocess.run(
        [*command, "--output-format", "json", *files],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode in (0, 1) and done.stdout, done.stderr
    return json.loads(done.stdout)


def test_there_are_pages_in_both_languages() -> None:
    assert {path.relative_to(ROOT / "docs").parts[0] for path in PAGES} >= {"zh", "en"}


@pytest.mark.parametrize("path", PAGES, ids=label)
def test_page(path: Path, problems: list[Problem]) -> None:
    mine = [str(problem) for problem in problems if problem.file == path]
    assert not mine, "\n" + "\n".join(mine)


def test_nothing_is_wrong_beside_the_pages(problems: list[Problem]) -> None:
    """Such as a page that one language lacks, or a snippet that no page shows."""
    others = [str(problem) for problem in problems if problem.file not in PAGES]
    assert not others, "\n" + "\n".join(others)


@pytest.mark.parametrize("path", MARKDOWN, ids=label)
def test_rumdl(path: Path, rumdl: list[dict]) -> None:
    mine = [
        f"{label(path)}:{found['line']}: {found['rule']} {found['message']}"
        for found in rumdl
        if (ROOT / found["file"]).resolve() == path.resolve()
    ]
    assert not mine, "\n" + "\n".join(mine)


def test_rumdl_sees_names_inside_admonitions_and_tabs(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    note = '!!! note "提示"\n\n    用 pytorch。\n'
    text = f'# 页\n\n{note}\n=== "一"\n\n    用 Pytorch，写 `pytorch`。\n'
    file.write_text(text, encoding="utf-8")
    found = [(one["rule"], one["line"]) for one in run_rumdl(str(file))]
    assert found == [("MD044", 5), ("MD044", 9)]


# --- trees with one fault each -------------------------------------------------------------------

INDEX = {
    "zh": """---
title: 首页
description: 一个只给测试用的小小首页，它什么都不教。
twin: "000000000000"
---

# 首页

见[第二页](topic/second.md#one)、[本页](#more)、[官网](https://pytorch.org)，还有 `[x](y.md)`。

!!! note "提示"

    ```bash
    nvidia-smi  # 不是标题，也不是 [链接](no.md)
    ```

=== "一"

    第一个选项卡。

=== "二"

    ![一张图](picture.svg)

## 更多 { #more }

| 列 | `a|b` |
| --- | --- |
| 1 | 2 |

```snippet
topic/first
```

- 列表

    列表里的第二段。

    ```text
    RuntimeError: from here on
    ```

<!-- [a link that nobody sees](gone.md) -->
""",
    "en": """---
title: Home
description: A small home page for the tests alone, which teaches nothing.
twin: "000000000000"
---

# Home

See [the second page](topic/second.md#one), [below](#more) and
[PyTorch](https://pytorch.org), and also `[x](y.md)`.

!!! note "Note"

    ```bash
    nvidia-smi  # not a heading, nor a [link](no.md)
    ```

=== "One"

    The first tab.

=== "Two"

    ![A picture](picture.svg)

## More { #more }

| column | `a|b` |
| --- | --- |
| 1 | 2 |

```snippet
topic/first
```

- A list

    Its second paragraph.

    ```text
    RuntimeError: from here on
    ```

<!-- [a link that nobody sees](gone.md) -->
""",
}
SECOND = {
    "zh": """---
title: 第二页
description: 另一个只给测试用的页面，它也什么都不教。
twin: "000000000000"
---

# 第二页

## 一 { #one }

```snippet
topic/other
show: download
```
""",
    "en": """---
title: Second
description: Another page for the tests alone, which teaches nothing either.
twin: "000000000000"
---

# Second

## One { #one }

```snippet
topic/other
show: download
```
""",
}
NAMES = ("topic/first", "topic/other")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A tree in which nothing is wrong, although no half is in line with the other."""
    files = {}
    for lang in HERE.languages:
        files |= {f"docs/{lang}/index.md": INDEX[lang], f"docs/{lang}/picture.svg": "<svg/>"}
        files[f"docs/{lang}/topic/second.md"] = SECOND[lang]
    return begin(tmp_path, files=files).docs


def check(docs: Path, snippets: Collection[str]) -> list[Problem]:
    return structure.check(Project(docs.parent), snippets)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_correct_tree_has_no_problems(docs: Path) -> None:
    assert [str(problem) for problem in check(docs, NAMES)] == []


# file, what is replaced by what, what the one message says
FAULTS = {
    "table": (
        "en/topic/second.md",
        "## One",
        "| | a |\n|---|---|\n| x | y |\n\n## One",
        "second.md:9: an empty cell in a table's head",
    ),
    "python": ("en/index.md", "```bash\n", "```python\n", "index.md:14: a fence of 'python'"),
    "py": ("en/index.md", "```text\n", "``` py\n", "a fence of 'py'"),
    "pycon": ("en/index.md", "```text\n", "```pycon\n", "a fence of 'pycon'"),
    "braces": ("en/index.md", "```text\n", '```{.python title="x"}\n', "a fence of 'python'"),
    "braces apart": ("en/index.md", "```text\n", "``` { .py3 .x }\n", "a fence of 'py3'"),
    "capitals": ("en/index.md", "```text\n", "```Python\n", "a fence of 'python'"),
    "with options": ("en/index.md", "```text\n", '```python hl_lines="1"\n', "'python'"),
    "tildes": ("en/topic/second.md", "## One", "~~~python\nx = 1\n~~~\n\n## One", "'python'"),
    "four marks": ("en/topic/second.md", "## One", "````py\n```\n````\n\n## One", "'py'"),
    "quoted": ("en/topic/second.md", "## One", "> ```python\n> x\n> ```\n\n## One", "'python'"),
    "in a list item": ("en/topic/second.md", "## One", "- ```python\n  ```\n\n## One", "'python'"),
    "no language": ("en/index.md", "```text\n", "```\n", "a fence without a language"),
    "never ends": ("en/index.md", "on\n    ```\n", "on\n", "index.md:40: a fence that never ends"),
    "python as text": ("en/index.md", "RuntimeError: from", "from torch import", "Python in a"),
    "session as text": ("en/index.md", "RuntimeError: from", ">>> from", "Python in a fence"),
    "indented": (
        "en/topic/second.md",
        "## One",
        "Text.\n\n    x = 1\n\n## One",
        ".md:11: code",
    ),
    "indented in a list": (
        "en/index.md",
        "    Its second",
        "        x = 1\n\n    Its second",
        "index.md:38: code by indentation",
    ),
    "pre": ("en/topic/second.md", "## One", "<pre>x</pre>\n\n## One", "<pre>"),
    "unknown snippet": ("en/index.md", "topic/first", "topic/frist", "did you mean 'topic/first'?"),
    "empty fence": ("en/index.md", "topic/first\n", "", "an empty snippet fence"),
    "no id": ("en/index.md", "## More { #more }", "## More", "no id: 'More'"),
    "id not kebab": ("en/index.md", "# Home", "# Home { #Home_1 }", "id 'Home_1'"),
    "id twice": ("en/index.md", "# Home", "# Home { #more }", "id 'more' again, first on line 7"),
    "second h1": ("en/topic/second.md", "## One", "# One", "a second first-level heading"),
    "no title": ("en/index.md", "title: Home\n", "", "no title"),
    "no description": ("en/index.md", "description: A", "about: A", "no description"),
    "long description": ("en/index.md", "A small", "A small " * 20, "index.md:3: a description of"),
    "short description": (
        "zh/index.md",
        "一个只给测试用的小小首页，",
        "",
        "description of 7 ",
    ),
    "no twin": ("en/index.md", 'twin: "000000000000"\n', "", "gpu_guide twin index`"),
    "twin not text": ("en/index.md", '"000000000000"', "123456789012", "index.md:4: twin is 1234"),
    "not yaml": ("en/index.md", "title: Home", "title: [Home", "front matter is not YAML"),
    "not a mapping": ("en/topic/second.md", "title: Second", "- Second", "front matter is not"),
    "dead link": (
        "en/index.md",
        "topic/second.md#",
        "topic/third.md#",
        "no such file: topic/th",
    ),
    "dead anchor": ("en/index.md", "second.md#one", "second.md#on", "did you mean 'one'?"),
    "dead anchor here": ("en/index.md", "(#more)", "(#less)", "index.md:9: no id 'less' on"),
    "dead html link": (
        "en/index.md",
        "See [",
        'See <a href="no.md">x</a> [',
        "no such file: no.md",
    ),
    "dead reference": ("en/index.md", "See [", "[a]: no.md\n\nSee [", "no such file: no.md"),
    "dead image": ("en/index.md", "(picture.svg)", "(photo.svg)", "no such file: photo.svg"),
    "link to a folder": ("en/index.md", "topic/second.md#one", "topic/", "no such file: topic/"),
    "absolute link": ("en/index.md", "topic/second.md#one", "/topic/", "a link to '/topic/'"),
    "other language": ("en/index.md", "topic/second.md", "../zh/topic/second.md", "a link out of"),
    "no alt": ("en/index.md", "![A picture]", "![]", "no alternative text: picture.svg"),
    "no alt in html": (
        "en/index.md",
        "![A picture](picture.svg)",
        '<img src="picture.svg">',
        "no alternative text: picture.svg",
    ),
    "here": ("en/index.md", "[below](#more)", "[here](#more)", "a link called 'here'"),
    "click here": ("en/index.md", "[below]", "[**Click here**]", "a link called '**Click here**'"),
    "这里": ("zh/index.md", "[本页](#more)", "[这里](#more)", "a link called '这里'"),
    "点击这里": ("zh/index.md", "[本页](#more)", "[点击这里](#more)", "a link called '点击这里'"),
    "html 这里": ("zh/index.md", "[本页](#more)", '<a href="#more">这里</a>', "called '这里'"),
    "todo": ("en/index.md", "The first tab.", "TODO: the first tab.", "unfinished: 'TODO'"),
    "todo in a comment": ("en/index.md", "The first", "<!--\nTODO\n-->\nThe first", "unfinished"),
    "coming soon": ("en/index.md", "The first tab.", "Coming soon.", "unfinished: 'Coming soon'"),
    "敬请期待": ("zh/index.md", "第一个选项卡。", "敬请期待。", "unfinished: '敬请期待'"),
    "待补充": ("zh/index.md", "第一个选项卡。", "（待补充）", "unfinished: '待补充'"),
    "next": ("en/index.md", "## More", "Next: [a](#more).\n\n## More", "names the next page"),
    "接着看": ("zh/index.md", "## 更多", "接着看：[二](#more)。\n\n## 更多", "names the next page"),
}
DIFFERENCES = {
    "heading level": ("en/index.md", "## More", "### More", "heading 2 differs: ## { #more } in"),
    "heading missing": ("en/topic/second.md", "# Second\n", "", "heading 1 differs: # { #None }"),
    "heading more": (
        "en/topic/second.md",
        "## One",
        "## Nil { #nil }\n\n## One",
        "heading 2 differs",
    ),
    "other snippet": ("en/topic/second.md", "topic/other", "topic/first", "snippet 1 differs"),
    "other option": ("en/topic/second.md", "show: download\n", "", "snippet 1 differs"),
    "other admonition": ("en/index.md", "!!! note", "!!! tip", "block 1 differs: !!! note in"),
    "collapsed": ("en/index.md", "!!! note", "??? note", "block 1 differs: !!! note in "),
    "one tab less": ("en/index.md", '=== "Two"\n\n    !', "!", "block 3 differs: tab in "),
    "one row more": (
        "en/index.md",
        "| 1 | 2 |",
        "| 1 | 2 |\n| 3 | 4 |",
        "of 2 columns and 2 ",
    ),
    "one column more": (
        "en/index.md",
        "| column | `a|b` |\n| --- | --- |\n| 1 | 2 |",
        "| a | b | c |\n| - | - | - |\n| 1 | 2 | 3 |",
        "table of 3 columns and 1 rows",
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "message"), FAULTS.values(), ids=FAULTS)
def test_fault_is_found(docs: Path, file: str, old: str, new: str, message: str) -> None:
    edit(docs / file, old, new)
    found = [str(problem) for problem in check(docs, NAMES)]
    hits = [text for text in found if message in text]
    assert hits, "\n".join(["not found", *found])
    assert all(" — " in text for text in hits)
    assert any(f"/{file}:" in text or f"/zh/{file[3:]}:" in text for text in hits)


@pytest.mark.parametrize(("file", "old", "new", "message"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_a_difference_is_found_in_halves_that_say_they_are_in_line(
    docs: Path, file: str, old: str, new: str, message: str
) -> None:
    edit(docs / file, old, new)
    mark_in_line(Project(docs.parent), file[3:])
    found = [str(problem) for problem in check(docs, NAMES)]
    hits = [text for text in found if message in text]
    assert hits and all(" — " in text for text in hits), "\n".join(["not found", *found])
    assert any(f"/{file}:" in text or f"/zh/{file[3:]}:" in text for text in hits)


@pytest.mark.parametrize(("file", "old", "new", "message"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_an_edit_of_one_half_is_told_and_no_problem(
    docs: Path, file: str, old: str, new: str, message: str
) -> None:
    mark_in_line(Project(docs.parent), file[3:])
    edit(docs / file, old, new)
    assert [str(problem) for problem in check(docs, NAMES)] == []
    assert any(message in str(notice) for notice in behind(Project(docs.parent)))


def test_a_page_of_one_language_alone_is_told_and_no_problem(docs: Path) -> None:
    """Links to it hold in both languages, ids included: the other's site shows a notice there."""
    (docs / "en" / "topic" / "second.md").unlink()
    edit(docs / "zh" / "topic" / "second.md", 'twin: "000000000000"\n', "")
    mark_in_line(Project(docs.parent), "index.md")
    assert check(docs, NAMES) == []
    (notice,) = map(str, notices(Project(docs.parent)))
    assert "zh/topic/second.md: this page is in 'zh' alone — " in notice
    edit(docs / "en" / "index.md", "second.md#one", "second.md#two")
    (problem,) = map(str, check(docs, NAMES))
    assert "en/index.md:9: no id 'two' on " in problem


def test_a_page_whose_other_half_is_gone_is_a_problem(docs: Path) -> None:
    """A half that was deleted or renamed by mistake is told by the mark that is left."""
    (docs / "en" / "topic" / "second.md").unlink()
    (problem,) = map(str, check(docs, NAMES))
    assert "zh/topic/second.md:4: its other half " in problem and "is not there" in problem


def test_a_snippet_that_no_page_shows(docs: Path) -> None:
    found = [str(problem) for problem in check(docs, [*NAMES, "topic/unused"])]
    assert len(found) == 1
    assert "snippets/topic/unused.py:1: no page shows this snippet — " in found[0]


def test_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    assert [problem.what for problem in check(begin(tmp_path).docs, [])] == ["no pages", "no pages"]


def test_a_page_that_is_not_utf_8(docs: Path) -> None:
    (docs / "zh" / "index.md").write_bytes("---\ntitle: 首页\n".encode("gbk"))
    found = [str(problem) for problem in check(docs, NAMES)]
    assert any("zh/index.md:2: not UTF-8" in text for text in found), found


def test_what_a_page_holds(docs: Path) -> None:
    page = parse(docs / "en" / "index.md")
    assert (page.title, page.description[:7]) == ("Home", "A small")
    assert [(h.level, h.text, h.id, h.line) for h in page.headings] == [
        (1, "Home", None, 7),
        (2, "More", "more", 26),
    ]
    assert [(fence.language, fence.line) for fence in page.fences] == [
        ("bash", 14),
        ("snippet", 32),
        ("text", 40),
    ]
    assert page.fences[2].content == ("RuntimeError: from here on",)
    assert [(use.name, use.options) for use in page.snippets] == [("topic/first", ())]
    assert [block.what for block in page.skeleton] == [
        "!!! note",
        "tab",
        "tab",
        "table of 2 columns and 1 rows",
    ]
    assert [(link.target, link.image) for link in page.links] == [
        ("topic/second.md#one", False),
        ("#more", False),
        ("https://pytorch.org", False),
        ("picture.svg", True),
    ]


# --- whether the halves are in line --------------------------------------------------------------


def test_marked_pages_are_in_line_until_one_changes(docs: Path) -> None:
    for page in ("index.md", "topic/second.md"):
        mark_in_line(Project(docs.parent), page)
    assert stale(Project(docs.parent)) == {"zh": [], "en": []}
    edit(docs / "en" / "topic" / "second.md", "# Second", "# The second")
    assert stale(Project(docs.parent)) == {"zh": ["topic/second.md"], "en": []}
    edit(docs / "zh" / "index.md", "一个只给", "这是一个只给")
    assert stale(Project(docs.parent)) == {"zh": ["topic/second.md"], "en": ["index.md"]}
    mark_in_line(Project(docs.parent), "topic/second.md")
    mark_in_line(Project(docs.parent), "index.md")
    assert stale(Project(docs.parent)) == {"zh": [], "en": []}
    assert check(docs, NAMES) == []


def test_marking_twice_changes_nothing(docs: Path) -> None:
    mark_in_line(Project(docs.parent), "index.md")
    before = {path: path.read_bytes() for path in docs.rglob("*.md")}
    mark_in_line(Project(docs.parent), "index.md")
    assert {path: path.read_bytes() for path in docs.rglob("*.md")} == before
    assert parse(docs / "en" / "index.md").front["title"] == "Home"


@pytest.mark.parametrize(
    ("old", "new", "is_stale"),
    [
        ("See [the second page]", "See\n[the   second page]", False),
        ("title: Home", 'title: "Home"', False),
        ("# Home\n", "# Home\n\n\n", False),
        ("nvidia-smi  #", "nvidia-smi -L  #", True),
        ("topic/first", "topic/other", True),
        ("title: Home", "title: House", True),
    ],
)
def test_what_counts_as_a_change(docs: Path, old: str, new: str, is_stale: bool) -> None:
    for page in ("index.md", "topic/second.md"):
        mark_in_line(Project(docs.parent), page)
    edit(docs / "en" / "index.md", old, new)
    assert stale(Project(docs.parent))["zh"] == (["index.md"] if is_stale else [])


def test_a_hash_of_decimal_digits_stays_a_text(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu_guide.pages.translations.text_hash", lambda page: "123456789012")
    mark_in_line(Project(docs.parent), "index.md")
    assert parse(docs / "en" / "index.md").front["twin"] == "123456789012"
    assert stale(Project(docs.parent))["zh"] == ["topic/second.md"]


def test_marking_a_page_whose_front_matter_ends_with_dots(docs: Path) -> None:
    """YAML's other way to end it; further down the page may have rules of three hyphens."""
    path = docs / "en" / "index.md"
    head, body = path.read_text(encoding="utf-8").split("---\n", 2)[1:]
    path.write_text(f"---\n{head}...\n{body}\n---\n\nThe end.\n", encoding="utf-8")
    mark_in_line(Project(docs.parent), "index.md")
    assert path.read_text(encoding="utf-8").count("twin:") == 1
    assert path.read_text(encoding="utf-8").endswith(f"...\n{body}\n---\n\nThe end.\n")
    assert stale(Project(docs.parent))["en"] == ["topic/second.md"]


def test_marking_keeps_windows_line_ends(docs: Path) -> None:
    path = docs / "en" / "index.md"
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    mark_in_line(Project(docs.parent), "index.md")
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")
    assert stale(Project(docs.parent))["zh"] == ["topic/second.md"]


def test_marking_a_page_that_has_no_other_half(docs: Path) -> None:
    (docs / "en" / "index.md").unlink()
    with pytest.raises(GuideError, match=r"en/index\.md:1: no such page"):
        mark_in_line(Project(docs.parent), "index.md")


def test_marking_a_page_without_front_matter(docs: Path) -> None:
    (docs / "en" / "index.md").write_text("# Home\n", encoding="utf-8")
    with pytest.raises(GuideError, match="no front matter"):
        mark_in_line(Project(docs.parent), "index.md")
