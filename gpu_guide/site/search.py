"""The search index of one language as readers get it: small, with the words of the aliases and
synonyms, the descriptions of pages, and the rules by which an error message is found.

theme/assets/search-worker.js says how it is searched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from pathlib import Path
from typing import Any

from gpu_guide.data.addresses import url_of
from gpu_guide.data.errors import Message, load_errors, written_at
from gpu_guide.data.homes import load_homes
from gpu_guide.data.search_words import load_aliases, load_questions, load_synonyms
from gpu_guide.pages.chapters import is_chapter
from gpu_guide.pages.page import load_pages
from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.homes import homes, where
from gpu_guide.render.template import blocks
from gpu_guide.render.words import Words

OF_THE_THEME = ("assets/javascripts/workers/", "assets/javascripts/lunr/")
"""Where the theme's search engine lies, which is not used: see theme/assets/search-worker.js."""

ANSWERS = "search-answers.js"
"""What the search worker loads before it can answer: one file, because it waits for each."""
SCRIPTS = (
    "errors",
    "search-question",
    "search-places",
    "search-names",
    "search-ranking",
    "search-results",
)
_CHINESE = re.compile("[\u3400-\u9fff]+")


def finish_index(index: Path, project: Project, language: str) -> None:
    """Add what the search knows besides the pages' text, and write UTF-8: MkDocs spells out
    each Chinese character in six bytes. Raises GuideError."""
    content = json.loads(index.read_text(encoding="utf-8"))
    aliases = load_aliases(project, language)
    content.setdefault("config", {})["synonyms"] = load_synonyms(project, language)
    pages = load_pages(project)[0][language]
    places = {place["location"]: place for place in content["docs"]}
    for address, page in pages.items():
        location = url_of(address.removesuffix(".md"))
        if location in places:
            places[location]["about"] = page.description
            if is_chapter(page):  # who searches wants the page that has all of a subject
                places[location]["text"] = ""
    chapters = tuple(url_of(a.removesuffix(".md")) + "#" for a, p in pages.items() if is_chapter(p))
    content["docs"] = [one for one in content["docs"] if not one["location"].startswith(chapters)]
    for location, words in aliases.items():
        if location not in places:
            raise _nowhere(project.search_aliases, language, location)
        places[location]["words"] = words
    if project.errors.is_dir():
        for message in load_errors(project).values():
            location = _address(message.place)
            if location not in places:
                remedy = f"write a fence `errors` with {message.group} there"
                what = f"{location!r} is no place of the site"
                raise fault(*written_at(project, message), what, remedy)
            places[location]["message"] = _rule(message, language)
    content["config"]["homes"] = _homes(project, {one["location"] for one in content["docs"]})
    same, asked = load_questions(project, language)
    content["config"]["asked"] = {
        "same": same,
        "questions": [[_there(project, places, p), said] for p, said in asked.items()],
    }
    content["config"]["chinese_words"] = _chinese_words(content)
    small = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    index.write_text(small, encoding="utf-8", newline="\n")


def join_scripts(assets: Path) -> None:
    """Write `ANSWERS` from the scripts in the folder `assets`, and remove those that nothing else
    loads. A guide without these scripts has the search of the theme, and is left as it is."""
    scripts = [assets / f"{name}.js" for name in SCRIPTS]
    if not scripts[0].is_file():
        return
    parts = [script.read_text(encoding="utf-8") for script in scripts]
    (assets / ANSWERS).write_text("\n".join(parts), encoding="utf-8", newline="\n")
    for script in scripts:
        if script.name.startswith("search-"):
            script.unlink()


def _chinese_words(content: dict[str, Any]) -> list[str]:
    """The runs of Chinese characters in the index, each once.

    Jieba has cut the texts into words. A reader's browser would take longer over finding them again
    than over everything else before its first answer."""
    texts = [text for group in content["config"]["synonyms"] for text in group]
    for place in content["docs"]:
        texts += [place["title"], place["text"], place.get("words", "")]
    return sorted({run for text in texts for run in _CHINESE.findall(text)})


def _rule(message: Message, language: str) -> dict[str, object]:
    """What theme/assets/errors.js looks for, and what the search box shows of it."""
    return {
        "says": message.says,
        "rank": message.rank,
        "page": _address(message.page),
        "told": blocks(message.told(language, Words(language)("sentence_space"))),
    }


def _homes(project: Project, places: Container[str]) -> dict[str, list[str]]:
    """By address, the names whose home it is; theme/assets/search-names.js looks for what is typed.
    Names with few dots come first, because the ends of longer ones are names, too."""
    found: dict[str, list[str]] = {}
    stated = load_homes(project)
    all_homes = loaded(homes, project, project.docs)
    for name in sorted(all_homes, key=lambda one: (one not in stated, one.count("."), one)):
        if (location := _address(all_homes[name])) in places:
            found.setdefault(location, []).append(name)
    return found


def _there(project: Project, places: Container[str], place: str) -> str:
    """The address of a place of data/questions.yml. Raises GuideError where there is none."""
    location = _address(where(project, place))
    if location not in places:
        remedy = "write a page's address below docs/en and, behind #, the id of a heading"
        raise fault(project.questions, None, f"{place!r} is no place of the site", remedy)
    return location


def _address(place: str) -> str:
    """The address of `page#section` below the language's folder: `page/#section`."""
    page, hash_, section = place.partition("#")
    return f"{url_of(page)}{hash_}{section}"


def _nowhere(path: Path, language: str, location: str) -> GuideError:
    lines = path.read_text(encoding="utf-8").splitlines()
    start = lines.index(f"{language}:")
    line = start + [text.startswith(f"  {location}:") for text in lines[start:]].index(True)
    what = f"{location!r} is no page or heading of docs/{language}"
    remedy = "write the page's address and, behind #, the id of one of its headings"
    return fault(path, line + 1, what, remedy)
