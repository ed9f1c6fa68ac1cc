"""The snippet fence: what it becomes, for every kind of record, and where it fails."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from fake_environments import GPU, NO_GPU
from rendering import rendered
from small_guides import begin

from gpu_guide.pages.structure import check
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.records.evidence import OnCpu, OnMachine, pinned_torch, runs
from gpu_guide.records.store import Entry, Record, machine_files, write
from gpu_guide.records.store import read as read_record
from gpu_guide.render import provenance
from gpu_guide.render.snippet import code_block, lexed, without_outputs
from gpu_guide.render.words import Words
from gpu_guide.snippets.distributed_setup import FRAME
from gpu_guide.snippets.model import Printed, load_snippets

TORCH = pinned_torch(HERE.constraints)
FILES = {
    "any": '\nprint("cpu")\n#> cpu\n# zh: 中文\n# en: English\nx = "<b>"\n',
    "gpu": '# needs: cuda:2\n\nprint("x")\n#> cuda:1\n',
    "only": '# needs: cuda\n# simulated: no\n\nprint("x")\n',
    "more": '# needs: cuda, sm_80, triton, no-wddm, linux\n# simulated: no\n\nprint("x")\n',
    "both": '# needs: torchrun:2\n\nprint("x")\n#> x\n',
    "none": '# measures: yes\n\nprint("x")\n',
    "loop": '\nfor x in "ab":\n    print("1" + x)\n    print("2" + x)\n    #> 2a\n    #> 2b\n',
}


@pytest.fixture
def project(tmp_path):
    for name, code in FILES.items():
        path = tmp_path / "snippets" / "t" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'"""About `{name}` <.\n\n关于 `{name}` <。\n"""\n{code}', encoding="utf-8")
    return begin(tmp_path).root


@pytest.fixture
def render(project):
    def render(text: str, lang: str = "en") -> str:
        return rendered(text, lang, "admonition", "pymdownx.tabbed", root=project)

    return render


def fence(name: str, *options: str) -> str:
    return "\n".join(["```snippet", name, *options, "```"])


def recorded(project, environment, name: str, *texts: str, seconds: float | None = 0.1) -> None:
    snippet = load_snippets(Project(project))[name]
    prints = tuple(Printed(index, text) for index, text in enumerate(texts))
    write(Record(environment, {name: Entry(snippet.sha256, prints, seconds)}), project / "records")


def test_the_code_is_in_the_language_of_the_page(render):
    zh, en = render(fence("t/any"), "zh"), render(fence("t/any"), "en")
    assert "关于 <code>any</code> &lt;</span>" in zh and "# 中文" in zh and "English" not in zh
    assert "About <code>any</code> &lt;</span>" in en and "# English" in en and "中文" not in en
    assert 'href="%SNIPPETS%/t/any.py" download' in zh
    assert f"CPU，torch {TORCH}" in zh and f"CPU, torch {TORCH}" in en


def test_what_a_snippet_needs_besides_a_gpu_is_said_with_and_without_a_record(render, project):
    en = "Also needs compute capability 8.0 or higher, Triton and a C compiler, "
    en += "a system other than Windows and WSL2, Linux"
    zh = "还需要计算能力不低于 8.0、Triton 和 C 编译器、Windows 和 WSL2 以外的系统、Linux"
    assert en in render(fence("t/more")) and zh in render(fence("t/more"), "zh")
    assert "Also needs" not in render(fence("t/only"))
    recorded(project, GPU, "t/more", "x recorded")
    assert en in render(fence("t/more"))


def test_an_output_is_one_element_with_its_line_end():
    html = code_block('print("a<b")\n    #> a<b\nx = 1\n')
    assert '<span class="snippet__output">    #&gt; a&lt;b\n</span>' in html


def test_the_common_first_lines_are_folded_and_all_there():
    text = f"import os\n\n{FRAME}rank = dist.get_rank()\n    #> rank 0\n"
    html = code_block(text, "the first lines")
    before, _, after = html.partition('<input type="checkbox" class="snippet__fold"')
    assert before.endswith("\n\n") and after.startswith(' aria-label="the first lines">')
    folded = re.search(r'<span class="snippet__frame">(.*?)\n</span>rank', html, re.DOTALL)
    assert unescape(re.sub(r"<[^>]+>", "", folded[1])) + "\n" == FRAME
    assert unescape(re.sub(r"<[^>]+>", "", html)) == text
    assert "snippet__fold" not in code_block(text) + code_block("x = 1\n", "the first lines")


@pytest.mark.parametrize("text", ['x = """a\n\nb"""\n', "if a:\n\n    b\n", "x = 1\n\n\ny = 2\n"])
def test_no_line_of_the_code_is_lost(text):
    html = code_block(text)
    assert unescape(re.sub(r"<[^>]+>", "", html)) == text


LIKE_COMMENTS = [
    "# a < b & 'c' \"d\"\nx = [\n    # first\n    1,  # one\n]\n#!\n",
    'x = """a\n# no comment\n"""\n# one\n',
    "x = '''\n# no comment\n'''\n",
    "# only\n    # comments\n",
]


