"""The files of whole sections for models: nothing of the pages is lost, nothing is there twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from built_site import SITE_URL, built_site

from gpu_guide.project import HERE
from gpu_guide.site import llms_txt
from gpu_guide.site.llms_txt import Text

ADDRESS = "https://e.org/en/"


def written(out: Path, pages: list[Text]) -> dict[str, str]:
    """The files of a site with these pages, by their place."""
    for one in pages:
        (out / one.address).mkdir(parents=True, exist_ok=True)
    llms_txt.write(pages, out, "en", "Guide", "", ADDRESS)
    files = sorted(out.rglob("*.txt"), key=lambda path: path.as_posix())
    return {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in files}


def page(name: str, section: str, size: int) -> Text:
    text = f"# {name}\n\n{'x' * size}\n"
    return Text(name.title(), f"{section.lower()}/{name}/", section, "", text)


def test_a_section_too_long_for_one_file_has_several(tmp_path: Path) -> None:
    home = Text("Home", "", "", "All", "# Home\n\nx\n")
    pages = [home, page("one", "Memory", 60_000), page("two", "Memory", 60_000), page("a", "To", 9)]
    files = written(tmp_path, pages)
    assert [*files] == [
        "llms-full.txt",
        "llms.txt",
        *(f"llms/{name}.txt" for name in ("home", "memory-one", "memory-two", "to-a")),
    ]
    line = f"- [Memory, part 2 of 2]({ADDRESS}llms/memory-two.txt): 61 KB: Two\n"
    assert line in files["llms.txt"] and line in files["llms-full.txt"]
    assert f"- [To]({ADDRESS}llms/to-a.txt): 1 KB: A\n" in files["llms.txt"]
    assert "x" * 60_000 not in files["llms-full.txt"]


def test_a_page_longer_than_a_file_is_not_cut(tmp_path: Path) -> None:
    files = written(tmp_path, [page("one", "To", llms_txt.LARGEST), page("two", "To", 9)])
    assert "x" * llms_txt.LARGEST in files["llms/to-one.txt"] and "llms/to-two.txt" in files


@pytest.mark.build
@pytest.mark.parametrize("lang", HERE.languages)
def test_each_page_is_in_one_file_below_100_kb(lang: str) -> None:
    out: Path = built_site() / lang
    listed = re.findall(
        r"^- \[.*\]\((.*/llms/.*)\): (\d+) KB", (out / "llms.txt").read_text("utf-8"), re.M
    )
    assert [address for address, _ in listed] == re.findall(
        r"\]\((.*?)\)", (out / "llms-full.txt").read_text("utf-8")
    )
    files = [built_site() / address.removeprefix(SITE_URL) for address, _ in listed]
    assert set(files) == set((out / "llms").iterdir()) and len(files) == len(set(files))
    text = ""
    for file, (_, size) in zip(files, listed, strict=True):
        content = file.read_bytes()
        remedy = "no file can be shorter than its longest page: shorten that"
        assert len(content) < llms_txt.LARGEST == 100_000, f"{file.name}: {remedy}"
        assert 0 <= int(size) * 1000 - len(content) < 1000
        title, _, rest = content.decode().partition("\n\n")
        assert title.startswith("# ") and "\n" not in title
        text += f"{rest}\n"
    pages = [
        built_site() / address.removeprefix(SITE_URL)
        for address in re.findall(r"\]\((.*?/index\.md)\)", (out / "llms.txt").read_text("utf-8"))
    ]
    # In the order of the list, and there is nothing else.
    assert text == "\n".join([*(path.read_text(encoding="utf-8") for path in pages), ""])
