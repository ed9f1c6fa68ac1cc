// The ring of multi-gpu/collectives, step by step: which sums a rank holds, and what it has sent. The
// steps are those of gpu_guide/pictures/ring.py; tests hold both against each other, and against a ring
// that adds numbers. Without this script there is a table of what is sent.
(globalThis.guideForms ??= []).push((shared) => {
  "use strict";
  const { make, recall, remember } = shared;

  const FIRST = { ranks: "4", size: "1024", step: "0" };
  const WORDS = {
    zh: {
      ranks: "rank 数",
      size: "张量的大小（MiB）",
      step: "步",
      back: "上一步",
      next: "下一步",
      part: (part) => `第 ${part + 1} 份`,
      all: "总和",
      start: (steps) => `开始：每个 rank 只有自己的数，接下来一共 ${steps} 步。`,
      reduce: (step, steps, part) => `第 ${step} 步（共 ${steps} 步），reduce-scatter：每个 rank 把一份（${part}）发给下一个 rank，收到的加到自己那一份上。`,
      gather: (step, steps, part) => `第 ${step} 步（共 ${steps} 步），all-gather：每个 rank 把一份总和（${part}）发给下一个 rank，收到的替换自己那一份。`,
      sent: (sent, times) => `到这一步为止，每个 rank 发出了 ${sent}，是张量的 ${times} 倍。`,
      legend: ["刚收到", "所有 rank 的总和", "数字是已经加在一起的 rank"],
      wrong: "大小要填 0.001 到 1000000 之间的数。",
      table: "2 到 8 个 rank 各发出多少",
    },
    en: {
      ranks: "ranks",
      size: "size of the tensor, MiB",
      step: "step",
      back: "Back",
      next: "Next step",
      part: (part) => `part ${part + 1}`,
      all: "sum",
      start: (steps) => `At the start each rank has only its own numbers. ${steps} steps follow.`,
      reduce: (step, steps, part) => `Step ${step} of ${steps}, reduce-scatter: each rank sends one part (${part}) to the next rank, and adds what it receives to its own.`,
      gather: (step, steps, part) => `Step ${step} of ${steps}, all-gather: each rank sends one complete sum (${part}) to the next rank, and what it receives replaces its own.`,
      sent: (sent, times) => ` So far each rank has sent ${sent}, which is ${times} times the tensor.`,
      legend: ["just received", "the sum over all ranks", "the numbers are the ranks that are added up"],
      wrong: "The size must be a number from 0.001 to 1000000.",
      table: "What each of 2 to 8 ranks sends",
    },
  };

  const range = (count) => [...Array(count).keys()];

  /** What every rank holds of each part at the start and after each step, as ranks added up. */
  function steps(ranks) {
    let held = range(ranks).map((rank) => range(ranks).map(() => [rank]));
    const found = [{ phase: "start", held, arrived: [] }];
    for (const [phase, offset] of [["reduce", 0], ["gather", 1]]) {
      for (const number of range(ranks - 1)) {
        const before = held;
        held = before.map((parts) => [...parts]);
        const arrived = range(ranks).map((rank) => {
          const part = (rank + offset - number + ranks) % ranks;
          const to = (rank + 1) % ranks;
          const sent = before[rank][part];
          held[to][part] = phase === "gather" ? sent : [...before[to][part], ...sent].sort((a, b) => a - b);
          return [to, part];
        });
        found.push({ phase, held, arrived });
      }
    }
    return found;
  }

  const short = (number) => String(Number(number.toPrecision(3)));
  const size = (mib) => (mib >= 1024 ? `${short(mib / 1024)} GiB` : mib >= 1 ? `${short(mib)} MiB` : `${short(mib * 1024)} KiB`);

  function build(box) {
    const words = WORDS[document.documentElement.lang.startsWith("zh") ? "zh" : "en"];
    const counts = range(7).map((one) => make("option", { value: one + 2, selected: one === 2 }, one + 2));
    const fields = {
      ranks: make("select", { name: "ranks" }, ...counts),
      size: make("input", { type: "number", name: "size", min: 0.001, max: 1000000, step: "any", required: true, value: FIRST.size }),
      step: make("input", { type: "range", name: "step", min: 0, max: 14, value: FIRST.step }),
    };
    const form = make("div", { className: "ring-steps__fields" }, ...Object.entries(fields).map(([name, field]) =>
      make("label", {}, make("span", {}, words[name]), field)));
    const back = make("button", { type: "button" }, words.back);
    const next = make("button", { type: "button" }, words.next);
    const said = make("p", { className: "ring-steps__said" });
    said.setAttribute("role", "status");
    const table = make("table", { className: "ring-steps__held" });
    const legend = make("p", { className: "ring-steps__legend" },
      make("span", {}, make("span", { className: "ring-steps__key ring-steps__arrived" }), words.legend[0]),
      make("span", {}, make("span", { className: "ring-steps__key ring-steps__whole" }), words.legend[1]),
      make("span", {}, words.legend[2]));
    const all = make("details", {}, make("summary", {}, words.table));
    all.append(...box.childNodes);

    function show() {
      const ranks = Number(fields.ranks.value);
      const found = steps(ranks);
      fields.step.max = found.length - 1;
      const at = Math.min(Number(fields.step.value), found.length - 1);
      const { phase, held, arrived } = found[at];
      const part = fields.size.valueAsNumber / ranks;
      const text = phase === "start" ? words.start(found.length - 1) : words[phase](at, found.length - 1, size(part));
      said.textContent = fields.size.validity.valid ? text + words.sent(size(part * at), short(at / ranks)) : words.wrong;
      said.dataset.sent = at / ranks;
      back.disabled = at === 0;
      next.disabled = at === found.length - 1;
      const head = make("tr", {}, make("td"), ...range(ranks).map((rank) => make("th", { scope: "col" }, `rank ${rank}`)));
      const rows = range(ranks).map((one) => make("tr", {}, make("th", { scope: "row" }, words.part(one)),
        ...held.map((parts, rank) => {
          const cell = make("td");
          const whole = parts[one].length === ranks;
          if (whole) cell.classList.add("ring-steps__whole");
          if (arrived.some(([to, which]) => to === rank && which === one)) cell.classList.add("ring-steps__arrived");
          // A break after each sign, so that a long sum fits a narrow column.
          if (whole) cell.append(words.all);
          else parts[one].forEach((who, index) => cell.append(...(index ? ["+", make("wbr"), who] : [who])));
          return cell;
        })));
      table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
    }
    const changed = () => {
      show();
      remember(fields, FIRST);
    };
    const go = (by) => {
      fields.step.value = Number(fields.step.value) + by;
      changed();
    };
    recall(fields);
    form.addEventListener("input", changed);
    back.addEventListener("click", () => go(-1));
    next.addEventListener("click", () => go(1));
    const buttons = make("p", { className: "ring-steps__buttons" }, back, next);
    box.replaceChildren(form, buttons, said, make("div", { className: "ring-steps__scroll" }, table), legend, all);
    box.steps = steps;
    box.dataset.ready = "";
    show();
  }

  document.querySelectorAll(".ring-steps:not([data-ready])").forEach(build);
});
