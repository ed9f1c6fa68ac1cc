"""Mirrors: each that a command names has an entry, the table dates it, and old dates are told."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
from malformed_data import TEXTS
from rendering import rendered
from small_guides import begin

from gpu_guide import ROOT
from gpu_guide.data import wheel_chooser
from gpu_guide.data.mirrors import NEVER, load_mirrors
from gpu_guide.data.stale_facts import YEAR, old
from gpu_guide.pages.chinese import check_yaml
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE

DATA = load_mirrors(HERE)
ADDRESSES = tuple(mirror.address for mirror in DATA.mirrors)
FENCE = re.compile(r"^( *)```(?:bash|powershell|yaml)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
IN_COMMAND = re.compile(
    r"https://(?:[\w-]*mirrors?\b|pypi\.(?:tuna|nvidia\.cn)|hf-mirror)[^\s\"'`]*"
)
PAGES = [
    path.relative_to(ROOT).as_posix()
    for lang in HERE.languages
    for path in sorted((ROOT / "docs" / lang / "install").glob("*.md"))
]


def without_entry(text: str) -> list[str]:
    """The mirrors in the commands of a page that data/mirrors.yml does not have."""
    commands = "\n".join(match[2] for match in FENCE.finditer(text))
    return [found for found in IN_COMMAND.findall(commands) if not found.startswith(ADDRESSES)]


def test_a_mirror_without_an_entry_is_found() -> None:
    command = "```bash\npip install torch -i {}\n```\n"
    assert without_entry(command.format("https://mirror.example.cn/simple"))
    assert not without_entry(command.format("https://download.pytorch.org/whl/cu130"))
    assert not without_entry(command.format(ADDRESSES[0]))


@pytest.mark.parametrize("page", PAGES)
def test_each_mirror_in_a_command_has_an_entry(page: str) -> None:
    assert not without_entry((ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("lang", HERE.languages)
def test_each_mirror_of_the_table_is_named_by_its_page(lang: str) -> None:
    page = (ROOT / "docs" / lang / "install/mainland-china.md").read_text(encoding="utf-8")
    assert [address for address in ADDRESSES if address not in page] == []


def test_the_mirrors_of_the_chooser_have_entries() -> None:
    named = (wheel_chooser.PYPI_MIRROR, wheel_chooser.WHEEL_MIRROR, wheel_chooser.CONDA_MIRROR)
    assert all(address.startswith(ADDRESSES) for address in named)


@pytest.mark.parametrize("lang", HERE.languages)
def test_the_table_dates_each_mirror(lang: str) -> None:
    html = rendered("```table\ninstall/mirrors\n```", lang)
    rows = [row for row in re.findall(r"<tr>.*?</tr>", html, re.DOTALL) if "<td>" in row]
    assert len(rows) == len(DATA.mirrors) and "`" not in html
    for mirror in DATA.mirrors:
        (row,) = (row for row in rows if f"<code>{mirror.address}</code>" in row)
        day = mirror.worked.isoformat()
        assert (day in row) == (mirror.worked != NEVER)
        urls = [source.url for source in DATA.sources if source.id in mirror.source]
        assert all(f'href="{url}"' in html for url in urls)
    days = [found[0] for row in rows if (found := re.search(r"\d{4}-\d\d-\d\d", row))]
    assert days == sorted(days, reverse=True)


def test_every_source_is_used_and_no_mirror_worked_after_it_was_read() -> None:
    assert {id for mirror in DATA.mirrors for id in mirror.source} == {s.id for s in DATA.sources}
    assert all(mirror.worked <= mirror.read for mirror in DATA.mirrors)


def test_the_chinese_is_good() -> None:
    assert not check_yaml(HERE.mirrors.read_text(encoding="utf-8"))


@pytest.mark.parametrize("key", ["worked", "read"])
def test_a_date_older_than_a_year_is_a_notice(tmp_path: Path, key: str) -> None:
    project = begin(tmp_path, files={"data/mirrors.yml": TEXTS["mirrors"]})
    days = {"worked": date(2026, 8, 31), "read": date(2026, 11, 27)}
    before = [str(notice) for notice in old(project, days[key] + YEAR)]
    after = [str(notice) for notice in old(project, days[key] + YEAR + timedelta(days=1))]
    (new,) = (notice for notice in after if notice not in before)
    assert f"mirrors.yml:7: https://a.cn: {key} on {days[key]}, more than a year ago" in new


def test_an_address_stands_once(tmp_path: Path) -> None:
    text = TEXTS["mirrors"]
    again = text + text[text.index("- kind: mirror") :]
    project = begin(tmp_path, files={"data/mirrors.yml": again})
    with pytest.raises(GuideError, match=r"address: 'https://a\.cn' again"):
        load_mirrors(project)
