// The allocator that one can watch: plays allocations and frees by the rules of PyTorch's caching
// allocator. The rules stand in tests/allocator_model.py, too, and both are played against each
// other. Without this script the page shows its scenes as tables.
(() => {
  "use strict";

  const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
  // c10/core/AllocatorConfig.h, torch 2.13.0 and 2.15.0
  const MIN_BLOCK_SIZE = 512;
  const SMALL_SIZE = UNITS.MiB;
  const SMALL_BUFFER = 2 * UNITS.MiB;
  const MIN_LARGE_ALLOC = 10 * UNITS.MiB;
  const ROUND_LARGE = 2 * UNITS.MiB;
  const LARGE_SEGMENT_SIZE = 20 * UNITS.MiB;
  const STATEMENT =
    /^(?:([A-Za-z_]\w*) *= *(\d+(?:\.\d+)?) *(B|KiB|MiB|GiB)|del +([A-Za-z_]\w*)|(empty_cache\(\)))$/;

  const WORDS = {
    zh: {
      scene: "场景",
      program: "步骤，每行一个，可以改",
      step: "第几步",
      back: "上一步",
      forward: "下一步",
      play: "播放",
      pause: "暂停",
      tables: "各个场景的表格",
      start: "还没有开始。",
      requested: "申请",
      allocated: "已分配",
      reserved: "已预留",
      segments: "从驱动拿到的段",
      none: "一段也没有。",
      segment: (n, pool, size) => `第 ${n} 段，${size}，${pool}`,
      small: "小块池",
      large: "大块池",
      free: "空闲",
      join: "；",
      end: "。",
      notUnderstood: (n, text) => `第 ${n} 行看不懂：${text}`,
      noSuch: (n, name) => `第 ${n} 行：没有 ${name}`,
      noBytes: (n, text) => `第 ${n} 行：${text} 不是整数个字节`,
      events: {
        retried: () => "驱动给不出，先归还整段空闲的",
        failed: () => "还是不够：显存不足",
        segment: (seen) => `缓存里没有够大的块，向驱动要一段 ${seen.segment}`,
        reused: () => "缓存里有够大的块",
        split: (seen) => `切下 ${seen.block}，剩下的空着`,
        whole: (seen) => `整块 ${seen.block} 都给它`,
        cached: () => "块回到缓存，不还给驱动",
        merged: () => "和相邻的空闲块合并",
        returned: (seen) => `整段空闲的还给驱动，共 ${seen.returned} 段`,
        nothing: () => "没有整段空闲的，什么也不还",
        limit: (seen) => `最多预留 ${seen.limit}`,
      },
    },
    en: {
      scene: "Scene",
      program: "Steps, one per line; change them",
      step: "Step",
      back: "Back",
      forward: "Next",
      play: "Play",
      pause: "Pause",
      tables: "The scenes as tables",
      start: "Not begun yet.",
      requested: "Asked for",
      allocated: "Allocated",
      reserved: "Reserved",
      segments: "Segments from the driver",
      none: "There is none.",
      segment: (n, pool, size) => `Segment ${n}, ${size}, ${pool}`,
      small: "small pool",
      large: "large pool",
      free: "free",
      join: "; ",
      end: ".",
      notUnderstood: (n, text) => `Line ${n} is not understood: ${text}`,
      noSuch: (n, name) => `Line ${n}: there is no ${name}`,
      noBytes: (n, text) => `Line ${n}: ${text} is no whole number of bytes`,
      events: {
        retried: () => "the driver has too little, so segments that are all free go back first",
        failed: () => "still too little: out of memory",
        segment: (seen) => `no cached block is large enough, the driver gives ${seen.segment}`,
        reused: () => "a cached block is large enough",
        split: (seen) => `${seen.block} are cut off, the rest stays free`,
        whole: (seen) => `it gets the whole ${seen.block}`,
        cached: () => "the block goes back to the cache, not to the driver",
        merged: () => "it merges with its free neighbour",
        returned: (seen) => `segments that are all free go back to the driver: ${seen.returned}`,
        nothing: () => "no segment is all free, so nothing goes back",
        limit: (seen) => `at most ${seen.limit} may be reserved`,
      },
    },
  };

  const roundUp = (size, step) => Math.ceil(size / step) * step;

  /** What a rounded request that no free block can hold asks the driver for. */
  function segmentSize(size) {
    if (size <= SMALL_SIZE) return SMALL_BUFFER;
    return size < MIN_LARGE_ALLOC ? LARGE_SEGMENT_SIZE : roundUp(size, ROUND_LARGE);
  }

  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const bytesOf = (segment) => sum(segment.blocks.map((block) => block.size));

  class Allocator {
    limit = Infinity;
    segments = []; // {small, blocks: [{size, owner, requested}]}, in the order of addresses

    get reserved() {
      return sum(this.segments.map(bytesOf));
    }

    /** Where the tensor `owner` lies now, and what happened on the way. */
    allocate(owner, requested) {
      const size = roundUp(requested, MIN_BLOCK_SIZE);
      const small = size <= SMALL_SIZE;
      const events = [];
      let found = this.#bestFit(size, small);
      if (found) {
        events.push("reused");
      } else {
        const asked = segmentSize(size);
        if (this.reserved + asked > this.limit) {
          this.emptyCache();
          events.push("retried");
          if (this.reserved + asked > this.limit) return { events: [...events, "failed"] };
        }
        events.push("segment");
        found = { segment: { small, blocks: [{ size: asked, owner: null, requested: 0 }] }, index: 0 };
        this.segments.push(found.segment);
      }
      const block = found.segment.blocks[found.index];
      const rest = block.size - size;
      if (small ? rest >= MIN_BLOCK_SIZE : rest > SMALL_SIZE) {
        events.push("split");
        block.size = size;
        found.segment.blocks.splice(found.index + 1, 0, { size: rest, owner: null, requested: 0 });
      }
      Object.assign(block, { owner, requested });
      return { events, segment: bytesOf(found.segment), block: block.size };
    }

    free(owner) {
      const events = ["cached"];
      for (const { blocks } of this.segments) {
        const index = blocks.findIndex((block) => block.owner === owner);
        if (index < 0) continue;
        Object.assign(blocks[index], { owner: null, requested: 0 });
        for (const first of [index, index - 1]) {
          if (blocks[first]?.owner === null && blocks[first + 1]?.owner === null) {
            blocks[first].size += blocks[first + 1].size;
            blocks.splice(first + 1, 1);
            events.push("merged");
          }
        }
      }
      return events;
    }

    /** The number of segments that went back to the driver. */
    emptyCache() {
      const before = this.segments.length;
      this.segments = this.segments.filter(
        ({ blocks }) => blocks.length > 1 || blocks[0].owner !== null,
      );
      return before - this.segments.length;
    }

    #bestFit(size, small) {
      let best = null;
      for (const segment of this.segments) {
        if (segment.small !== small) continue;
        segment.blocks.forEach((block, index) => {
          if (block.owner !== null || block.size < size) return;
          if (!best || block.size < best.segment.blocks[best.index].size) best = { segment, index };
        });
      }
      return best;
    }
  }

  /** The state after each line of a program, and what is wrong with the first line that is wrong. */
  function run(program, words) {
    const allocator = new Allocator();
    const owners = new Map(); // name -> the object that owns its block
    const states = [];
    const lines = program.split("\n").map((line) => line.trim());
    while (lines.length && !lines.at(-1)) lines.pop();
    for (const [index, statement] of lines.entries()) {
      const match = STATEMENT.exec(statement);
      if (!match) return { states, problem: words.notUnderstood(index + 1, statement) };
      const [, name, count, unit, deleted] = match;
      let seen = { events: [] };
      if (name) {
        const size = Number(count) * UNITS[unit];
        const whole = Number.isSafeInteger(size) && size > 0;
        if (!whole) return { states, problem: words.noBytes(index + 1, `${count} ${unit}`) };
        if (name === "limit") {
          allocator.limit = size;
          seen.limit = size;
        } else {
          const owner = { name };
          seen = allocator.allocate(owner, size);
          if (!seen.events.includes("failed")) {
            if (owners.has(name)) seen.events.push(...allocator.free(owners.get(name)));
            owners.set(name, owner);
          }
        }
      } else if (deleted) {
        if (!owners.has(deleted)) return { states, problem: words.noSuch(index + 1, deleted) };
        seen.events = allocator.free(owners.get(deleted));
        owners.delete(deleted);
      } else {
        seen.returned = allocator.emptyCache();
        seen.events = Array(seen.returned).fill("returned");
      }
      const segments = allocator.segments.map(({ small, blocks }) => ({
        small,
        blocks: blocks.map(({ size, owner, requested }) => ({
          size,
          requested,
          name: owner?.name ?? null,
        })),
      }));
      states.push({ statement, seen, segments });
    }
    return { states, problem: "" };
  }

  /** Exact, whatever the number. */
  function format(bytes) {
    if (bytes % MIN_BLOCK_SIZE || bytes < UNITS.KiB) return `${bytes} B`;
    const quarters = (unit) => Number.isInteger((4 * bytes) / UNITS[unit]);
    const unit = ["GiB", "MiB"].find((one) => bytes >= UNITS[one] && quarters(one)) ?? "KiB";
    return `${bytes / UNITS[unit]} ${unit}`;
  }

  function explain({ seen }, words) {
    const tell = { ...seen };
    for (const key of ["segment", "block", "limit"]) if (key in tell) tell[key] = format(tell[key]);
    const events = [...new Set(seen.events)];
    if (seen.block && !events.includes("split")) {
      events.splice(events.findIndex((event) => ["segment", "reused"].includes(event)) + 1, 0, "whole");
    }
    if ("limit" in seen) events.push("limit");
    if (!events.length) events.push("nothing");
    const text = events.map((event) => words.events[event](tell)).join(words.join) + words.end;
    return text[0].toUpperCase() + text.slice(1);
  }

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  /** The scenes of the page: below each name in bold, a table whose first column is the program. */
  function readScenes(box) {
    const names = [...box.querySelectorAll("p > strong:only-child")];
    return [...box.querySelectorAll("table")].map((table, index) => ({
      name: names[index]?.textContent ?? String(index + 1),
      program: [...table.querySelectorAll("tbody tr td:first-child")]
        .map((cell) => cell.textContent.trim())
        .join("\n"),
    }));
  }

  function drawSegment({ small, blocks }, number, words) {
    const total = format(sum(blocks.map((block) => block.size)));
    const title = words.segment(number, small ? words.small : words.large, total);
    const content = blocks.map(({ name, size }) => `${name ?? words.free} ${format(size)}`);
    const bar = element("div", { class: "allocator__bar", role: "img", "aria-label": content.join(", ") });
    for (const [index, { name, size }] of blocks.entries()) {
      const attributes = { class: "allocator__block", "data-size": size, style: `flex-grow:${size / UNITS.MiB}` };
      if (name) attributes["data-name"] = name;
      const wide = size / sum(blocks.map((block) => block.size)) > 0.08;
      bar.append(element("span", attributes, wide ? (name ?? "") : ""));
      bar.lastChild.title = content[index];
    }
    const list = content.join(" · ");
    return element("li", {}, element("p", {}, title), bar, element("p", { "aria-hidden": "true" }, list));
  }

  function build(box) {
    const words = WORDS[document.documentElement.lang.startsWith("zh") ? "zh" : "en"];
    const scenes = readScenes(box);
    let result = { states: [], problem: "" };
    let timer = 0;

    const scene = element("select", { onchange: () => choose() });
    scenes.forEach(({ name }, index) => scene.append(element("option", { value: index }, name)));
    const program = element("textarea", { spellcheck: "false", autocomplete: "off", oninput: () => replay() });
    const slider = element("input", { type: "range", min: 0, value: 0, oninput: () => show() });
    const back = element("button", { type: "button", onclick: () => go(-1) }, words.back);
    const forward = element("button", { type: "button", onclick: () => go(1) }, words.forward);
    const start = element("button", { type: "button", onclick: () => toggle() }, words.play);
    const problem = element("p", { class: "allocator__problem", role: "status" });
    const step = element("p", { class: "allocator__step", "aria-live": "polite" });
    const segments = element("ol", { class: "allocator__segments" });
    const none = element("p", {}, words.none);
    const used = element("span", { class: "allocator__used" });
    const held = element("span", { class: "allocator__held" }, used);
    const figures = Object.fromEntries(
      ["requested", "allocated", "reserved"].map((key) => [key, element("data", { class: `allocator__${key}`, value: 0 })]),
    );
    const list = element("dl");
    for (const [key, data] of Object.entries(figures)) {
      list.append(element("div", {}, element("dt", {}, words[key]), element("dd", {}, data)));
    }

    function choose() {
      program.value = scenes[scene.value]?.program ?? "";
      program.rows = program.value.split("\n").length + 1;
      replay(0);
    }

    function replay(at = Number(slider.value)) {
      pause();
      result = run(program.value, words);
      problem.textContent = result.problem;
      slider.max = result.states.length;
      slider.value = at;
      show();
    }

    function go(by) {
      pause();
      slider.value = Number(slider.value) + by;
      show();
    }

    function pause() {
      clearInterval(timer);
      timer = 0;
      start.textContent = words.play;
    }

    function toggle() {
      if (timer) return pause();
      if (slider.value === slider.max) slider.value = 0;
      start.textContent = words.pause;
      timer = setInterval(() => {
        slider.value = Number(slider.value) + 1;
        show();
        if (slider.value === slider.max) pause();
      }, 1600);
    }

    function show() {
      const at = Number(slider.value);
      const state = result.states[at - 1];
      const blocks = (state?.segments ?? []).flatMap((segment) => segment.blocks);
      const live = blocks.filter((block) => block.name !== null);
      const bytes = {
        requested: sum(live.map((block) => block.requested)),
        allocated: sum(live.map((block) => block.size)),
        reserved: sum(blocks.map((block) => block.size)),
      };
      for (const [key, data] of Object.entries(figures)) {
        data.value = bytes[key];
        data.textContent = format(bytes[key]);
      }
      const reserved = ({ segments }) => sum(segments.map(bytesOf));
      const most = Math.max(1, ...result.states.map(reserved));
      held.style.width = `${(100 * bytes.reserved) / most}%`;
      used.style.width = `${bytes.reserved ? (100 * bytes.allocated) / bytes.reserved : 0}%`;
      step.replaceChildren(
        ...(state
          ? [element("strong", {}, `${at}/${slider.max} `), element("code", {}, state.statement), ` ${explain(state, words)}`]
          : [words.start]),
      );
      step.dataset.events = state?.seen.events.join(" ") ?? "";
      segments.replaceChildren(...(state?.segments ?? []).map((one, index) => drawSegment(one, index + 1, words)));
      none.hidden = blocks.length > 0;
      slider.setAttribute("aria-valuetext", `${at}/${slider.max}`);
      back.disabled = at === 0;
      forward.disabled = at >= Number(slider.max);
      start.disabled = slider.max === "0";
    }

    const tables = element("details", {}, element("summary", {}, words.tables), ...box.childNodes);
    box.append(
      element("label", {}, words.scene, scene),
      element("div", { class: "allocator__controls" }, back, forward, start, element("label", {}, words.step, slider)),
      step,
      list,
      element("div", { class: "allocator__total", "aria-hidden": "true" }, held),
      element("p", { class: "allocator__label" }, words.segments),
      none,
      segments,
      element("label", {}, words.program, program),
      problem,
      tables,
    );
    box.dataset.ready = "";
    choose();
  }

  document.querySelectorAll(".allocator:not([data-ready])").forEach(build);
})();
