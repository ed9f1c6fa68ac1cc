"""The glossary page: every explained term once, under its anchor, in both languages."""

from __future__ import annotations

import re

import pytest
from rendering import rendered

from gpu_guide.data.entries import load_glossary
from gpu_guide.pages.chinese import check_text
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE

EXPLAINED = [term for term in load_glossary(HERE) if term.explain]
# What a reader meets first, or what the guide says of itself.
EXPECTED = """
    wheel, package-index, driver, cuda-build, cpu-only-build, compute-capability, kernel-cuda,
    stream, cuda-context, leaf-tensor, buffer-of-a-module, activations-saved, caching-allocator,
    block-of-the-allocator, segment-of-the-allocator, pinned-page-locked-memory, pageable-memory,
    rank, collective-communication, all-reduce, sharding-shard, micro-batch, launch-overhead,
    operator-fusion, autocast, loss-scaling, underflow, gradient-accumulation,
    activation-checkpointing, checkpoint-file, kv-cache, dtensor, device-mesh, gloo, nccl,
    peer-to-peer-p2p-access, nvlink, bf16-tf32, meta-device, default-device, current-device,
    synchronize, fragmentation, workspace-of-a-library, mig, stand-in-gpu, simulated-gpu
"""


def convert(text: str, language: str) -> str:
    return rendered(text, language, "attr_list", "def_list")


@pytest.fixture(scope="module", params=HERE.languages)
def shown(request: pytest.FixtureRequest) -> tuple[str, str]:
    page = HERE.docs / request.param / "reference/glossary.md"
    return request.param, convert(page.read_text("utf-8").partition("\n---\n")[2], request.param)


def test_the_terms_that_readers_meet_first_are_explained() -> None:
    there = {term.id for term in EXPLAINED}
    assert not [id for id in re.split(r",\s+", EXPECTED.strip()) if id not in there]


def test_the_page_has_each_explained_term_once(shown: tuple[str, str]) -> None:
    _, html = shown
    assert sorted(re.findall(r'<dt id="([^"]+)"', html)) == sorted(term.id for term in EXPLAINED)


def test_a_term_has_the_word_of_the_other_language_beside_it(shown: tuple[str, str]) -> None:
    language, html = shown
    entry = html.partition('<dt id="stream">')[2].partition("</dd>")[0]
    here, there = ("流", "stream") if language == "zh" else ("stream", "流")
    other = HERE.other_than(language)
    assert entry.startswith(f'{here} <span lang="{other}">{there}</span></dt>')
    (term,) = (term for term in EXPLAINED if term.id == "stream")
    assert entry.endswith(f"<dd>{term.explain[language]}")


def test_an_explanation_is_a_sentence_of_its_language() -> None:
    for term in EXPLAINED:
        assert term.explain["zh"].endswith("。") and not list(check_text(term.explain["zh"])), term
        assert re.fullmatch(r"[A-Z`][^。，\u4e00-\u9fff]+\.", term.explain["en"]), term


def test_a_topic_that_is_not_there_is_told() -> None:
    with pytest.raises(GuideError, match=r"no topic 'Memori'.*did you mean 'Memory'"):
        convert("```glossary\nMemori\n```\n", "en")
