// The pipeline schedules of multi-gpu/tensor-and-pipeline-parallel: who does what when. The orders and
// the times are those of tests/support/pipeline_model.py, whose orders are those of PyTorch's own tables; tests
// hold both against each other. Without this script there is a table of all schedules.
(globalThis.guideForms ??= []).push((shared) => {
  "use strict";
  const { make, cards, recall, remember } = shared;

  const TAKES = { F: 1, B: 2, I: 1, W: 1 };
  const KINDS = ["GPipe", "1F1B", "LoopedBFS", "Interleaved1F1B", "InterleavedZeroBubble", "ZBVZeroBubble", "DualPipeV"];
  const FIRST = { kind: "1F1B", ranks: "4", microbatches: "8", local: "2" };
  const SVG = "http://www.w3.org/2000/svg";
  const [LEAST, MOST, ROW, BAR] = [16, 24, 30, 26]; // pixels: a unit of time, a row, a bar

  const WORDS = {
    zh: {
      kind: "调度方式",
      ranks: "rank 数",
      microbatches: "微批次数",
      local: "每个 rank 的阶段数",
      said: (end, idle, kept) => `一共 ${end} 个单位时间，各 rank 空闲 ${idle} %；存放激活值最多的 rank 同时存 ${kept} 个微批次的。`,
      error: {
        "1F1B": () => "PyTorch 抛出 ValueError：微批次数不能少于 rank 数。",
        DualPipeV: () => "PyTorch 抛出 ValueError：微批次数不能少于阶段数，也就是 rank 数的两倍。",
        other: (rounds) => `PyTorch 抛出 ValueError：微批次数必须是 ${rounds} 的倍数，也就是轮数的倍数。`,
      },
      kinds: { F: "前向", B: "反向", I: "反向：输入的梯度", W: "反向：权重的梯度", pair: "前向和反向同时进行" },
      darker: "颜色越醒目，阶段越靠后",
      grid: "每个 rank 在什么时候做什么，时间从左到右",
      table: "每个 rank 的顺序",
      head: ["rank", "空闲", "最多存几个微批次的激活值", "顺序（阶段、操作、微批次；+ 表示同时）"],
      all: "四个 rank、八个微批次的结果",
    },
    en: {
      kind: "schedule",
      ranks: "ranks",
      microbatches: "microbatches",
      local: "stages on a rank",
      said: (end, idle, kept) => `All of it takes ${end} units of time, and the ranks are idle for ${idle}% of it. The rank that keeps the most keeps the activations of ${kept} microbatches at the same time.`,
      error: {
        "1F1B": () => "PyTorch raises a ValueError: there must be at least as many microbatches as ranks.",
        DualPipeV: () => "PyTorch raises a ValueError: there must be at least as many microbatches as stages, twice as many as ranks.",
        other: (rounds) => `PyTorch raises a ValueError: the number of microbatches must be a multiple of the ${rounds} rounds.`,
      },
      kinds: { F: "forward", B: "backward", I: "backward: gradient of the input", W: "backward: gradient of the weights", pair: "forward and backward together" },
      darker: "the more a color stands out, the later the stage of the rank",
      grid: "What each rank does when, time running from left to right",
      table: "The order on each rank",
      head: ["rank", "idle", "most microbatches kept", "order (stage, action, microbatch; + is at the same time)"],
      all: "The results for four ranks and eight microbatches",
    },
  };

  const range = (count) => [...Array(count).keys()];
  const rounds = ({ ranks, microbatches }) => Math.max(1, Math.floor(microbatches / ranks));
  const LOCAL = { GPipe: 1, "1F1B": 1, ZBVZeroBubble: 2, DualPipeV: 2 }; // the others have as many as asked
  /** A step of a rank is an action, or a pair of them: a forward and a backward at once. */
  const parts = (step) => (Array.isArray(step[0]) ? step : [step]);

  /** Stage and microbatch as an interleaved schedule takes them: a round through each stage. */
  function inTurn(pipe, rank, backwards) {
    const size = pipe.microbatches / rounds(pipe);
    const places = backwards ? range(pipe.local).reverse() : range(pipe.local);
    return range(rounds(pipe)).flatMap((turn) => places.flatMap((place) =>
      range(size).map((number) => [place * pipe.ranks + rank, turn * size + number])));
  }

  function interleaved(pipe, rank, zeroBubble) {
    const forwards = inTurn(pipe, rank, false);
    const backwards = inTurn(pipe, rank, true);
    const hops = (zeroBubble ? 1 : 2) * (pipe.ranks - 1 - rank);
    const ahead = Math.min((pipe.local - 1) * (pipe.microbatches / rounds(pipe)) + hops, forwards.length);
    const found = [];
    const add = ([stage, number], what) => found.push([stage, what, number]);
    for (const place of range(forwards.length + ahead)) {
      const back = place - ahead;
      if (place < forwards.length) add(forwards[place], "F");
      if (back >= 0) add(backwards[back], zeroBubble ? "I" : "B");
      if (zeroBubble && back >= rank) add(backwards[back - rank], "W");
    }
    if (zeroBubble) backwards.slice(Math.max(0, backwards.length - rank)).forEach((one) => add(one, "W"));
    return found;
  }

  const ORDERS = {
    GPipe: ({ microbatches }, rank) => ["F", "B"].flatMap((what) => range(microbatches).map((number) => [rank, what, number])),
    "1F1B": ({ ranks, microbatches }, rank) => {
      const ahead = ranks - 1 - rank;
      return range(microbatches + ahead).flatMap((number) => [
        ...(number < microbatches ? [[rank, "F", number]] : []),
        ...(number >= ahead ? [[rank, "B", number - ahead]] : []),
      ]);
    },
    LoopedBFS: ({ ranks, local, microbatches }, rank) => {
      const there = range(local).flatMap((place) => range(microbatches).map((number) => [place * ranks + rank, "F", number]));
      return [...there, ...there.map(([stage, , number]) => [stage, "B", number]).reverse()];
    },
    Interleaved1F1B: (pipe, rank) => interleaved(pipe, rank, false),
    InterleavedZeroBubble: (pipe, rank) => interleaved(pipe, rank, true),
    // Two stages on each rank, one on the way there and one on the way back.
    ZBVZeroBubble: ({ ranks, microbatches }, rank) => {
      const enough = Math.max(2 * ranks - 1, microbatches);
      const stages = [rank, 2 * ranks - 1 - rank];
      const done = { F0: 0, F1: 0, I0: 0, I1: 0, W0: 0, W1: 0 };
      const found = [];
      const take = (steps, times = 1) => {
        for (const step of range(times).flatMap(() => steps.split(" "))) {
          const number = done[step]++;
          if (number < microbatches) found.push([stages[step[1]], step[0], number]);
        }
      };
      take("F0", 2 * (ranks - rank) - 1);
      take("F1 F0", rank);
      take("F1 I1 W1", ranks - rank);
      while (done.F1 < done.F0 || done.F0 < enough) {
        if (done.F0 < enough) take("F0");
        take("I0 W0 F1 I1 W1");
      }
      take("I0 I1", rank);
      take("I0 W0", ranks - rank);
      take("W1", done.I1 - done.W1);
      take("W0", done.I0 - done.W0);
      return found;
    },
    // The stages lie as in ZBVZeroBubble; F0+B1 is a forward and a backward at once.
    DualPipeV: ({ ranks, microbatches }, rank) => {
      const later = ranks - 1 - rank;
      const stages = [rank, 2 * ranks - 1 - rank];
      const done = { F0: 0, F1: 0, B0: 0, B1: 0 };
      const halves = []; // whose weights are still to come
      const found = [];
      const act = (step) => {
        if (step === "W") return [halves[0][0], "W", halves.shift()[2]];
        const action = [stages[step[1]], step[0], done[step.replace("I", "B")]++];
        if (step[0] === "I") halves.push(action);
        return action;
      };
      const take = (steps, times = 1) => {
        for (const step of range(times).flatMap(() => steps.split(" "))) {
          const both = step.split("+").map(act);
          found.push(both[1] ? both : both[0]);
        }
      };
      take("F0", 2 * later);
      take("F0 F1", rank + 1);
      take("I1 W F1", later);
      for (const turn of range(microbatches - 2 * ranks + rank + 1)) {
        take(turn || later ? "F0+B1 F1+B0" : "F0 B1 F1+B0"); // apart once, to wait less
      }
      take("B1 F1+B0", later);
      for (const turn of range(2 * (rank + 1))) take(`${turn <= rank ? "B" : "I"}${1 - (turn % 2)}`);
      take("W I0", later);
      take("W", rank + 1);
      return found;
    },
  };

  /** What each rank does, one after the other; null where PyTorch raises an error instead. */
  function order(kind, pipe) {
    if (kind === "1F1B" && pipe.microbatches < pipe.ranks) return null;
    if (kind.startsWith("Interleaved") && pipe.microbatches % rounds(pipe)) return null;
    if (kind === "DualPipeV" && pipe.microbatches < 2 * pipe.ranks) return null;
    return range(pipe.ranks).map((rank) => ORDERS[kind](pipe, rank));
  }

  /** When each step begins and ends: after what it needs, and after the rank's last one. */
  function plan(orders, stages) {
    const key = (stage, what, number) => `${stage}${what}${number}`;
    const ended = new Map();
    const next = orders.map(() => 0);
    const free = orders.map(() => 0);
    const spans = orders.map(() => []);
    const halves = new Set(orders.flat().filter(([, what]) => what === "I").map((action) => key(...action)));
    const needs = ([stage, what, number]) => {
      if (what === "W") return key(stage, "I", number);
      if (what === "F") return stage ? key(stage - 1, "F", number) : null;
      if (stage === stages - 1) return key(stage, "F", number);
      const half = key(stage + 1, "I", number);
      return halves.has(half) ? half : key(stage + 1, "B", number);
    };
    for (let moved = true; moved; ) {
      moved = false;
      for (const rank of orders.keys()) {
        for (; next[rank] < orders[rank].length; next[rank]++, moved = true) {
          const step = orders[rank][next[rank]];
          const needed = parts(step).map(needs).filter(Boolean);
          if (needed.some((one) => !ended.has(one))) break;
          const start = Math.max(free[rank], ...needed.map((one) => ended.get(one)));
          free[rank] = parts(step).reduce((sum, [, what]) => sum + TAKES[what], start);
          for (const action of parts(step)) ended.set(key(...action), free[rank]);
          spans[rank].push({ step, start, end: free[rank] });
        }
      }
    }
    return spans;
  }

  /** Of how many microbatches each rank keeps the activations at most. */
  function kept(orders, local) {
    return orders.map((steps) => {
      let [now, most] = [0, 0];
      for (const [, what] of steps.flatMap(parts)) {
        now += { F: 1, B: -1, W: -1, I: 0 }[what];
        most = Math.max(most, now);
      }
      return most / local;
    });
  }

  function drawn(tag, attributes, ...children) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  const short = (number) => String(Math.round(number * 10) / 10);
  const share = (part, all) => Math.round((100 * part) / all);

  function build(box) {
    const words = WORDS[document.documentElement.lang.startsWith("zh") ? "zh" : "en"];
    const select = (name, values) => make("select", { name }, ...values.map((value) =>
      make("option", { value, selected: String(value) === FIRST[name] }, value)));
    const fields = {
      kind: select("kind", KINDS),
      ranks: select("ranks", range(7).map((one) => one + 2)),
      microbatches: select("microbatches", range(16).map((one) => one + 1)),
      local: select("local", [2, 3]),
    };
    const form = make("div", { className: "schedules__fields" }, ...Object.entries(fields).map(([name, field]) =>
      make("label", {}, make("span", {}, words[name]), field)));
    const said = make("p", { className: "schedules__said" });
    said.setAttribute("role", "status");
    const grid = make("div", { className: "schedules__grid" });
    const legend = make("p", { className: "schedules__legend" });
    legend.setAttribute("aria-hidden", "true"); // the table below says it in words
    const rows = make("tbody");
    const head = make("tr", {}, ...words.head.map((text) => make("th", { scope: "col" }, text)));
    const table = make("table", { className: "schedules__orders" }, make("thead", {}, head), rows);
    cards(table, words.head);
    const orders = make("details", {}, make("summary", {}, words.table), table);
    const all = make("details", {}, make("summary", {}, words.all));
    all.append(...box.childNodes);

    function picture(spans, end, ranks) {
      const unit = Math.min(MOST, Math.max(LEAST, Math.floor((box.clientWidth - 100) / end)));
      const svg = drawn("svg", { width: end * unit, height: ranks * ROW, role: "img", "aria-label": words.grid });
      spans.forEach((list, rank) => {
        svg.append(drawn("rect", { class: "schedules__idle", x: 0, y: rank * ROW, width: end * unit, height: BAR }));
        for (const { step, start, end: stop } of list) {
          const [x, width] = [start * unit, (stop - start) * unit - 1];
          const height = BAR / parts(step).length; // the two of a pair above one another
          parts(step).forEach(([stage, what, number], row) => {
            const y = rank * ROW + row * height;
            const place = Math.floor(stage / ranks);
            svg.append(
              drawn("rect", { class: `schedules__${what} schedules__place${place}`, x, y, width, height, rx: 2 }),
              drawn("text", { x: x + width / 2, y: y + height / 2 + 4.5, "text-anchor": "middle" }, String(number + 1)),
            );
          });
        }
      });
      const names = make("div", { className: "schedules__ranks" }, ...range(ranks).map((rank) => make("span", {}, `rank ${rank}`)));
      names.setAttribute("aria-hidden", "true");
      const scrolled = make("div", { className: "schedules__time", tabIndex: 0 }, svg);
      scrolled.setAttribute("role", "group");
      scrolled.setAttribute("aria-label", words.grid);
      grid.replaceChildren(names, scrolled);
    }

    function show() {
      const kind = fields.kind.value;
      const local = LOCAL[kind] ?? Number(fields.local.value);
      fields.local.disabled = kind in LOCAL;
      const pipe = { ranks: Number(fields.ranks.value), local, microbatches: Number(fields.microbatches.value) };
      const found = order(kind, pipe);
      for (const part of [grid, legend, orders]) part.hidden = !found;
      delete said.dataset.end;
      if (!found) {
        said.textContent = (words.error[kind] ?? words.error.other)(rounds(pipe));
        return;
      }
      const spans = plan(found, pipe.ranks * local);
      const end = Math.max(...spans.flat().map((span) => span.end));
      const idle = spans.map((list) => end - list.reduce((sum, span) => sum + span.end - span.start, 0));
      const most = kept(found, local);
      said.textContent = words.said(end, share(idle.reduce((sum, one) => sum + one, 0), end * pipe.ranks), short(Math.max(...most)));
      said.dataset.end = end;
      picture(spans, end, pipe.ranks);
      const has = new Set(found.flat().flatMap((step) => (parts(step)[1] ? ["pair"] : [step[1]])));
      const kinds = ["F", "B", "I", "W", "pair"].filter((one) => has.has(one));
      legend.replaceChildren(...kinds.map((what) => make("span", {}, make("span", { className: `schedules__key schedules__${what}` }), words.kinds[what])),
        ...(local > 1 ? [make("span", {}, words.darker)] : []));
      const written = (step) => parts(step).map(([stage, what, number]) => `${stage}${what}${number + 1}`).join("+");
      rows.replaceChildren(...found.map((steps, rank) => make("tr", {}, make("th", { scope: "row" }, `rank ${rank}`),
        make("td", {}, `${share(idle[rank], end)} %`), make("td", {}, short(most[rank])),
        make("td", {}, steps.map(written).join(" ")))));
    }

    recall(fields);
    form.addEventListener("input", () => {
      show();
      remember(fields, FIRST);
    });
    box.replaceChildren(form, said, grid, legend, orders, all);
    box.order = order;
    box.plan = plan;
    box.kept = kept;
    box.dataset.ready = "";
    show();
  }

  document.querySelectorAll(".schedules:not([data-ready])").forEach(build);
});
