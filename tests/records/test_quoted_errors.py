"""What pages quote of PyTorch's errors is what PyTorch says on the machines of records/broken."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from gpu_guide.data.broken_machines import BrokenMachine, load_broken_machines
from gpu_guide.pages.page import Page, load_pages
from gpu_guide.project import HERE
from gpu_guide.records import error_texts

MACHINES = load_broken_machines(HERE)
VERSIONS = {path.stem: error_texts.read(path)[1] for path in error_texts.files(HERE)}
WORDS = {(version, id): told.words for version, ids in VERSIONS.items() for id, told in ids.items()}
PAGES, _ = load_pages(HERE)
OLDER = {("memory/out-of-memory.md", "old-message")}
"""Sections that quote what older versions said."""


def plain(text: str) -> list[str]:
    """The words of a text without punctuation and without the class of the error; a number, with
    its unit if it is of bytes, is 0."""
    text = re.sub(r"^(?:[\w.]+(?:Error|Warning): *)+", "", text.strip())
    text = re.sub(r"\d+(?:\.\d+)*(?: (?:bytes|[KMG]iB))?", "0", text)
    return [word.strip(".,:;`'\"()") for word in text.split()]


def quotes(quote: str, message: str, gaps: int = 1) -> bool:
    """Whether all words of `quote` stand in `message` in their order, with at most `gaps` left out
    in between."""
    words, place = plain(message), 0
    for word in plain(quote):
        if place >= len(words) or words[place] != word:
            if not gaps or word not in words[place:]:
                return False
            gaps -= 1
            place = words.index(word, place)
        place += 1
    return True


def section(page: Page, id: str) -> tuple[int, int]:
    """The first line of a section, and the one behind its last."""
    (begin,) = (heading for heading in page.headings if heading.id == id)
    after = [h.line for h in page.headings if h.line > begin.line and h.level <= begin.level]
    return begin.line, min(after, default=len(page.lines) + 1)


def in_code(page: Page, begin: int, end: int) -> Iterator[str]:
    """What a section quotes: its title, what stands in it as code, also in a fence of text, and
    what leads to it on the same page."""
    (heading,) = (heading for heading in page.headings if heading.line == begin)
    yield heading.text
    for line in page.lines:
        if begin <= line.number < end or f"](#{heading.id})" in line.text:
            yield from re.findall(r"`([^`\n]+)`", line.text)
    for fence in page.fences:
        if begin <= fence.line < end and fence.language == "text":
            yield " ".join(fence.content)


def answers() -> Iterator[object]:
    for id, machine in MACHINES.items():
        for language in HERE.languages if machine.answer else ():
            yield pytest.param(language, machine, id=f"{language}-{id}")


@pytest.mark.parametrize(("language", "machine"), tuple(answers()))
def test_the_section_that_answers_quotes_what_is_said(
    language: str, machine: BrokenMachine
) -> None:
    name, _, id = machine.answer.partition("#")
    page = PAGES[language][f"{name}.md"]
    if id == "real-error":  # the step that prints what is said
        return
    told = [machine.nvidia_smi] if machine.nvidia_smi else []
    told += [text for (_, one), texts in WORDS.items() if one == machine.id for text in texts]
    known = [code for code in in_code(page, *section(page, id)) if len(code) > 8]
    assert any(quotes(code, text) for code in known for text in told), (
        f"{page.path}: section {id} quotes nothing that is said on the machine {machine.id}"
    )


def quoted() -> Iterator[object]:
    """Every fence that begins as a recorded message does, and these messages."""
    for language, pages in PAGES.items():
        for page in pages.values():
            for fence in (fence for fence in page.fences if fence.language == "text"):
                quote = " ".join(fence.content)
                heads = [h.id for h in page.headings if h.line < fence.line]
                begin = plain(quote)[:4]
                like = [t for texts in WORDS.values() for t in texts if plain(t)[:4] == begin]
                if like and (page.address, heads[-1]) not in OLDER:
                    where = f"{language}-{page.address}:{fence.line}"
                    yield pytest.param(quote, dict.fromkeys(like), id=where)


@pytest.mark.parametrize(("quote", "messages"), tuple(quoted()))
def test_a_message_is_quoted_as_it_is(quote: str, messages: dict[str, None]) -> None:
    assert any(quotes(quote, message) for message in messages), "\n".join([quote, *messages])


def test_enough_is_quoted_to_be_compared() -> None:
    assert len(list(quoted())) >= 2 * 5


@pytest.mark.parametrize("language", HERE.languages)
def test_the_errors_that_people_meet_most_are_said(language: str) -> None:
    """Those that lead to the pages which answer broken machines."""
    page = PAGES[language]["reference/errors/index.md"]
    targets = {machine.answer.partition("#")[0] for machine in MACHINES.values()}
    targets |= {"install/compatibility"}
    texts = [text for texts in WORDS.values() for text in texts]
    texts += [machine.nvidia_smi for machine in MACHINES.values()]
    begin, end = section(page, "common")
    rows = [line.text for line in page.lines if begin < line.number < end and "](" in line.text]
    named = [
        code
        for row in rows
        if re.search(r"\]\((?:\.\./\.\./)?([\w/-]+)\.md", row)[1] in targets
        for code in re.findall(r"`([^`]+)`", row.split("](")[0])
    ]
    assert len(named) > 8
    said_here = "\n".join(" ".join(plain(text)) for text in texts)
    unsaid = [code for code in named if " ".join(plain(code)) not in said_here]
    assert unsaid == ["Torch not compiled with CUDA enabled"]  # a CPU-only build says so


SENTENCE = "CUDA kernel errors might be asynchronously reported at some other API call"
ADVICE = "For more detailed error information, run with CUDA_LOG_FILE=stderr"


@pytest.mark.parametrize("language", HERE.languages)
def test_what_the_pages_say_of_the_two_sentences_behind_an_error(language: str) -> None:
    """One is there unless CUDA_LAUNCH_BLOCKING is set; the other is there up to some version."""
    page = PAGES[language]["speed/debugging.md"]
    assert SENTENCE in in_code(page, *section(page, "launch-blocking"))
    answers = PAGES[language]["answers/debugging.md"]
    assert ADVICE in in_code(answers, *section(answers, "driver-log"))
    for version in VERSIONS:
        assert any(SENTENCE in text for text in WORDS[version, "device-side-assert"])
        blocking = WORDS[version, "device-side-assert-while-blocking"]
        assert blocking and not any(SENTENCE in text for text in blocking)
        for id in ("busy", "gpu-older-than-the-build"):
            advised = any(ADVICE in text for text in WORDS[version, id])
            assert advised == (version == "torch-2.13.0")
    everything = str(WORDS.values())
    assert "DSA" not in everything
