"""The messages of data/errors: they are torch's own, they are found, and pages show them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import torch
from markdown import Markdown

from gpu_guide import fast_yaml
from gpu_guide.data.errors import LONGEST, Message, found_in, load_errors
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project

MESSAGES = load_errors(HERE)
SITE = Path(torch.__file__).parent.parent
RELEASE = torch.__version__.partition("+")[0]


def first(text: str) -> str:
    """The id of the message that is found first."""
    found = found_in(text, MESSAGES.values())
    return found[0].id if found else ""


def test_there_are_messages_for_each_group_page() -> None:
    groups = {message.group for message in MESSAGES.values()}
    for language in HERE.languages:
        folder = HERE.docs / language / "reference/errors"
        pages = {path.stem for path in folder.glob("*.md")} - {"index"}
        assert pages == groups
        for group in groups:
            assert f"```errors\n{group}\n```" in (folder / f"{group}.md").read_text("utf-8")


@pytest.mark.parametrize(
    "message",
    [
        m
        for m in MESSAGES.values()
        if RELEASE in m.torch
        and (SITE / m.source).suffix == ".py"
        and m.source.startswith("torch/")
    ],
    ids=lambda message: message.id,
)
def test_text_stands_in_the_file_of_torch_that_is_named(message: Message) -> None:
    """Held against the torch that is installed, if it is a release that the entry names."""
    source = bare((SITE / message.source).read_text("utf-8").replace('f"', ""))
    beginnings = [max(says.split("…"), key=len)[:40] for says in message.says]
    assert any(bare(beginning) in source for beginning in beginnings), beginnings


def bare(text: str) -> str:
    """Without blanks and quotes: a long text is written in pieces, which Python joins."""
    return "".join(text.replace('"', "").replace("'", "").split())


@pytest.mark.parametrize("group", sorted({message.group for message in MESSAGES.values()}))
def test_each_wording_finds_its_message(group: str) -> None:
    for message in (message for message in MESSAGES.values() if message.group == group):
        for wording in message.says:
            pasted = wording.replace("…", "some 17 words")
            text = f"Traceback:\n  File x.py\nRuntimeError: {pasted}\nend"
            assert message in found_in(text, MESSAGES.values()), wording


def test_blanks_case_and_colours_make_no_difference() -> None:
    text = "\x1b[31mcuda  OUT of\n memory.\r\n\x1b[0m Tried to ALLOCATE 2 GiB"
    assert first(text) == "out-of-memory"


def test_of_two_messages_the_one_of_which_more_stands_there_comes_first() -> None:
    text = "CUDA error: out of memory. CUDA out of memory. Tried to allocate 20.00 MiB"
    found = [message.id for message in found_in(text, MESSAGES.values())]
    assert found == ["out-of-memory", "cuda-error-out-of-memory"]


@pytest.mark.parametrize("text", ["CUDA out of memory", "RuntimeError: CUDA out of memory"])
def test_what_is_typed_of_the_commonest_message_finds_it(text: str) -> None:
    assert first(text) == "out-of-memory"


@pytest.mark.parametrize(
    ("between", "id"), [("(17)", "worker-exited"), ("x" * 300, "")], ids=["near", "far"]
)
def test_what_varies_may_be_long_but_not_endless(between: str, id: str) -> None:
    assert first(f"DataLoader worker (pid(s) {between}) exited unexpectedly") == id


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Epoch 3: loss 0.231, 412 samples/s",
        "NVIDIA-SMI 580.65.06  Driver Version: 580.65.06  CUDA Version: 13.0",
        "import torch\nprint(torch.cuda.is_available())\nTrue",
        "\x00\xff" * 1000,
        "<script>alert(1)</script>",
    ],
)
def test_healthy_and_other_texts_find_nothing(text: str) -> None:
    assert first(text) == ""


def test_in_a_long_text_the_beginning_and_the_end_are_looked_at() -> None:
    filler = "a line of a log\n" * (LONGEST // 8)
    assert first(filler + "Torch not compiled with CUDA enabled") == "not-compiled-with-cuda"
    assert first("Torch not compiled with CUDA enabled" + filler) == "not-compiled-with-cuda"
    assert first(filler + "Torch not compiled with CUDA enabled" + filler) == ""


def test_messages_of_the_trials_lead_to_a_right_page() -> None:
    """Fifty messages, written down before the rules were tried on them."""
    trials = fast_yaml.load((HERE.data / "search_trials.yml").read_text("utf-8"))["messages"]
    wrong = []
    for trial in trials:
        found = found_in(trial["query"], MESSAGES.values())
        page = found[0].page.partition("#")[0].removesuffix("index") if found else ""
        if f"{page.rstrip('/')}/" not in trial["pages"]:
            wrong.append(trial["query"])
    assert len(wrong) <= 1, wrong


def convert(text: str, language: str) -> str:
    return Markdown(
        extensions=["attr_list", "gpu_guide.render"],
        extension_configs={"gpu_guide.render": {"language": language}},
    ).convert(text)


def words(html: str) -> str:
    """What stands there, without the tags: a term's first mention on a page is a link."""
    return re.sub(r"<[^>]+>", "", html).strip()


