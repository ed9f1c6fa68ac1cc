"""Learn the weights of theme/assets/search-ranking.js, from queries of which is known what answers
them: `python tests/data/queries/fit.py SITE`, where SITE is a built site, prints the table.

It learns from what may be looked at: the mending half of the threads, the seen half of
questions.yml, data/search_queries.yml, data/search_trials.yml, and phrases of data/questions.yml.
Who mended the search wrote phrases for just these queries, which others' queries will not find. So
each is asked twice: of the index as it is, and of one that lacks it and a tenth of the phrases."""

from __future__ import annotations

import hashlib
import json
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from gpu_guide import fast_yaml
from gpu_guide.data.errors import load_errors
from gpu_guide.project import HERE
from gpu_guide.site import chromium
from gpu_guide.site.search import SCRIPTS, _address

MESSAGES = load_errors(HERE)
FOLDS = 10
PHRASES = 4  # folds whose phrases are asked, too: the others would say the same
OF_PHRASE = 0.75  # how much a phrase counts, where a query counts 1
DECAY = 0.003  # of weights, in units of what their facts vary by
CANDIDATES = 60

FACTS = """([index, folds, most]) => {
  const key = (text) => [...new Set(partsOf(spaced(text)))].sort().join();
  for (const read of [readWords, readPlaces, readHomes, readRanking]) read(index);
  const rowsOf = ({ query, right }) => {
    const isName = homeOf(query) !== undefined;  // asked here as one whose home nobody has stated
    const facts = factsOf(query, isName ? new Set() : homesIn(query));
    const names = Object.keys(WEIGHTS);
    const score = (at) => sum(names.map((name) => WEIGHTS[name] * facts[name][at]));
    const found = [...sections.keys()].filter((at) => facts.covers[at]);
    const scores = new Map(found.map((at) => [at, score(at)]));
    found.sort((one, other) => scores.get(other) - scores.get(one));
    const ways = (at) => [sections[at], `${sections[at].split("#")[0]}!`];
    const isRight = (at) => ways(at).some((way) => right.includes(way));
    const kept = found.filter((at, rank) => rank < most || isRight(at));
    return kept.map((at) => [Number(isRight(at)), ...names.map((name) => facts[name][at])]);
  };
  return folds.map(({ left, queries }) => {
    const gone = new Set(left.map(key));
    const { same, questions } = index.config.asked;
    const kept = (said) => said.filter((one) => !gone.has(key(one)));
    const asked = { same, questions: questions.map(([place, said]) => [place, kept(said)]) };
    readRanking({ docs: index.docs, config: { asked } });
    return queries.map(rowsOf);
  });
}"""


def number_of(query: str) -> int:
    """Where it is even, questions.yml may be looked at."""
    return int(hashlib.sha256(query.encode()).hexdigest(), 16)


def places_of(entry: dict[str, Any]) -> list[str]:
    """What is right: what is stated, and of a message its entry and what that leads to."""
    told = [MESSAGES[name] for name in entry.get("messages", [])]
    return entry.get("homes", []) + [_address(p) for one in told for p in (one.place, one.page)]


def queries_of(language: str) -> list[dict[str, Any]]:
    """What may be learnt from. Where pages are right, and not sections, `!` is behind them."""

    def read(path: Path) -> Any:
        return fast_yaml.load(path.read_text("utf-8"))

    folder = HERE.tests / "data/queries"
    threads = read(folder / "threads_mending.yml")
    threads = threads["questions"] + threads["names"] + threads["messages"]
    asked = [(one.get(language) or one.get("both"), places_of(one)) for one in threads]
    asked += [(one["query"], [one["home"]]) for one in read(folder / "names.yml")]
    for one in read(folder / "questions.yml"):
        seen = [query for query in one[language] if number_of(query) % 2 == 0]
        asked += [(query, [f"{page}!" for page in one["pages"]]) for query in seen]
    for name in ("search_queries.yml", "search_trials.yml"):
        entries = read(HERE.data / name).get(language, [])
        asked += [(one["query"], [f"{page}!" for page in one["pages"]]) for one in entries]
    halves = read(folder / "threads_held_out.yml").values()
    held_out = {one.get(language) or one.get("both") for half in halves for one in half}
    return [{"query": q, "right": right} for q, right in asked if q and q not in held_out]


def facts_of(site: Path, language: str) -> tuple[list[str], list[tuple[float, torch.Tensor]]]:
    """The names of the facts; of each query how much it counts, and a row for each candidate:
    whether it is right, then its facts."""
    index = json.loads((site / language / "search/search_index.json").read_text("utf-8"))
    queries = queries_of(language)
    known = {one["query"] for one in queries}
    phrases = {p: place for place, said in index["config"]["asked"]["questions"] for p in said}
    folds: list[dict[str, list[Any]]] = [{"left": [], "queries": queries}]
    weights = [[1.0] * len(queries)]
    for number in range(FOLDS):
        left = [p for p in phrases if number_of(p) // 2 % FOLDS == number]
        own = [one for one in queries if number_of(one["query"]) // 2 % FOLDS == number]
        others = [p for p in left if p not in known] if number < PHRASES else []
        of_phrases = [{"query": p, "right": [phrases[p]]} for p in others]
        folds.append({"left": left + [one["query"] for one in own], "queries": own + of_phrases})
        weights.append([1.0] * len(own) + [OF_PHRASE] * len(others))
    with chromium.launched() as browser:
        page = browser.new_page()
        page.set_default_timeout(0)
        for name in SCRIPTS:
            page.add_script_tag(path=HERE.root / f"theme/assets/{name}.js")
        found = page.evaluate(FACTS, [index, folds, CANDIDATES])
        names = page.evaluate("Object.keys(WEIGHTS)")
    asked = zip(chain(*weights), chain(*found), strict=True)
    kept = [(w, torch.tensor(rows)) for w, rows in asked if rows]
    return names, [(w, rows) for w, rows in kept if 0 < rows[:, 0].sum() < len(rows)]


def learnt(queries: list[tuple[float, torch.Tensor]]) -> torch.Tensor:
    """The weights with which the right sections get the largest share of a softmax."""
    rows = torch.nn.utils.rnn.pad_sequence([r for _, r in queries], True, float("nan")).double()
    counts = torch.tensor([w for w, _ in queries]).double()
    there, right = ~rows[..., 0].isnan(), rows[..., 0] == 1
    scale = rows[there][:, 1:].std(0) + 1e-6
    facts = rows[..., 1:].nan_to_num() / scale
    weights = torch.zeros(len(scale), dtype=torch.double, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        scores = (facts @ weights).masked_fill(~there, -torch.inf)
        missed = scores.logsumexp(1) - scores.masked_fill(~right, -torch.inf).logsumexp(1)
        value = (counts * missed).sum() / counts.sum() + DECAY * weights.square().sum()
        value.backward()
        return value

    optimizer.step(loss)
    return weights.detach() / scale


if __name__ == "__main__":
    every: list[tuple[float, torch.Tensor]] = []
    for language in HERE.languages:
        names, found = facts_of(Path(sys.argv[1]), language)
        every += found
    for name, weight in zip(names, learnt(every).tolist(), strict=True):
        print(f"  {name}: {weight:.2f},")
