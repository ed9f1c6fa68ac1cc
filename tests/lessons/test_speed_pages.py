"""What the pages on speed say in tables and lists, compared with snippets and with torch itself."""

from __future__ import annotations

import ast
import copy
import re
from pathlib import Path

import pytest
import torch
from built_site import LANGUAGES

from gpu_guide import ROOT

SNIPPETS = ROOT / "snippets/speed"


def section(language: str, page: str, anchor: str) -> str:
    """A section's Markdown, from its heading to the next one of any level."""
    path = ROOT / "docs" / language / f"{page}.md"
    pattern = rf"^#+ .*\{{ #{anchor} \}}\n(.*?)(?=^#+ |\Z)"
    found = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found, f"{path}: no heading with the id {anchor}"
    return found[1]


def same_code(code: str) -> str:
    """Code without what differs only in spelling; "" where it is no expression."""
    try:
        return ast.unparse(ast.parse(code, mode="eval"))
    except SyntaxError:
        return ""


def asserted_waits() -> dict[str, bool]:
    """The calls of `hidden_waits`, and whether it asserts that they wait."""
    tree = ast.parse((SNIPPETS / "hidden_waits.py").read_text(encoding="utf-8"))
    calls: dict[str, bool] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            assert isinstance(node.targets[0], ast.Name)
            waits = {"wait": True, "no_wait": False}[node.targets[0].id]
            for call in node.value.values:
                assert isinstance(call, ast.Lambda)
                calls[ast.unparse(call.body)] = waits
    return calls


@pytest.mark.parametrize("language", LANGUAGES)
def test_table_of_waits_says_what_the_snippet_asserts(language: str) -> None:
    """The table is what readers keep; the snippet is what a GPU can contradict."""
    asserted = asserted_waits()
    compared = 0
    for row in re.findall(
        r"^\| (.*) \| (.*) \|$", section(language, "speed/asynchronous", "what-waits"), re.MULTILINE
    ):
        for code in re.findall(r"`([^`]+)`", row[0]):
            if (waits := asserted.get(same_code(code))) is not None:
                compared += 1
                answer = row[1].startswith(("yes", "等"))
                assert answer == waits, f"{language}: the table says {row[1]!r} of {code}"
    assert compared >= 12


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_names_operators_of_autocasts_own_float32_list(language: str) -> None:
    """The list is read as the page's snippet reads it, from the installed torch."""
    names: dict[str, set[str]] = {}
    source = (SNIPPETS / "autocast_float32_list.py").read_text(encoding="utf-8")
    exec(compile(source, "autocast_float32_list", "exec"), names)
    listed = names["float32"]
    text = section(language, "speed/precision", "autocast")
    sentences = {
        name: next((s for s in re.split(r"[。\n]|\. ", text) if f"`{name}`" in s), "")
        for name in ("layer_norm", "batch_norm")
    }
    claimed, others = (set(re.findall(r"`(\w+)`", sentence)) for sentence in sentences.values())
    assert claimed >= {"layer_norm", "group_norm", "softmax", "sum", "exp", "log", "pow"}
    assert claimed <= listed
    assert others and not others & listed


@pytest.mark.parametrize("language", LANGUAGES)
def test_error_of_an_overwritten_output_is_torchs_own(language: str) -> None:
    """Readers search for the text of the error, so it has to be the text."""
    text = section(language, "speed/cuda-graphs", "outputs-overwritten")
    messages = re.findall(r"`([a-z]+(?: \w+){5,})`", text)
    source = Path(torch.__file__).parent / "_inductor/cudagraph_trees.py"
    raised = source.read_text(encoding="utf-8")
    assert messages
    assert [message for message in messages if message not in raised] == []


class OwnForward(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


BARE = [torch.nn.Linear(2, 2), torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())]
IN_PLACE = {"2.13": 0, "2.15": 1}
"""By release, how many graphs the page says that a bare model has after `model.compile()`."""


def graphs_of(model: torch.nn.Module, in_place: bool) -> int:
    """How many graphs a call of the compiled model compiles."""
    graphs: list[object] = []

    def count(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> object:
        graphs.append(graph)
        return graph.forward

    torch.compiler.reset()
    compiled = copy.deepcopy(model)
    if in_place:
        compiled.compile(backend=count)
    else:
        compiled = torch.compile(compiled, backend=count)
    compiled(torch.rand(3, 2))
    return len(graphs)


def test_what_compile_in_place_compiles() -> None:
    """As speed/compile#state-dict says; between the two releases nothing is said."""
    release = ".".join(torch.__version__.split(".")[:2])
    assert [graphs_of(model, in_place=False) for model in [*BARE, OwnForward()]] == [1, 1, 1]
    assert graphs_of(OwnForward(), in_place=True) == 1
    bare = [graphs_of(model, in_place=True) for model in BARE]
    assert bare == [IN_PLACE.get(release, bare[0])] * 2
