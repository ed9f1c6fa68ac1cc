"""Which tiers a machine offers a snippet, and what counts as a failure there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_environments import CPU, GPU, NO_GPU
from small_guides import begin

from gpu_guide.project import HERE
from gpu_guide.records.assess import belongs_in_file, may_be_written, problem_with
from gpu_guide.records.store import Entry, Record
from gpu_guide.run import stand_in_limits
from gpu_guide.run.machine import Abilities
from gpu_guide.run.outcome import Run
from gpu_guide.run.runner import Tier
from gpu_guide.run.tiers import Plan, not_recorded, plan, recorded_tier
from gpu_guide.snippets.model import Printed, load_snippets, parse

TWO = replace(GPU, id="nvidia-h100-x2", gpus=2)


@pytest.fixture
def snippet(tmp_path):
    def snippet(header: str = "", code: str = 'print("x")\n#> x\n'):
        guide = begin(tmp_path, files={"snippets/name.py": f'"""T.\n\n题。\n"""\n{header}\n{code}'})
        return parse(guide.snippets / "name.py", guide)

    return snippet


def printed(text: str = "x") -> Run:
    return Run("passed", "", ((6, text),), 0.1)


REFUSED = Run("not-simulated", "needs a real GPU", (), 0.1)
FAILED = Run("failed", "name.py:6: broken", (), 0.1)
NO_OUTPUT = 'print("x")\n'


@pytest.mark.parametrize(
    ("header", "here", "tiers", "not_run"),
    [
        ("", CPU, [Tier.CPU], ""),
        ("", GPU, [Tier.CPU, Tier.GPU], ""),
        ("# needs: cuda", CPU, [Tier.SIMULATED], "needs a GPU"),
        ("# needs: cuda", GPU, [Tier.SIMULATED, Tier.GPU], ""),
        ("# needs: cuda:2", CPU, [Tier.SIMULATED], "needs 2 GPUs"),
        ("# needs: cuda:2", GPU, [Tier.SIMULATED], "needs 2 GPUs"),
        ("# needs: cuda:2", TWO, [Tier.SIMULATED, Tier.GPU], ""),
        ("# needs: torchrun:2", NO_GPU, [Tier.TORCHRUN], ""),
    ],
)
def test_a_machine_offers_every_tier_that_it_has(snippet, header, here, tiers, not_run):
    found = plan(snippet(header), here)
    assert (list(found.tiers), found.not_run) == (tiers, not_run)


STAND_IN = replace(GPU, id="stand-in-h100-torch-2.13.0", gpus=2, driver="", stand_in="h100")
SPEAKS = "import torch\nprint(torch.cuda.is_available())\n"


@pytest.mark.parametrize(
    ("header", "code", "tiers", "recorded"),
    [
        ("", 'print("x")\n#> x\n', (), None),
        ("", SPEAKS, (Tier.STAND_IN,), None),
        ("# needs: cuda", SPEAKS, (Tier.STAND_IN,), Tier.STAND_IN),
        ("# needs: cuda:2\n# simulated: no", NO_OUTPUT, (Tier.STAND_IN,), Tier.STAND_IN),
        ("# needs: cuda, triton\n# simulated: no", NO_OUTPUT, (), None),
        ("# needs: torchrun:2", SPEAKS, (Tier.STAND_IN,), None),
        ("# needs: torchrun:2", 'print("x")\n#> x\n', (Tier.STAND_IN,), None),
        ("# needs: torchrun:4", SPEAKS, (), None),
    ],
)
def test_a_stand_in_offers_its_own_tier_alone(snippet, header, code, tiers, recorded):
    it, able = snippet(header, code), Abilities(capability=(9, 0), free=80 * 2**30)
    assert plan(it, STAND_IN, able).tiers == tiers
    assert recorded_tier(it, STAND_IN, able) is recorded


def test_what_is_beyond_a_stand_in_is_neither_run_nor_recorded(snippet, monkeypatch):
    it, able = snippet("# needs: cuda\n# simulated: no", NO_OUTPUT), Abilities(free=80 * 2**30)
    monkeypatch.setitem(stand_in_limits.NOT_COMPARED, it.name, "prints milliseconds")
    assert plan(it, STAND_IN, able).tiers == (Tier.STAND_IN,)
    assert recorded_tier(it, STAND_IN, able) is None
    assert not_recorded(it, STAND_IN, able) == "prints milliseconds"
    monkeypatch.setitem(stand_in_limits.NOT_RUN, it.name, "asserts a time")
    assert plan(it, STAND_IN, able) == Plan((), "asserts a time")


def test_what_is_beyond_a_stand_in_names_snippets_that_are_there():
    snippets = load_snippets(HERE)
    named = stand_in_limits.NOT_RUN.keys() | stand_in_limits.NOT_COMPARED.keys()
    assert named <= snippets.keys()
    assert not stand_in_limits.NOT_RUN.keys() & stand_in_limits.NOT_COMPARED.keys()


def test_a_stand_in_has_to_print_what_simulated_devices_print(snippet):
    it = snippet("# needs: cuda")
    assert not problem_with(it, Tier.STAND_IN, printed("x"), STAND_IN, [])
    assert "+#> y" in problem_with(it, Tier.STAND_IN, printed("y"), STAND_IN, [])


def test_ranks_on_stand_ins_have_to_print_what_they_print_by_gloo(snippet, monkeypatch):
    it = snippet("# needs: torchrun:2")
    assert not problem_with(it, Tier.STAND_IN, printed("x"), STAND_IN, [])
    assert "+#> y" in problem_with(it, Tier.STAND_IN, printed("y"), STAND_IN, [])
    measures = snippet("# needs: torchrun:2\n# measures: yes", NO_OUTPUT)
    any_text = Run("passed", "", ((7, "y"),), 0.1)
    assert not problem_with(measures, Tier.STAND_IN, any_text, STAND_IN, [])
    monkeypatch.setitem(stand_in_limits.NOT_COMPARED, it.name, "rounds otherwise")
    assert not problem_with(it, Tier.STAND_IN, printed("y"), STAND_IN, [])


def test_code_that_speaks_of_devices_is_simulated_too(snippet):
    code = "import torch\nprint(torch.cuda.is_available())\n"
    assert plan(snippet(code=code), CPU).tiers == (Tier.CPU, Tier.SIMULATED)


def test_a_comment_or_a_title_does_not_speak_of_devices(snippet):
    for code in ("x = 1  # noqa: cuda\n", "# zh: cuda 一词\n# en: the word cuda\nx = 1\n"):
        assert plan(snippet(code=code), CPU).tiers == (Tier.CPU,)
    for code in ('x = "cuda:0"\n', 'x = f"cuda:{0}"\n', "from torch import cuda\n"):
        code = f"import torch\n{code}"
        assert plan(snippet(code=code), CPU).tiers == (Tier.CPU, Tier.SIMULATED)


def test_code_without_torch_has_nothing_to_put_on_a_device(snippet):
    code = "x = \"import torch; torch.ones(1, device='cuda')\"\n"
    assert plan(snippet(code=code), CPU).tiers == (Tier.CPU,)
    for first in ("import torch.nn as nn\n", "from torch.nn import Linear\n"):
        assert plan(snippet(code=first + code), CPU).tiers == (Tier.CPU, Tier.SIMULATED)


def test_linux_is_asked_for(snippet):
    assert plan(snippet("# needs: linux"), CPU, Abilities(linux=False)).not_run == "needs Linux"


@pytest.mark.parametrize(
    ("torch", "not_run"),
    [("2.11.0+cu130", "needs torch 2.12 or newer"), ("2.12.0", ""), ("3.0.0a0+git1", "")],
)
def test_a_newer_torch_is_asked_for_everywhere(snippet, torch, not_run):
    for header, here in (
        ("# needs: ", CPU),
        ("# needs: cuda, ", GPU),
        ("# needs: cuda, ", STAND_IN),
    ):
        it = snippet(f"{header}torch>=2.12")
        assert plan(it, replace(here, torch=torch), ABLE).not_run == not_run


ABLE = Abilities(capability=(8, 0), triton=True)


@pytest.mark.parametrize(
    ("needs", "able", "not_run"),
    [
        ("sm_80", ABLE, ""),
        ("sm_80", replace(ABLE, capability=(7, 5)), "needs compute capability 8.0"),
        ("sm_80", replace(ABLE, capability=(12, 0)), ""),
        ("sm_120", ABLE, "needs compute capability 12.0"),
        ("triton", ABLE, ""),
        ("triton", replace(ABLE, triton=False), "needs Triton and a C compiler"),
        ("no-wddm", ABLE, ""),
        ("linux", replace(ABLE, free=3 * 2**30), "needs 4 GiB of free GPU memory"),
        ("linux", replace(ABLE, free=5 * 2**30), ""),
        ("no-wddm", replace(ABLE, wddm=True), "needs a system other than Windows and WSL2"),
        ("linux", replace(ABLE, wddm=True), ""),
    ],
)
def test_a_snippet_that_lacks_a_need_is_left_out_and_does_not_fail(snippet, needs, able, not_run):
    it = snippet(f"# needs: cuda, {needs}\n# simulated: no", NO_OUTPUT)
    assert plan(it, GPU, able).not_run == not_run
    assert (recorded_tier(it, GPU, able) is Tier.GPU) is (not not_run)


def test_without_a_gpu_nothing_else_is_asked_for(snippet):
    it = snippet("# needs: cuda, sm_80, triton\n# simulated: no", NO_OUTPUT)
    assert plan(it, CPU, Abilities()).not_run == "needs a GPU"


@pytest.mark.parametrize(
    ("header", "here", "tier"),
    [
        ("", NO_GPU, Tier.CPU),
        ("", GPU, Tier.GPU),
        ("# needs: cuda", GPU, Tier.GPU),
        ("# needs: cuda", NO_GPU, None),
        ("# needs: torchrun:2", GPU, Tier.TORCHRUN),
    ],
)
def test_a_record_holds_what_the_real_machine_printed(snippet, header, here, tier):
    assert recorded_tier(snippet(header), here) is tier


@pytest.mark.parametrize(
    ("header", "tier", "here", "belongs"),
    [
        ("", Tier.CPU, CPU, True),
        ("", Tier.SIMULATED, CPU, False),
        ("", Tier.CPU, NO_GPU, False),
        ("", Tier.GPU, GPU, False),
        ("# needs: cuda", Tier.SIMULATED, GPU, True),
        ("# needs: cuda", Tier.GPU, GPU, False),
        ("# needs: torchrun:2", Tier.TORCHRUN, CPU, True),
        ("# measures: yes", Tier.CPU, CPU, False),
    ],
)
def test_outputs_of_the_file_are_those_of_the_cpu_or_simulated(
    snippet, header, tier, here, belongs
):
    code = NO_OUTPUT if header == "# measures: yes" else 'print("x")\n#> x\n'
    assert belongs_in_file(snippet(header, code), tier, here) is belongs


@pytest.mark.parametrize("here", [NO_GPU, GPU, replace(CPU, id="apple-mps")], ids=lambda h: h.id)
def test_lines_can_be_written_on_any_build_while_no_record_is_of_this_code(snippet, here):
    new, old = snippet(code=NO_OUTPUT), snippet()
    made = Record(GPU, {"name": Entry(old.sha256, (Printed(0, "x"),), 0.1)})
    assert may_be_written(new, Tier.CPU, printed(), here, [])
    assert may_be_written(old, Tier.CPU, printed("y"), here, [])
    assert not may_be_written(old, Tier.CPU, printed("y"), here, [made])
    assert not may_be_written(new, Tier.GPU, printed(), here, [])
    assert not may_be_written(new, Tier.CPU, FAILED, here, [])
    assert may_be_written(old, Tier.CPU, printed("y"), CPU, [made])


def test_processes_on_gpus_do_not_write_the_files_lines(snippet):
    it = snippet("# needs: torchrun:2", NO_OUTPUT)
    assert may_be_written(it, Tier.TORCHRUN, printed(), GPU, [])
    assert not may_be_written(it, Tier.TORCHRUN, printed(), TWO, [])


@pytest.mark.parametrize("here", [CPU, NO_GPU, GPU], ids=lambda h: h.id)
def test_a_snippet_that_prints_must_show_it_on_every_build(snippet, here):
    for code in (NO_OUTPUT * 2, 'print("x")\n#> x\nprint("y")\n'):
        it = snippet(code=code)
        calls = tuple(zip((p.first for p in it.prints), ("x", "y"), strict=True))
        problem = problem_with(it, Tier.CPU, Run("passed", "", calls, 0.1), here, [])
        assert "+#> y" in problem and "--update-examples" in problem
    silent = snippet("# measures: yes", NO_OUTPUT)
    assert not problem_with(silent, Tier.CPU, printed("x"), here, [])


def test_a_run_that_failed_is_a_failure_everywhere(snippet):
    for tier, here in ((Tier.CPU, CPU), (Tier.SIMULATED, CPU), (Tier.GPU, GPU)):
        assert problem_with(snippet("# needs: cuda"), tier, FAILED, here, []) == FAILED.problem


def test_a_refusal_is_a_failure_where_simulation_was_promised(snippet):
    assert problem_with(snippet("# needs: cuda"), Tier.SIMULATED, REFUSED, CPU, [])
    assert not problem_with(snippet(), Tier.SIMULATED, REFUSED, CPU, [])


def test_what_says_that_it_cannot_be_simulated_must_be_refused(snippet):
    only = snippet("# needs: cuda\n# simulated: no", NO_OUTPUT)
    assert not problem_with(only, Tier.SIMULATED, REFUSED, CPU, [])
    assert "did not refuse it" in problem_with(only, Tier.SIMULATED, printed(), CPU, [])
    assert "did not refuse it" in problem_with(only, Tier.SIMULATED, FAILED, CPU, [])


def test_the_files_outputs_are_compared_on_a_cpu_build_alone(snippet):
    assert not problem_with(snippet(), Tier.CPU, printed("x"), CPU, [])
    assert "-#> x" in problem_with(snippet(), Tier.CPU, printed("y"), CPU, [])
    assert not problem_with(snippet(), Tier.CPU, printed("y"), NO_GPU, [])


def test_a_fresh_record_of_the_same_versions_is_compared(snippet):
    it = snippet()
    record = Record(GPU, {"name": Entry(it.sha256, (Printed(0, "y"),), 0.1)})
    assert not problem_with(it, Tier.GPU, printed("y"), GPU, [record])
    assert "-print 1: y" in problem_with(it, Tier.GPU, printed("x"), GPU, [record])
    newer = replace(GPU, torch="2.15.0")
    assert not problem_with(it, Tier.GPU, printed("x"), newer, [record])
    stale = Record(GPU, {"name": Entry("0", (Printed(0, "y"),), 0.1)})
    assert not problem_with(it, Tier.GPU, printed("x"), GPU, [stale])


def test_measured_figures_are_never_compared(snippet):
    it = snippet("# measures: yes", NO_OUTPUT)
    record = Record(GPU, {"name": Entry(it.sha256, (Printed(0, "y"),), 0.1)})
    assert not problem_with(it, Tier.GPU, printed("x"), GPU, [record])