@pytest.mark.parametrize("language", HERE.languages)
def test_a_fence_becomes_a_heading_for_each_message(language: str) -> None:
    html = convert("# Messages\n\n```errors\ncheckpoints\n```\n", language)
    shown = [message for message in MESSAGES.values() if message.group == "checkpoints"]
    assert html.count("<h2 id=") == len(shown) > 5
    for message in shown:
        assert f'<h2 id="{message.id}">' in html
        for text in (message.means, message.fix, message.confirm):
            assert words(convert(text[language], language)) in words(html)


@pytest.mark.parametrize("language", HERE.languages)
def test_what_looks_the_same_is_linked_on_its_page(language: str) -> None:
    html = convert("# Messages\n\n```errors\ncheckpoints\n```\n", language)
    assert MESSAGES["zip-archive"].unlike == ("unsupported-operand",)
    assert html.count('<a href="#unsupported-operand">') >= 2
    assert '<a href="devices.md#invalid-device-ordinal">' in html
    apart = MESSAGES["zip-archive"].apart[language]
    assert words(convert(apart, language)) in words(html)


@pytest.mark.parametrize("language", HERE.languages)
def test_the_number_that_the_index_states_is_right(language: str) -> None:
    page = (HERE.docs / language / "reference/errors/index.md").read_text("utf-8")
    description = next(line for line in page.splitlines() if line.startswith("description:"))
    assert f" {len(MESSAGES)} " in description


@pytest.mark.parametrize("language", HERE.languages)
@pytest.mark.parametrize("group", sorted({message.group for message in MESSAGES.values()}))
def test_an_old_anchor_leads_to_the_page_where_the_message_stands_now(
    group: str, language: str
) -> None:
    html = convert(f"# Messages\n\n```errors\n{group}\n```\n", language)
    _, _, elsewhere = html.partition('<h2 id="elsewhere"')
    moved = {
        f'<a href="{message.group}.md#{message.id}" id="{message.id}">'
        for message in MESSAGES.values()
        if message.once == group
    }
    assert set(re.findall(r"<a [^>]*>", elsewhere)) == moved


def test_messages_that_were_published_on_another_page_are_still_found_there() -> None:
    """One of each page that messages have left: its old address stands in issues and forums."""
    left = {
        "cublas-invalid-value": "installation",
        "nms-missing": "installation",
        "long-but-float": "precision",
        "triton-missing": "precision",
        "address-in-use": "several-gpus",
    }
    assert {id: MESSAGES[id].once for id in left} == left


