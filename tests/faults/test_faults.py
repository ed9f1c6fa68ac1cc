"""The planter of faults: what it plants, who notices, and what is known of survivors."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from gpu_guide.data.accepted_survivors import Explained, load_explained
from gpu_guide.faults import pages
from gpu_guide.faults.command import _FIGURE, _SENTENCES, faults
from gpu_guide.faults.count import Result, _around, sample, share, table
from gpu_guide.faults.judge import READING, Verdict, judge
from gpu_guide.faults.snippets import KINDS, Fault, planted
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.run.machine import Environment
from gpu_guide.snippets.model import parse, well_formed_snippets

SOURCE = '''"""Title.

标题。
"""

import torch

# zh: 一个张量。
# en: A tensor.
x = torch.ones(2, 3, dtype=torch.float16).to("cuda:1")
if rank == 0:
    torch.cuda.synchronize()
torch.load("x.pt", map_location=device, weights_only=True)
torch.cuda.set_device(0)
print(x.to("cpu"))
assert x.device == torch.device("cuda:1")
'''


def test_each_kind_is_planted_where_code_does_something() -> None:
    found = {}
    for fault in planted(SOURCE):
        found.setdefault(fault.kind, []).append((fault.line, fault.old, fault.new))
    assert found.keys() == KINDS.keys()
    assert found["device"] == [(10, '"cuda:1"', '"cuda:0"'), (14, "0", "1")]
    assert [(line, new) for line, _, new in found["to"]] == [
        (10, "torch.ones(2, 3, dtype=torch.float16)")
    ]
    assert found["synchronize"] == [(12, "torch.cuda.synchronize()", "pass")]
    assert found["argument"] == [(10, "torch.float16", "torch.float32"), (13, "True", "False")]
    assert found["rank"] == [(11, "0", "1")]
    assert found["map_location"] == [(13, "device", "None")]
    assert [(old, new) for _, old, new in found["size"]] == [("2", "3"), ("3", "4")]
    assert [line for line, _, new in found["line"] if not new] == [10, 13, 14]


def test_a_deleted_statement_takes_its_comments_along() -> None:
    (fault,) = (one for one in planted(SOURCE) if one.kind == "line" and one.line == 10)
    assert "一个张量" not in fault.source and "import torch" in fault.source


@pytest.mark.slow
@pytest.mark.parametrize("topic", sorted(path.name for path in HERE.snippets.iterdir()))
def test_every_fault_is_another_valid_program(topic: str) -> None:
    for snippet in well_formed_snippets(HERE):
        if not snippet.name.startswith(f"{topic}/"):
            continue
        faults = list(planted(snippet.source))
        assert all(fault.source != snippet.source for fault in faults), snippet.name
        for fault in faults[:: 1 + len(snippet.source) // 4_000]:  # reading a long one takes long
            ast.parse(fault.source, snippet.name)


TEXT = '''"""T.

