"""errors.json and answers.json: what their schemas say, what the data and the pages have.

`PYTHONPATH=. python tests/site/test_for_programs.py` notes the ids of new answers.
"""

from __future__ import annotations

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from built_site import SITE_URL, built_site, read_pages
from jsonschema import Draft202012Validator, ValidationError

from gpu_guide.data.errors import load_errors
from gpu_guide.pages.answers import is_answers
from gpu_guide.pages.page import load_pages
from gpu_guide.project import HERE
from gpu_guide.site import for_programs
from gpu_guide.site.for_programs import NAMES

NOTED = Path(__file__).parents[1] / "data" / "answer_ids.txt"
"""The ids of answers that were ever published. Those of messages are in data/addresses.yml."""

built = pytest.mark.build
in_each_language = pytest.mark.parametrize("language", HERE.languages)


def schema(name: str) -> Draft202012Validator:
    found = json.loads(for_programs.schema(name, SITE_URL))
    Draft202012Validator.check_schema(found)
    return Draft202012Validator(found)


def read(language: str, name: str) -> dict[str, Any]:
    return json.loads((built_site() / language / f"{name}.json").read_text(encoding="utf-8"))


@cache
def of_messages(language: str) -> str:
    return for_programs.errors(HERE, language, SITE_URL)


def present() -> list[str]:
    """The ids of the answers, as the pages have them."""
    return [
        f"{page.path.stem}/{heading.id}"
        for page in load_pages(HERE)[0]["en"].values()
        if is_answers(page)
        for heading in page.headings
        if heading.level == 2
    ]


class Text(HTMLParser):
    """The text of each element with an id that is a heading."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.of: dict[str, str] = {}
        self._id = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if re.fullmatch("h[1-6]", tag):
            self._id = dict(attrs).get("id") or ""
            self.of[self._id] = ""
        elif dict(attrs).get("class") == "headerlink":
            self._id = ""

    def handle_endtag(self, tag: str) -> None:
        if re.fullmatch("h[1-6]", tag):
            self._id = ""

    def handle_data(self, data: str) -> None:
        if self._id:
            self.of[self._id] += data


def shown(markdown: str) -> str:
    """The letters and digits of a text: quotes and blanks are set differently on pages."""
    return re.sub(r"\W", "", re.sub(r"\]\([^)]*\)", "]", markdown))


@in_each_language
def test_messages_are_those_of_the_data(language: str) -> None:
    found = json.loads(of_messages(language))
    schema("errors").validate(found)
    known = load_errors(HERE)
    assert [one["id"] for one in found["errors"]] == [*known]
    for one in found["errors"]:
        message = known[one["id"]]
        assert tuple(one["messages"]) == message.says and tuple(one["torch"]) == message.torch
        assert (one["cause"], one["remedy"]) == (message.means[language], message.fix[language])
        assert one["printed_by"] == message.source_in(language)
        assert ("code" in one["links"]) == bool(message.snippet)
        assert all(id in known for id in one["looks_like"])


def test_a_message_that_was_renamed_is_found_by_its_old_id(monkeypatch) -> None:
    old = {"reference/message/old": "reference/message/xid", "check/old": "check", "start": None}
    monkeypatch.setattr(for_programs.addresses, "load", lambda path: old)
    found = json.loads(for_programs.errors(HERE, "en", SITE_URL))
    assert found["moved"] == {"old": "xid"}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("errors", {"id": "Two Words"}),
        ("errors", {"messages": []}),
        ("errors", {"where": ["amiga"]}),
        ("errors", {"links": {"page": SITE_URL}}),
        ("errors", {"remedies": "no such key"}),
        ("answers", {"id": "no-topic"}),
        ("answers", {"answer": ""}),
        ("answers", {"links": ["../index.md"]}),
    ],
)
def test_the_schemas_refuse_what_is_wrong(name: str, change: dict[str, Any]) -> None:
    message = json.loads(of_messages("en"))
    message["errors"] = message["errors"][:1]
    page = f"{SITE_URL}en/answers/a/#b"
    answer = {"id": "a/b", "topic": "a", "question": "?", "answer": "!", "page": page}
    answer |= {"links": [page]}
    of_answers = {key: message[key] for key in ("language", "guide")} | {"$schema": SITE_URL}
    whole = message if name == "errors" else of_answers | {"answers": [answer]}
    schema(name).validate(whole)
    whole[name][0] |= change
    with pytest.raises(ValidationError):
        schema(name).validate(whole)


def test_no_answer_that_was_published_has_lost_its_id() -> None:
    noted = NOTED.read_text(encoding="utf-8").split()
    assert noted == sorted(set(noted))
    remedy = "give the answer its old id, which is an address in forums and programs"
    assert sorted({*noted} - {*present()}) == [], remedy


@built
@in_each_language
def test_each_link_into_the_guide_leads_somewhere(language: str) -> None:
    pages = read_pages(site := built_site())
    found = [one["links"].values() for one in read(language, "errors")["errors"]]
    found += [[one["page"], *one["links"]] for one in read(language, "answers")["answers"]]
    own = {address for several in found for address in several if address.startswith(SITE_URL)}
    assert len(own) > 1500
    for address in own:
        path, _, anchor = address.removeprefix(SITE_URL).partition("#")
        name = f"{path}index.html" if path.endswith("/") or not path else path
        assert (site / name).is_file(), address
        assert not anchor or anchor in pages[name].ids, address


@built
@in_each_language
def test_messages_and_answers_are_on_the_pages_that_they_name(language: str) -> None:
    site = built_site()
    headings = {}
    for one in read(language, "errors")["errors"]:
        place, _, anchor = one["links"]["listed"].removeprefix(SITE_URL).partition("#")
        if place not in headings:
            html = (site / place / "index.html").read_text(encoding="utf-8")
            headings[place] = Text(html).of
        assert shown(headings[place][anchor]) == shown(one["messages"][0]), one["id"]
    for one in read(language, "answers")["answers"]:
        place, _, anchor = one["page"].removeprefix(SITE_URL).partition("#")
        if place not in headings:
            html = (site / place / "index.html").read_text(encoding="utf-8")
            headings[place] = Text(html).of
        assert shown(headings[place][anchor]) == shown(one["question"]), one["id"]


@built
@in_each_language
def test_answers_are_all_of_their_pages(language: str) -> None:
    """Together they are what follows the first question of a page, and nothing else is."""
    found = read(language, "answers")
    schema("answers").validate(found)
    assert [one["id"] for one in found["answers"]] == present()
    texts: dict[str, list[str]] = {}
    for one in found["answers"]:
        part = f"## {one['question']}\n\n{one['answer']}"
        texts.setdefault(one["topic"], []).append(part)
    for topic, parts in texts.items():
        page = (built_site() / language / "answers" / topic / "index.md").read_text("utf-8")
        assert page[page.index("\n## ") + 1 :].rstrip() == "\n\n".join(parts)


@built
def test_schemas_are_where_the_files_say() -> None:
    for name in NAMES:
        for language in HERE.languages:
            place = read(language, name)["$schema"].removeprefix(SITE_URL)
            found = json.loads((built_site() / place).read_text(encoding="utf-8"))
            assert found["$id"] == f"{SITE_URL}{place}"
            assert f"{language}/{name}.json" in (built_site() / "llms.txt").read_text("utf-8")


if __name__ == "__main__":
    before = NOTED.read_text(encoding="utf-8").split() if NOTED.exists() else []
    NOTED.write_text("".join(f"{id}\n" for id in sorted({*before, *present()})), encoding="utf-8")
