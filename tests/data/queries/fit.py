"""Learn the weights of theme/assets/search-ranking.js, from queries of which is known what answers
them: `python tests/data/queries/fit.py SITE`, where SITE is a built site, prints the table and how
many queries are answered with it. With --write it puts the table into the script, and the same
script and site give the same table, whatever was in it before.

It learns from what may be looked at: the mending half of the threads, the seen half of
questions.yml, data/search_queries.yml, data/search_trials.yml, and phrases of data/questions.yml,
but of none that another list holds out. Those are counted with --held-out, and only then: who looks
at them often chooses by them. Who mended the search wrote phrases for just these queries, which
others' queries will not find. So each is asked twice: of the index as it is, and of one that lacks
it and a tenth of the phrases."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
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
OF_PHRASE = 0.4  # how much a phrase counts, where a query counts 1
DECAY = 0.003  # of weights, in units of what their facts vary by
CANDIDATES = 60

FACTS = """([index, folds, most]) => {
  const key = (text) => [...new Set(partsOf(spaced(text)))].sort().join();
  for (const read of [readWords, readPlaces, readHomes, readRanking]) read(index);
  const rowsOf = ({ query, right }) => {
    const isName = homeOf(query) !== undefined;  // asked here as one whose home nobody has stated
    const facts = factsOf(query, isName ? new Set() : homesIn(query));
    const names = Object.keys(WEIGHTS);
    const fits = names.filter((name) => !name.startsWith("is"));
    const score = (at) => sum(fits.map((name) => facts[name][at]));  // whatever the weights are now
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

OPENED = """([index, weights, queries]) => {
  for (const read of [readWords, readPlaces, readHomes, readRanking, readMessages]) read(index);
  Object.assign(WEIGHTS, weights);
  const highest = (item) => item.reduce((best, one) => (one.score > best.score ? one : best));
  const first = (query) => answer(query).items.slice(0, 3);
  return queries.map((query) => first(query).map((item) => highest(item).location));
}"""
SCRIPT = HERE.root / "theme/assets/search-ranking.js"


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
    unseen = held_out(language)
    return [{"query": q, "right": right} for q, right in asked if q and q not in unseen]


def held_out(language: str) -> set[str]:
    """What may not be learnt from, in whichever list it is, too."""
    folder = HERE.tests / "data/queries"
    threads = fast_yaml.load((folder / "threads_held_out.yml").read_text("utf-8")).values()
    plain = fast_yaml.load((folder / "questions.yml").read_text("utf-8"))
    found = {one.get(language) or one.get("both") for kind in threads for one in kind}
    return found | {query for one in plain for query in one[language] if number_of(query) % 2}


def computed(what: str, of: list[Any]) -> tuple[Any, list[str]]:
    """What the scripts of the search say, and the names of the weights."""
    with chromium.launched() as browser:
        page = browser.new_page()
        page.set_default_timeout(0)
        for name in SCRIPTS:
            page.add_script_tag(path=HERE.root / f"theme/assets/{name}.js")
        return page.evaluate(what, of), page.evaluate("Object.keys(WEIGHTS)")


def facts_of(site: Path, language: str) -> tuple[list[str], list[tuple[float, torch.Tensor]]]:
    """The names of the facts; of each query how much it counts, and a row for each candidate:
    whether it is right, then its facts."""
    index = json.loads((site / language / "search/search_index.json").read_text("utf-8"))
    queries = queries_of(language)
    known = {one["query"] for one in queries} | held_out(language)
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
    found, names = computed(FACTS, [index, folds, CANDIDATES])
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
    optimizer = torch.optim.LBFGS([weights], max_iter=1000, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        scores = (facts @ weights).masked_fill(~there, -torch.inf)
        missed = scores.logsumexp(1) - scores.masked_fill(~right, -torch.inf).logsumexp(1)
        value = (counts * missed).sum() / counts.sum() + DECAY * weights.square().sum()
        value.backward()
        return value

    optimizer.step(loss)
    return weights.detach() / scale


def counts(site: Path, language: str, weights: dict[str, float], half: str) -> list[str]:
    """Of each kind of query of a half, how many are answered first, and among the first three."""
    folder = HERE.tests / "data/queries"
    threads = fast_yaml.load((folder / f"threads_{half}.yml").read_text("utf-8"))
    asked = {
        kind: [(q, places_of(one)) for one in some if (q := one.get(language) or one.get("both"))]
        for kind, some in threads.items()
    }
    plain = fast_yaml.load((folder / "questions.yml").read_text("utf-8"))
    asked["plain questions"] = [
        (query, [f"{page}!" for page in one["pages"]])
        for one in plain
        for query in one[language]
        if number_of(query) % 2 == (half == "held_out")
    ]
    index = json.loads((site / language / "search/search_index.json").read_text("utf-8"))
    told = []
    for kind, queries in asked.items():
        found, _ = computed(OPENED, [index, weights, [query for query, _ in queries]])
        rows = [
            [place in right or f"{place.split('#')[0]}!" in right for place in places]
            for places, (_, right) in zip(found, queries, strict=True)
        ]
        first, three = sum(row[:1] == [True] for row in rows), sum(map(any, rows))
        told.append(f"{language}, {half}, {kind}: of {len(rows)}, {first} first, {three} among 3")
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--write", action="store_true", help="put the table into the script")
    parser.add_argument("--held-out", action="store_true", help="count these queries, too")
    options = parser.parse_args()
    every: list[tuple[float, torch.Tensor]] = []
    for language in HERE.languages:
        names, found = facts_of(options.site, language)
        every += found
    weights = dict(zip(names, (round(one, 2) for one in learnt(every).tolist()), strict=True))
    script = SCRIPT.read_text("utf-8")
    for name, weight in weights.items():
        print(f"  {name}: {weight:.2f},")
        script = re.sub(rf"(?m)^  {name}: [-.\d]+", f"  {name}: {weight:.2f}", script, count=1)
    if options.write:
        SCRIPT.write_text(script, "utf-8", newline="\n")
    for half in ["mending", "held_out"][: 1 + options.held_out]:
        for language in HERE.languages:
            print(*counts(options.site, language, weights, half), sep="\n")


if __name__ == "__main__":
    main()