def test_a_group_that_is_not_there_is_told() -> None:
    with pytest.raises(GuideError, match=r"no group 'checkpoint'.*did you mean 'checkpoints'"):
        convert("```errors\ncheckpoint\n```\n", "en")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("rank: 1", "rank: 4"), r"rank: 4 — 1 very often"),
        (("id: no-nvidia-driver", "id: not-compiled-with-cuda"), r"'not-compiled-with-cuda' again"),
        (("where: [windows", "where: [beos"), r"where: 'beos' — the places are linux"),
        (("  page: check", "  pages: check"), r"unknown key 'pages'"),
        (("- 'Torch not compiled with CUDA enabled'", "- '… …'"), r"so little is found everywhere"),
        (("  confirm:\n", "  confirms:\n"), r"unknown key 'confirms'"),
        (("  confirm:\n    zh", "  confirm:\n    fr"), r"confirm: nothing in 'zh'"),
        (("  apart:\n    zh", "  apart:\n    fr"), r"apart: nothing in 'zh'"),
        (("  apart:\n", "  source_said:\n"), r"apart: missing"),
        (("PyTorch 是 CUDA 版，", "[PyTorch](a.md) 是 CUDA 版，"), r"means: a link — `page` leads"),
        (("unlike: [no-nvidia-driver", "unlike: [no-nvidia"), r"'no-nvidia' — did you mean"),
        (("unlike: [no-nvidia-driver", "unlike: [not-compiled-with-cuda"), r"unlike: 'not-com"),
        (("  unlike: [no-nvidia-driver, no-cuda-gpus]\n", ""), r"apart: from what\?"),
        (
            ("  once: installation", "  once: instalation"),
            r"'instalation' — did you mean 'installat",
        ),
        (("  source_said: {zh", "  source_said: {fr"), r"has English words — write it in 'zh'"),
        (("  once: installation", "  once: libraries"), r"once: 'libraries' — name another group"),
    ],
)
def test_what_is_wrong_in_the_data_is_told_with_its_file_and_line(
    project: Project, change: tuple[str, str], told: str
) -> None:
    names = ("driver.yml", "libraries.yml")
    files = (project.errors / name for name in names)
    file = next(file for file in files if change[0] in file.read_text("utf-8"))
    before, old, after = file.read_text("utf-8").partition(change[0])
    entry = (before + old).rpartition("\n- id: ")[0].count("\n") + 2
    file.write_text(before + change[1] + after, "utf-8")
    with pytest.raises(GuideError, match=rf"data/errors/{file.name}:{entry}: .*{told}"):
        load_errors(project)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A guide that has the messages of this one."""
    shutil.copytree(HERE.errors, tmp_path / "data/errors")
    for name in ("mkdocs.yml", "mkdocs.en.yml"):
        shutil.copyfile(HERE.root / name, tmp_path / name)
    return Project(tmp_path)


def test_a_file_that_is_no_yaml_is_told(project: Project) -> None:
    file = project.errors / "memory.yml"
    file.write_text("- id: [\n", "utf-8")
    with pytest.raises(GuideError, match=r"data/errors/memory\.yml:\d: not YAML"):
        load_errors(project)


def test_the_file_says_the_group(project: Project) -> None:
    file = project.errors / "memory.yml"
    text = file.read_text("utf-8")
    file.write_text(text.replace("\n  says:", "\n  group: memory\n  says:", 1), "utf-8")
    with pytest.raises(GuideError, match=r"memory\.yml:\d+: group: 'memory' — delete the key"):
        load_errors(project)
    file.rename(project.errors / "ram.yml")
    (project.errors / "ram.yml").write_text(text, "utf-8")
    assert "ram" in {message.group for message in load_errors(project).values()}


@pytest.mark.parametrize(
    ("line", "told"),
    [("no-nvidia-drive", "did you mean 'no-nvidia-driver'"), ("driver-too-old", "first on line")],
)
def test_what_is_wrong_in_the_order_is_told(project: Project, line: str, told: str) -> None:
    order = project.errors / "order.txt"
    lines = [*order.read_text("utf-8").splitlines(), line]
    order.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(GuideError, match=rf"order\.txt:{len(lines)}: .*{told}"):
        load_errors(project)


def test_a_message_needs_no_place_in_the_order(project: Project) -> None:
    order = project.errors / "order.txt"
    order.write_text("# Frequent ones first.\nout-of-memory\ndriver-too-old\n", "utf-8")
    ids = list(load_errors(project))
    assert ids[:2] == ["out-of-memory", "driver-too-old"]
    assert set(ids) == set(MESSAGES)
