// The training loop on three lanes of speed/asynchronous: readers switch what waits on and off. The
// tasks stand in tests/support/lanes_model.py, too, and they are planned as gpu_guide/pictures/timeline.py
// does it; tests hold both against each other. Without this script there is a table of all choices.
(() => {
  "use strict";

  const STEPS = 4;
  const [LOAD, CALL, LAUNCH, COPY, COMPUTE, READ] = [6, 1, 2, 5, 6, 1];
  const LANES = ["cpu", "copy", "gpu"];
  const SVG = "http://www.w3.org/2000/svg";
  const [LEFT, WIDE, ROW, BAR] = [74, 680, 40, 32];

  const WORDS = {
    zh: {
      item: "每一步都调用 loss.item()",
      pinned: "锁页内存，拷贝时写 non_blocking=True",
      stream: "拷贝放到另一条流上（需要锁页内存）",
      lanes: { cpu: "CPU", copy: "拷贝", gpu: "计算" },
      kinds: { load: "读取数据", call: "发起拷贝", wait: "等拷贝", launch: "启动核函数", copy: "拷贝到 GPU", compute: "计算", item: "item()：等待并取回" },
      said: (end, busy, part) => `${STEPS} 步一共 ${end} 个单位时间，其中 GPU 在计算的有 ${busy} 个（${part} %）。`,
      times: "每一项从什么时候到什么时候",
      head: ["在哪里", "做什么", "第几步", "开始", "结束"],
      table: "各种选择的结果",
    },
    en: {
      item: "loss.item() in every step",
      pinned: "pinned memory, copied with non_blocking=True",
      stream: "copies on a second stream (needs pinned memory)",
      lanes: { cpu: "CPU", copy: "copy", gpu: "compute" },
      kinds: { load: "load data", call: "call the copy", wait: "wait for the copy", launch: "launch kernels", copy: "copy to the GPU", compute: "compute", item: "item(): wait and read" },
      said: (end, busy, part) => `${STEPS} steps take ${end} units of time, in ${busy} of which the GPU computes (${part}%).`,
      times: "When each task begins and ends",
      head: ["Where", "What", "Step", "Begins", "Ends"],
      table: "The results of all choices",
    },
  };

  /** When each task begins and ends, as `schedule` in gpu_guide/pictures/timeline.py says it. */
  function schedule(tasks) {
    const spans = new Map();
    const free = new Map();
    const id = (task) => `${task.lane} ${task.do}`;
    const waiting = [...tasks];
    while (waiting.length) {
      const busy = new Set();
      const at = waiting.findIndex((task) => {
        const needed = [...(task.after ?? []), ...(task.along ?? []), ...(task.until ?? [])];
        if (!busy.has(task.lane) && needed.every((name) => spans.has(name))) return true;
        busy.add(task.lane);
        return false;
      });
      if (at < 0) throw new Error(`${id(waiting[0])} waits for itself`);
      const [task] = waiting.splice(at, 1);
      const times = (names, key) => (names ?? []).map((name) => spans.get(name)[key]);
      const start = Math.max(free.get(task.lane) ?? 0, ...times(task.after, "end"), ...times(task.along, "start"));
      const end = Math.max(start + (task.takes ?? 0), ...times(task.until, "end"));
      spans.set(id(task), { lane: task.lane, do: task.do, start, end });
      free.set(task.lane, end);
    }
    return tasks.map((task) => spans.get(id(task)));
  }

  function loop({ item, pinned, stream }, steps = STEPS) {
    const tasks = [];
    for (let n = 1; n <= steps; n++) {
      const own = pinned && stream;
      tasks.push({ lane: "cpu", do: `load~${n}`, takes: LOAD }, { lane: "cpu", do: `call~${n}`, takes: CALL });
      const after = own || n === 1 ? [] : [`gpu compute~${n - 1}`];
      tasks.push({ lane: "copy", do: `copy~${n}`, takes: COPY, after, along: [`cpu call~${n}`] });
      if (!pinned) tasks.push({ lane: "cpu", do: `wait~${n}`, until: [`copy copy~${n}`] });
      tasks.push({ lane: "cpu", do: `launch~${n}`, takes: LAUNCH });
      tasks.push({ lane: "gpu", do: `compute~${n}`, takes: COMPUTE, after: [`copy copy~${n}`], along: [`cpu launch~${n}`] });
      if (item) tasks.push({ lane: "cpu", do: `item~${n}`, takes: READ, until: [`gpu compute~${n}`] });
    }
    return tasks;
  }

  const make = (tag, attributes = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...children);
    return made;
  };

  function drawn(tag, attributes, ...children) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function build(box) {
    const words = WORDS[document.documentElement.lang.startsWith("zh") ? "zh" : "en"];
    const NAMES = ["item", "pinned", "stream"];
    const fields = Object.fromEntries(NAMES.map((name) => [name, make("input", { type: "checkbox", name })]));
    const form = make("div", { className: "lanes__fields" },
      ...NAMES.map((name) => make("label", {}, fields[name], ` ${words[name]}`)));
    const said = make("p", { className: "lanes__said" });
    said.setAttribute("role", "status");
    const picture = make("div");
    const legend = make("p", { className: "lanes__legend" });
    legend.setAttribute("aria-hidden", "true"); // the table below says it in words
    const rows = make("tbody");
    const times = make("details", {}, make("summary", {}, words.times), make("table", { className: "lanes__times" },
      make("thead", {}, make("tr", {}, ...words.head.map((text) => make("th", { scope: "col" }, text)))), rows));
    const widest = Math.max(...schedule(loop({ item: true })).map(({ end }) => end));

    function show(changed) {
      const on = Object.fromEntries(NAMES.map((name) => [name, fields[name].checked]));
      fields.stream.disabled = !on.pinned;
      const spans = schedule(loop(on));
      const end = Math.max(...spans.map((span) => span.end));
      const busy = spans.reduce((sum, span) => sum + (span.lane === "gpu" ? span.end - span.start : 0), 0);
      said.textContent = words.said(end, busy, Math.round((100 * busy) / end));
      said.dataset.end = end;
      said.dataset.busy = busy;
      const unit = (WIDE - LEFT) / widest;
      const svg = drawn("svg", { viewBox: `0 0 ${WIDE} ${LANES.length * ROW}`, role: "img", "aria-label": said.textContent });
      LANES.forEach((lane, row) => {
        svg.append(drawn("text", { x: 0, y: row * ROW + BAR / 2 + 6 }, words.lanes[lane]));
        svg.append(drawn("path", { class: "lanes__line", d: `M${LEFT} ${row * ROW + BAR + 3}H${WIDE}` }));
      });
      rows.replaceChildren();
      for (const span of spans) {
        const [kind, step] = span.do.split("~");
        if (span.end > span.start) {
          const [x, y, width] = [LEFT + span.start * unit, LANES.indexOf(span.lane) * ROW, (span.end - span.start) * unit - 1.5];
          svg.append(drawn("rect", { class: `lanes__task lanes__task--${kind}`, x, y, width, height: BAR, rx: 3 }));
          if (width > 14) svg.append(drawn("text", { class: "lanes__step", x: x + width / 2, y: y + BAR / 2 + 6, "text-anchor": "middle" }, step));
        }
        rows.append(make("tr", {}, ...[words.lanes[span.lane], words.kinds[kind], step, span.start, span.end].map((text) => make("td", {}, String(text)))));
      }
      picture.replaceChildren(svg);
      const kinds = [...new Set(spans.map((span) => span.do.split("~")[0]))];
      legend.replaceChildren(...kinds.map((kind) => make("span", {}, make("span", { className: `lanes__key lanes__task--${kind}` }), words.kinds[kind])));
      if (!changed) return;
      const address = new URL(location.href);
      for (const name of NAMES) {
        if (on[name]) address.searchParams.set(name, "1");
        else address.searchParams.delete(name);
      }
      try {
        history.replaceState(history.state, "", address);
      } catch {
        // Some browsers let no file change its address: the picture stands all the same.
      }
    }

    const asked = new URLSearchParams(location.search);
    for (const name of NAMES) fields[name].checked = asked.get(name) === "1";
    form.addEventListener("input", () => show(true));
    const all = make("details", {}, make("summary", {}, words.table));
    all.append(...box.childNodes);
    box.replaceChildren(form, said, picture, legend, times, all);
    box.plan = (on, steps) => schedule(loop(on, steps));
    box.schedule = schedule;
    box.dataset.ready = "";
    show(false);
  }

  document.querySelectorAll(".lanes:not([data-ready])").forEach(build);
})();