题。
"""

import torch

x = torch.rand(1024, 1024)
print(x.shape)
#> torch.Size([1024, 1024])
'''


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "caught_by"),
    [
        ("题。\n", "", READING),
        ("rand(1024, 1024)", "rand(1024, 1025)", "cpu"),
        ("torch.rand", "torch.zeros", ""),
    ],
)
def test_who_notices_a_fault_first(
    old: str, new: str, caught_by: str, here: Environment, records, tmp_path: Path
) -> None:
    project = Project(tmp_path)
    for config in HERE.configs.values():
        shutil.copyfile(config, tmp_path / config.name)
    (project.snippets / "check").mkdir(parents=True)
    (project.snippets / "check" / "x.py").write_text(TEXT, encoding="utf-8")
    snippet = parse(project.snippets / "check" / "x.py", project)
    (tmp_path / "scratch").mkdir()
    fault = Fault("line", 8, old, new, TEXT.replace(old, new))
    verdict = judge(snippet, fault, here, records, project, tmp_path / "scratch")
    assert verdict.caught_by == caught_by


def test_a_sample_takes_rare_kinds_whole_and_is_the_same_for_a_seed() -> None:
    choices = {"rare": [1, 2], "usual": list(range(10, 100))}
    taken = sample(choices, 12, 3, str)
    assert taken == sample(choices, 12, 3, str) != sample(choices, 12, 4, str)
    assert {1, 2} < set(taken) and len(taken) == 12
    assert len(sample(choices, 1000, 3, str)) == 92


def test_a_fault_that_is_gone_leaves_the_rest_of_a_sample() -> None:
    taken = sample({"usual": range(100)}, 10, 3, str)
    gone = [number for number in range(100) if number != taken[4]]
    assert sample({"usual": gone}, 10, 3, str)[:9] == taken[:4] + taken[5:]


def result(caught_by: str = "", runs: bool = True, reason: str = "") -> Result:
    known = Explained("x", "to", "a", "b", reason, "why") if reason else None
    return Result("x", Fault("to", 1, "a", "b", ""), Verdict(caught_by, "", runs), known)


def test_the_share_is_of_what_a_machine_without_a_gpu_can_notice() -> None:
    found = [result("cpu"), result("cpu"), result(READING), result()]
    others = [result(runs=False), result(reason="equivalent"), result(reason="gpu")]
    assert share(found) == 0.75 == share([*found, *others])
    assert share([*found, result(reason="open")]) == 0.6
    assert "| all | 7 | 4 | 3 | cpu 2, reading 1 |" in table([*found, *others], ["to"])


@pytest.mark.slow
def test_the_survivors_explained_are_faults_that_can_be_planted() -> None:
    known = load_explained(HERE.faults)
    for (name, *wanted), entry in known.items():
        source = (HERE.snippets / f"{name}.py").read_text(encoding="utf-8")
        found = [[fault.kind, fault.old, fault.new] for fault in planted(source)]
        assert wanted in found, f"{name}: {entry.old!r}: delete it from data/{HERE.faults.name}"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("reason: gpu", "reason: bad", "reason: 'bad'"),
        ("  why: w\n", "", "why: missing"),
        ("kind:", "sort:", "unknown key 'sort'"),
    ],
)
def test_a_malformed_list_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = "- in: x\n  kind: to\n  old: a\n  new: b\n  reason: gpu\n  why: w\n"
    (tmp_path / "faults.yml").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(GuideError, match=says):
        load_explained(tmp_path / "faults.yml")


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(GuideError, match="did you mean 'device'"):
        faults(HERE, 1, 0, kinds=["devise"])


@pytest.mark.parametrize("kind", pages.KINDS)
def test_pages_and_records_offer_a_fault_of_each_kind(kind: str) -> None:
    path, begin, end, new = next(iter(pages.KINDS[kind](HERE)))
    text = path.read_text(encoding="utf-8")
    assert begin <= end <= len(text) and new != text[begin:end]


@pytest.mark.parametrize("name", _SENTENCES)
def test_the_readmes_have_the_commands_figure(name: str) -> None:
    (line,) = _FIGURE.findall((HERE.root / name).read_text(encoding="utf-8"))
    template = _SENTENCES[name]
    assert line.startswith(template.partition("{planted}")[0])
    assert "python -m gpu_guide faults" in line


def test_faults_on_pages_are_planted_together_where_they_lie_apart(tmp_path: Path) -> None:
    def place(page: str, kind: str) -> pages.Place:
        return tmp_path / page, Fault(kind, 1, "", "", "")

    places = [place(*one.split()) for one in ("a link", "b link", "a link", "c id", "d id")]
    groups = [[path.name for path, _ in batch] for batch in pages.batches(places, 8)]
    assert groups == [["a", "b"], ["a"], ["c"], ["d"]]


def test_pages_offer_each_kind_of_fault() -> None:
    found = pages.planted(HERE)
    assert found.keys() == pages.KINDS.keys() and all(found.values())
    for kind, places in found.items():
        path, fault = places[len(places) // 2]
        assert fault.kind == kind
        assert fault.source != path.read_text(encoding="utf-8")


def test_a_wrong_word_is_planted_in_prose_and_never_in_code(tmp_path: Path) -> None:
    for config in HERE.configs.values():
        shutil.copyfile(config, tmp_path / config.name)
    guide = Project(tmp_path)
    guide.glossary.parent.mkdir()
    shutil.copyfile(HERE.glossary, guide.glossary)
    page = guide.docs / "zh" / "x.md"
    page.parent.mkdir(parents=True)
    code = "---\ntitle: x\n---\n`batch_size` 和 `sbatch`\n\n```python\n\nbatch = 1\n```\n"
    page.write_text(f"{code}microbatch\n", encoding="utf-8")
    assert list(pages.KINDS["term"](guide)) == []
    page.write_text(f"{code}一个batch。\n", encoding="utf-8")
    ((path, begin, end, new),) = pages.KINDS["term"](guide)
    assert (path, begin, end, new) == (page, len(code) + 2, len(code) + 7, "批次")


def test_what_pages_say_of_a_snippet_is_the_text_of_its_sections(tmp_path: Path) -> None:
    for config in HERE.configs.values():
        shutil.copyfile(config, tmp_path / config.name)
    page = tmp_path / "docs" / "en" / "x.md"
    page.parent.mkdir(parents=True)
    sections = [
        "# 1. A\n\none\n",
        "## 2. B\n\n```snippet\nx/y\n```\n\n3. 4 GiB\n",
        "## C\n\nfive\n",
    ]
    page.write_text("\n".join(sections), encoding="utf-8")
    assert _around(Project(tmp_path), "x/y").split() == ["B", "4", "GiB"]
