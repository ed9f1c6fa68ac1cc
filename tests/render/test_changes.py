"""Diffs between two snippets, made when a page is built."""

from __future__ import annotations

import pytest
from small_guides import begin

from gpu_guide.problems import GuideError
from gpu_guide.render.changes import Changes
from gpu_guide.render.words import Words

OLD = """
x = 1
a = b = 0
print(a)
#> 0


def step():
    # zh: 算。
    # en: Compute.
    y = x + 1
    print(y)
    #> 2


step()
"""
NEW = OLD.replace("    print(y)", "    y += 1\n    print(y)").replace("x = 1", "x = 2", 1)
NEW = NEW.replace("en: Compute.", "en: Compute it.")


@pytest.fixture
def changes(tmp_path):
    head = '"""Title.\n\n标题。\n"""\n'
    files = {"snippets/t/old.py": head + OLD, "snippets/t/new.py": head + NEW}
    guide = begin(tmp_path, files=files)
    return lambda names, language="en": Changes(guide, Words(language))(names)


def test_it_shows_what_changes_and_where_in_the_language_of_the_page(changes):
    assert changes("t/old t/new") == (
        "```diff\n@@\n-x = 1\n+x = 2\n a = b = 0\n@@\n def step():\n-    # Compute.\n"
        "+    # Compute it.\n     y = x + 1\n+    y += 1\n     print(y)\n```"
    )
    assert "Compute" not in changes("t/old t/new", "zh")
    back = "```diff\n@@\n-x = 2\n+x = 1\n a = b = 0\n@@ step @@"
    assert changes("t/new t/old", "zh").startswith(back)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("t/old", "not two snippets"),
        ("t/old t/now", "did you mean 't/new'"),
        ("t/old t/old", "nothing changes"),
    ],
)
def test_what_it_cannot_show_is_told(changes, names, says):
    with pytest.raises(GuideError, match=says):
        changes(names)
