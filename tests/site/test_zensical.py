"""Zensical, which follows Material for MkDocs: it builds the same sources, with the same snippets.

The plugin of the guide is not part of that, and neither are the notebooks of the labs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from built_site import built_site, language_pages

from gpu_guide import ROOT
from gpu_guide.project import HERE

OF_PLUGINS = ("labs/", "reference/message/", "404.html")
"""Pages that a plugin makes, and the one that only MkDocs makes for each language."""


@pytest.mark.build
@pytest.mark.parametrize("language", HERE.languages)
def test_zensical_builds_the_same_pages_with_the_same_snippets(
    tmp_path: Path, language: str
) -> None:
    for name in ("docs", "theme"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for config in HERE.configs.values():
        shutil.copy(config, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "-f", HERE.configs[language].name],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-1000:]
    site, built = built_site() / language, tmp_path / "site"
    expected = {
        name: (site / name).read_text(encoding="utf-8").count('<figure class="snippet')
        for name in language_pages(built_site(), language)
        if not name.startswith(OF_PLUGINS)
    }
    found = {
        name: (built / name).read_text(encoding="utf-8").count('<figure class="snippet')
        for name in expected
        if (built / name).is_file()
    }
    assert found == expected
    assert sum(found.values()) > 100
