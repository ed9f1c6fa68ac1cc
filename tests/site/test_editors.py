"""The snippets for editors have the form that editors read, and the code of the snippets."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from xml.etree import ElementTree

import pytest
from built_site import built_site

from gpu_guide.project import HERE
from gpu_guide.site import editors
from gpu_guide.snippets.model import load_snippets

VS_CODE, PYCHARM = "editor/pytorch-gpu.code-snippets", "editor/pytorch-gpu.xml"
in_each_language = pytest.mark.parametrize("language", HERE.languages)


@cache
def written(language: str) -> dict[str, str]:
    return editors.files(HERE, language)


def inserted_by_vs_code(body: list[str]) -> str:
    """What VS Code inserts: a backslash stands before a character that is meant as it is, and a
    dollar without one begins a variable, of which there is none."""
    text = "\n".join(body) + "\n"
    assert re.fullmatch(r"(?:[^\\$]|\\[\\$}])*", text), text
    return re.sub(r"\\(.)", r"\1", text)


def inserted_by_pycharm(value: str) -> str:
    """What PyCharm inserts: of two dollars one, and a single one begins a variable."""
    assert "$" not in value.replace("$$", "")
    return value.replace("$$", "$")


@in_each_language
def test_both_files_have_the_code_of_the_snippets(language: str) -> None:
    files = written(language)
    assert [*files] == [VS_CODE, PYCHARM]
    root = ElementTree.fromstring(files[PYCHARM])
    assert root.tag == "templateSet" and root.get("group") == editors.GROUP
    templates = {one.get("name"): one for one in root}
    entries = json.loads(files[VS_CODE])
    assert [*templates] == [*entries]
    left_out = []
    for name, snippet in load_snippets(HERE).items():
        short = editors.abbreviation(name)
        if short not in entries:
            left_out.append(name)
            continue
        entry, template = entries[short], templates[short]
        code = re.sub(r"(?m)^ *#>.*\n", "", snippet.code(language))
        assert inserted_by_vs_code(entry["body"]) == code
        assert inserted_by_pycharm(template.get("value")) == code
        ast.parse(code)
        assert entry["prefix"] == short and entry["scope"] == "python"
        assert entry["description"] == template.get("description")
        assert entry["description"] == snippet.title[language].rstrip(".。")
        assert [(o.get("name"), o.get("value")) for o in template.iter("option")] == [
            ("Python", "true")
        ]
    assert left_out == ["check/doctor"] and len(entries) > 500


def test_what_means_something_to_an_editor_is_escaped() -> None:
    code = 'print(f"${x}", "\\n", "a & b < c")\nif x:\n    pass\n'
    found = {"gpu-x": ('A "title"', code)}
    (entry,) = json.loads(editors.for_vs_code(found)).values()
    assert entry["body"][0] == 'print(f"\\${x\\}", "\\\\n", "a & b < c")'
    assert inserted_by_vs_code(entry["body"]) == code
    text = editors.for_pycharm(found)
    assert "&#10;" in text and "$${x}" in text
    (template,) = ElementTree.fromstring(text)
    assert template.get("description") == 'A "title"'
    assert inserted_by_pycharm(template.get("value")) == code


@pytest.mark.build
@in_each_language
def test_the_site_has_them_and_a_page_links_to_them(language: str) -> None:
    place = built_site() / language
    page = (place / "check" / "tools" / "index.html").read_text(encoding="utf-8")
    text = (place / "check" / "tools" / "index.md").read_text(encoding="utf-8")
    for name, content in written(language).items():
        assert (place / name).read_text(encoding="utf-8") == content
        assert f'href="../../{name}"' in page and f"/{language}/{name})" in text
    for name in ("llms.txt", "errors.json", "answers.json"):
        assert f'href="../../{name}"' in page