def test_comments_have_the_colours_that_they_have_in_the_whole_code():
    codes = [snippet.code("en", ()) for snippet in load_snippets(HERE).values()]
    for code in [*LIKE_COMMENTS, *codes]:
        whole = "\n".join(lexed(code))
        assert whole.rstrip("\n") in code_block(without_outputs(code))


def test_neighbours_of_one_colour_are_one_element():
    html = code_block('x = f"a{b}" if None is not 1.5 else 2\n')
    assert html.count('<span class="s">') == 2  # around what is in the braces
    assert html.count('<span class="m">') == 2 and "None is not" in html


def test_it_works_inside_tabs_admonitions_and_lists(render):
    body = fence("t/any").replace("\n", "\n    ")
    for opening in ('=== "One"', "!!! note", "- item"):
        html = render(f"{opening}\n\n    {body}\n")
        assert html.count('<figure class="snippet"') == 1 and "```" not in html


def test_a_fence_shown_inside_a_fence_is_left_alone(render):
    html = render(f"````text\n{fence('t/any')}\n````\n")
    assert "<figure" not in html and "t/any" in html


def test_download_only_shows_no_code(render):
    html = render(fence("t/any", "show: download"))
    assert "<pre>" not in html and "any.py" in html and "snippet__evidence" in html


def test_outputs_to_guess_come_with_a_click(render, project):
    html = render(fence("t/any", "show: guess"))
    code, _, answer = html.partition('<details class="snippet__guess">')
    assert "English" in code and "snippet__output" not in code
    assert "<summary>Guess first, then see what it prints</summary>" in answer
    assert "<pre><code>cpu</code></pre>" in answer
    assert answer.count("<pre>") == 1
    # A title tells what is to be guessed.
    assert "About" not in code and "<p>About <code>any</code> &lt;</p>" in answer


def test_processes_are_run_with_torchrun(render):
    html = render(fence("t/both"))
    assert "<code>torchrun --nproc-per-node=2 both.py</code>" in html
    assert "2 processes (gloo)" in html
    assert "torchrun" not in render(fence("t/any"))
    assert f"CPU，torch {TORCH}，2 个进程（gloo）" in render(fence("t/both"), "zh")


def test_processes_talk_over_nccl_only_where_each_has_a_gpu(render, project):
    recorded(project, GPU, "t/both", "one GPU")
    html = render(fence("t/both"))
    assert "NVIDIA H100" in html and html.count("2 processes (gloo)") == 2 and "NCCL" not in html
    recorded(project, replace(GPU, gpus=2), "t/both", "two GPUs")
    assert "2026-11-21, 2 processes (NCCL)" in render(fence("t/both"))


def test_simulated_output_is_called_so_until_a_gpu_has_printed_its_own(render, project):
    html = render(fence("t/gpu"))
    assert "cuda:1" in html and "Simulated, 2 GPUs: placement only" in html
    recorded(project, replace(GPU, gpus=2, id="nvidia-h100-x2"), "t/gpu", "cuda:1 recorded")
    html = render(fence("t/gpu"))
    assert "cuda:1 recorded" in html and "Simulated" not in html and "tabbed-set" not in html
    assert "NVIDIA H100 80GB HBM3, torch 2.11.0+cu130, CUDA 13.0, driver 580.1, 2026-11-21" in html


STAND_IN = replace(
    GPU, id="stand-in-h100-torch-2.13.0", torch="2.13.0+cu130", driver="", stand_in="h100"
)


