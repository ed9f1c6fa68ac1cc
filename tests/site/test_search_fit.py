"""The script that learns the weights of the search puts what answers before what does not."""

from __future__ import annotations

import importlib.util
import re

import torch

from gpu_guide.project import HERE

SPEC = importlib.util.spec_from_file_location("fit", HERE.tests / "data/queries/fit.py")
assert SPEC and SPEC.loader
fit = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fit)


def test_what_is_right_more_often_weighs_more() -> None:
    """Each query has a right section first, then two wrong ones; a query may have fewer."""
    helps, hurts, noise = [1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]
    rows = torch.tensor([[1.0, *helps], [0.0, *hurts], [0.0, *noise]])
    found = fit.learnt([(1.0, rows), (1.0, rows[:2]), (0.5, rows)])
    assert found[0] > 0 > found[1]
    scores = rows[:, 1:].double() @ found
    assert scores.argmax() == 0
    assert fit.learnt([(1.0, rows.flip(0)), (1.0, rows[:2])])[0] > 0, "in whatever order"


def test_no_query_of_a_half_that_is_held_out_is_learnt() -> None:
    """Not even one that another list has, too."""
    folder = HERE.tests / "data/queries"
    halves = fit.fast_yaml.load((folder / "threads_held_out.yml").read_text("utf-8")).values()
    plain = fit.fast_yaml.load((folder / "questions.yml").read_text("utf-8"))
    for language in HERE.languages:
        learnt = {one["query"] for one in fit.queries_of(language)}
        held_out = {one.get(language) or one.get("both") for half in halves for one in half}
        held_out |= {q for one in plain for q in one[language] if fit.number_of(q) % 2}
        assert len(learnt) > 300 and len(held_out) > 200
        assert learnt & held_out == set()


def test_the_table_does_not_depend_on_the_one_before() -> None:
    """Nor on the order of the queries. Which sections are looked at is chosen without weights."""
    assert "WEIGHTS[" not in fit.FACTS
    generator = torch.Generator().manual_seed(33)
    facts = torch.rand(40, 6, 5, generator=generator)
    queries = [(1.0, torch.cat([torch.eye(6)[:, :1], one], 1)) for one in facts]
    torch.testing.assert_close(fit.learnt(queries), fit.learnt(queries[::-1]), atol=1e-3, rtol=0)


def test_each_weight_has_a_fact() -> None:
    script = (HERE.theme / "assets/search-ranking.js").read_text("utf-8")
    table = re.search(r"const WEIGHTS = \{(.*?)\n\};", script, re.DOTALL)
    assert table
    weights = set(re.findall(r"^  (\w+): -?[\d.]+,", table[1], re.MULTILINE))
    facts = script.partition("function factsOf")[2].partition("\n}")[0]
    assert len(weights) > 10 and {name for name in weights if name not in facts} == set()