def test_a_stand_in_is_never_taken_for_hardware(render, project):
    recorded(project, STAND_IN, "t/only", "from a stand-in", seconds=None)
    zh, en = render(fence("t/only"), "zh"), render(fence("t/only"), "en")
    link = '<a href="%PAGES%/reference/stand-in/">'
    assert f"PyTorch 2.13&#39;s own code on a {link}stand-in GPU</a>, no hardware, " in en
    assert f"PyTorch 2.13 自己的代码，{link}替身 GPU</a>，没有硬件，" in zh
    assert "from a stand-in" in en and GPU.gpu not in en and "not recorded" not in en


@pytest.mark.parametrize("lang", HERE.languages)
@pytest.mark.parametrize("name", [path.stem for path in machine_files(HERE)])
def test_no_machine_is_called_by_the_name_of_its_file(name: str, lang: str) -> None:
    """`cuda-build-no-gpu` is a name of ours; a reader is told what it is."""
    machine = read_record(HERE.records / f"{name}.json").environment
    say = Words(lang)
    said = (provenance.machine_claim(machine, say), provenance.stale_claim(machine, say))
    assert not [claim for claim in said if machine.id in claim]


def test_hardware_is_trusted_before_a_stand_in_and_that_before_a_simulation(render, project):
    recorded(project, STAND_IN, "t/gpu", "from a stand-in", seconds=None)
    html = render(fence("t/gpu"))
    assert "from a stand-in" in html and "placement only" not in html
    recorded(project, GPU, "t/gpu", "from hardware")
    html = render(fence("t/gpu"))
    assert "from hardware" in html and "stand-in GPU" not in html


def test_an_older_stand_in_is_named_as_one(render, project):
    old = Entry("0" * 64, (Printed(0, "old"),), None)
    write(Record(STAND_IN, {"t/only": old}), project / "records")
    html = render(fence("t/only"))
    assert "Stand-in GPU, no hardware (PyTorch 2.13) ran older code" in html and GPU.gpu not in html


def test_without_a_record_a_gpu_only_snippet_says_so(render):
    assert "not recorded yet" in render(fence("t/only"))
    assert "还没有记录" in render(fence("t/only"), "zh")


def test_a_machine_that_prints_something_else_gets_a_tab(render, project):
    recorded(project, GPU, "t/any", "cuda")
    recorded(project, NO_GPU, "t/any", "cpu")
    html = render(fence("t/any"), "zh")
    assert "CPU · CUDA 版，没有 GPU</label>" in html  # prints the same: one tab for both
    assert "NVIDIA H100 80GB HBM3</label>" in html
    assert html.count("<pre>") == 2 and html.count('tabbed-block" data-search-exclude') == 1
    assert html.index("#&gt; cpu") < html.index("#&gt; cuda")
    assert re.findall(r"<input( checked)? id=\"__snippet_1_(\d)", html) == [
        (" checked", "1"),
        ("", "2"),
    ]
    assert re.findall(r'label for="__snippet_1_(\d)', html) == ["1", "2"]


def test_the_tab_that_stands_open_has_an_output_if_one_has(render, project):
    recorded(project, NO_GPU, "t/none", "0.1 s")
    html = render(fence("t/none"))
    assert re.findall(r"<label [^>]*>([^<]*)</label>", html) == ["CUDA build, no GPU", "CPU"]
    first, second = html.split('<div class="tabbed-block"')[1:]
    assert "#&gt; 0.1 s" in first and "#&gt;" not in second


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"id": "nvidia-h100-wsl2", "wsl": True}, "NVIDIA H100 80GB HBM3 (WSL2)"),
        ({"id": "x", "system": "Windows AMD64"}, "NVIDIA H100 80GB HBM3 (Windows)"),
        ({"id": "x", "gpu": "", "gpus": 0, "wsl": True}, "CUDA build, no GPU (WSL2)"),
        ({"id": "apple-mps", "gpu": "", "gpus": 0, "cuda": ""}, "apple-mps"),
    ],
)
def test_one_card_below_two_systems_has_two_names(render, project, facts, name):
    recorded(project, replace(GPU, **facts), "t/any", "something else")
    assert f"{name}</label>" in render(fence("t/any"))
    assert f"{name}, torch 2.11.0" in render(fence("t/any"))


def test_a_stale_record_is_told_and_its_output_is_gone(render, project):
    recorded(project, GPU, "t/any", "cuda")
    path = project / "snippets" / "t" / "any.py"
    path.write_text(path.read_text("utf-8").replace("<b>", "<i>"), encoding="utf-8")
    html = render(fence("t/any"))
    assert "ran older code (2026-11-21)" in html and "#&gt; cuda" not in html
    assert "代码改过" in render(fence("t/any"), "zh")


def test_two_figures_of_a_page_do_not_share_ids(render, project):
    recorded(project, GPU, "t/any", "cuda")
    html = render(f"{fence('t/any')}\n\n{fence('t/any')}\n")
    ids = re.findall(r'id="([^"]+)"', html)
    assert len(ids) == len(set(ids)) == 4


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (fence("t/ani"), 7, "no snippet 't/ani' — did you mean 't/any'?"),
        (fence("q"), 7, "no snippet 'q' — create snippets/q.py"),
        ("Text.\n\n" + fence("t/any", "lines: 3"), 9, "may be there: show: download"),
        ("```snippet\n```", 7, "an empty snippet fence"),
        ("```snippet\nt/any", 7, "the fence is not closed"),
    ],
)
def test_a_fence_that_cannot_be_rendered_names_page_and_line(render, project, text, line, says):
    page = project / "docs" / "en" / "topic.md"
    page.write_text(f"---\ntitle: T\n---\n\n# T\n\n{text}\n", encoding="utf-8")
    with pytest.raises(GuideError) as caught:
        render(f"\n# T\n\n{text}\n")
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{page.as_posix()}:{line}: ")


@pytest.mark.parametrize(
    "opening",
    [
        "```snippet",
        "~~~~ snippet",
        "    ```snippet",
        "> ```snippet",
        "- item\n\n    ```snippet",
        "- item\n\n        ```snippet",
        "text\n\n      ```snippet",
        "- ```snippet",
        "1. ```snippet",
        '```snippet title="x"',
        "```snippet {.x}",
        "``` { .snippet }",
        "```{.snippet}",
        "```.snippet",
        "```Snippet",
        "```SNIPPET",
    ],
)
def test_no_fence_is_left_as_text_without_a_word(render, project, opening):
    """The checks and the renderer agree: it is shown, or both name the page and the line."""
    marks = re.search("[`~]+", opening)[0]
    indent = re.sub(r"[^ >]", " ", opening.splitlines()[-1].partition(marks)[0])
    text = f"# T\n\n{opening}\n{indent}t/any\n{indent}{marks}\n"
    page = project / "docs" / "en" / "topic.md"
    page.write_text(text, encoding="utf-8")
    line = 3 + opening.count("\n")
    named = [problem for problem in check(Project(project), ["t/any"]) if problem.line == line]
    if not named:
        assert render(text).count('<figure class="snippet"') == 1
        return
    with pytest.raises(GuideError) as caught:
        render(text)
    (problem,) = named
    assert str(caught.value) == str(problem)
    assert str(problem).startswith(f"{page.as_posix()}:{line}: ")


def test_runs_of_a_page_are_grouped_by_what_they_printed(project):
    snippet = load_snippets(Project(project))["t/any"]
    same = Record(NO_GPU, {"t/any": Entry(snippet.sha256, snippet.outputs, 0.1)})
    (run,) = runs(snippet, [same], TORCH)
    assert provenance.label(run.origins, Words("en")) == "CPU · CUDA build, no GPU"
    assert run.origins == (OnCpu(TORCH), OnMachine(NO_GPU))


def test_what_looks_the_same_is_one_run_whatever_the_order_it_was_printed_in(project):
    """The prints of a loop stand below their statements: in which order they came is not shown."""
    snippet = load_snippets(Project(project))["t/loop"]
    by_turns = tuple(Printed(*each) for each in ((0, "1a"), (1, "2a"), (0, "1b"), (1, "2b")))
    in_rows = tuple(sorted(by_turns, key=lambda printed: printed.statement))
    assert snippet.code("en", by_turns) == snippet.code("en", in_rows)
    records = [
        Record(machine, {"t/loop": Entry(snippet.sha256, prints, 0.1)})
        for machine, prints in ((NO_GPU, by_turns), (GPU, in_rows))
    ]
    assert [
        provenance.label(run.origins, Words("en")) for run in runs(snippet, records, TORCH)
    ] == ["CPU", "CUDA build, no GPU · NVIDIA H100 80GB HBM3"]
