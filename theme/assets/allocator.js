// The allocator that one can watch: plays allocations and frees by the rules of PyTorch's caching
// allocator. The rules stand in tests/support/allocator_model.py, too, and both are played against each
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
  const EXPANDABLE = "expandable_segments:True";
  const ENDLESS = 2 ** 42; // bytes of addresses: more than any program here can fill
  const STATEMENT = new RegExp(
    String.raw`^(?:([A-Za-z_]\w*) *= *(\d+(?:\.\d+)?) *(B|KiB|MiB|GiB)(?: +on +stream +(\d+))?` +
      String.raw`|del +([A-Za-z_]\w*)|(empty_cache\(\))|(${EXPANDABLE})` +
      String.raw`|([A-Za-z_]\w*)\.record_stream\((\d+)\))$`,
  );

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
      start: "按“下一步”开始。",
      requested: "申请",
      allocated: "已分配",
      reserved: "已预留",
      segments: "从驱动拿到的段",
      none: "还没有。",
      segment: (n, pool, size, stream) => `第 ${n} 段，${size}，${pool}${stream ? `，流 ${stream}` : ""}`,
      small: "小块池",
      large: "大块池",
      free: "空闲",
      join: "；",
      end: "。",
      notUnderstood: (n, text) => `第 ${n} 行看不懂：${text}`,
      noSuch: (n, name) => `第 ${n} 行：没有 ${name}`,
      noBytes: (n, text) => `第 ${n} 行：${text} 不是整数个字节`,
      notFirst: (n) => `第 ${n} 行：${EXPANDABLE} 只能写在第一行`,
      waiting: "等待",
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
        waiting: () => "另一个流还用着它，块先等着，下次申请时才回到缓存",
        expandable: () => "每个池只有一段，可以接着变长",
        grown: (seen) => `缓存里没有够大的块，给可扩展段加上驱动的显存，共 ${seen.segment}`,
        pages: (seen) => `空闲的整页还给驱动，共 ${seen.returned} 处`,
        recorded: (seen) => `记下：流 ${seen.recorded} 也在用它`,
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
      start: "Press Next to start.",
      requested: "Requested",
      allocated: "Allocated",
      reserved: "Reserved",
      segments: "Segments from the driver",
      none: "None yet.",
      segment: (n, pool, size, stream) => `Segment ${n}, ${size}, ${pool}${stream ? `, stream ${stream}` : ""}`,
      small: "small pool",
      large: "large pool",
      free: "free",
      join: "; ",
      end: ".",
      notUnderstood: (n, text) => `Line ${n} makes no sense here: ${text}`,
      noSuch: (n, name) => `Line ${n}: there is no ${name}`,
      noBytes: (n, text) => `Line ${n}: ${text} isn't a whole number of bytes`,
      notFirst: (n) => `Line ${n}: ${EXPANDABLE} can only be the first line`,
      waiting: "waiting",
      events: {
        retried: () => "the driver has too little: segments that are all free go back first",
        failed: () => "still too little: out of memory",
        segment: (seen) => `no cached block is large enough: the driver hands out ${seen.segment}`,
        reused: () => "a cached block is large enough",
        split: (seen) => `${seen.block} are cut off; the rest stays free`,
        whole: (seen) => `it gets the whole ${seen.block}`,
        cached: () => "the block goes back to the cache, not to the driver",
        merged: () => "it merges with its free neighbour",
        returned: (seen) => `segments that are all free go back to the driver: ${seen.returned}`,
        nothing: () => "no segment is all free: nothing goes back",
        limit: (seen) => `at most ${seen.limit} may be reserved`,
        waiting: () => "another stream still uses it: the block is cached at the next request",
        expandable: () => "each pool has one segment, which can grow",
        grown: (seen) => `no cached block is large enough: the expandable segment grows to ${seen.segment}`,
        pages: (seen) => `pages that are all free go back to the driver, in ${seen.returned} places`,
        recorded: (seen) => `noted: stream ${seen.recorded} also uses it`,
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
  const bytesOf = (segment) => sum(segment.blocks.map((block) => (block.mapped ? block.size : 0)));
  const pageSize = (small) => (small ? SMALL_BUFFER : LARGE_SEGMENT_SIZE);
  const newBlock = (size, mapped = true) =>
    ({ size, owner: null, requested: 0, usedBy: new Set(), waiting: false, mapped });
  const isFree = (block) => block.owner === null && !block.waiting;
  const samePool = (segment, pool) => segment.small === pool.small && segment.stream === pool.stream;

  /** Cut a block in two, the first of `size` bytes. */
  function split({ blocks }, index, size) {
    blocks.splice(index + 1, 0, newBlock(blocks[index].size - size, blocks[index].mapped));
    blocks[index].size = size;
  }

  /** Swallow the free neighbours of a free block: how many, and where it then stands. */
  function merge({ blocks }, index) {
    let merged = 0;
    for (const first of [index, index - 1]) {
      const [left, right] = [blocks[first], blocks[first + 1]];
      if (!left || !right || !isFree(left) || !isFree(right) || left.mapped !== right.mapped) continue;
      left.size += right.size;
      blocks.splice(first + 1, 1);
      merged += 1;
      if (first < index) index = first;
    }
    return { merged, index };
  }

  class Allocator {
    limit = Infinity;
    segments = []; // {small, stream, blocks: [newBlock(…)]}, each in the order of addresses

    get reserved() {
      return sum(this.segments.map(bytesOf));
    }

    /** Where the tensor `owner` lies now, and what happened on the way. */
    allocate(owner, requested, stream) {
      this.endWaiting();
      const size = roundUp(requested, MIN_BLOCK_SIZE);
      const pool = { small: size <= SMALL_SIZE, stream };
      const events = [];
      let found = this.bestFit(size, pool);
      if (found) {
        events.push("reused");
      } else {
        found = this.grow(size, pool);
        if (!found) {
          this.emptyCache();
          events.push("retried");
          found = this.grow(size, pool);
          if (!found) return { events: [...events, "failed"] };
        }
        events.push("segment");
      }
      const { segment, index } = found;
      if (this.splitsOff(segment.blocks[index].size - size, pool.small)) {
        events.push("split");
        split(segment, index, size);
      }
      const block = segment.blocks[index];
      Object.assign(block, { owner, requested });
      return { events, segment: bytesOf(segment), block: block.size };
    }

    recordStream(owner, stream) {
      for (const segment of this.segments) {
        if (segment.stream === stream) continue;
        segment.blocks.filter((block) => block.owner === owner).forEach((block) => block.usedBy.add(stream));
      }
    }

    free(owner) {
      for (const segment of this.segments) {
        const block = segment.blocks.find((one) => one.owner === owner);
        if (!block) continue;
        block.owner = null;
        if (!block.usedBy.size) return this.cache(segment, block);
        block.waiting = true;
      }
      return ["waiting"];
    }

    cache(segment, block) {
      Object.assign(block, { requested: 0, waiting: false, usedBy: new Set() });
      return ["cached", ...Array(merge(segment, segment.blocks.indexOf(block)).merged).fill("merged")];
    }

    /** Nothing runs here, so that every other stream is done by the next request. */
    endWaiting() {
      for (const segment of this.segments) {
        segment.blocks.filter((block) => block.waiting).forEach((block) => this.cache(segment, block));
      }
    }

    /** How many segments, or pages in a row, went back to the driver. */
    emptyCache() {
      this.endWaiting();
      const before = this.segments.length;
      this.segments = this.segments.filter(({ blocks }) => blocks.length > 1 || !isFree(blocks[0]));
      return before - this.segments.length;
    }

    /** A block with new memory from the driver, or null if there is too little. */
    grow(size, pool) {
      const asked = segmentSize(size);
      if (this.reserved + asked > this.limit) return null;
      this.segments.push({ ...pool, blocks: [newBlock(asked)] });
      return { segment: this.segments.at(-1), index: 0 };
    }

    splitsOff(rest, small) {
      return small ? rest >= MIN_BLOCK_SIZE : rest > SMALL_SIZE;
    }

    /** Free blocks that are large enough: by size, then by segment and address. */
    freeBlocks(size, pool) {
      const found = [];
      for (const segment of this.segments) {
        if (!samePool(segment, pool)) continue;
        segment.blocks.forEach((block, index) => {
          if (block.mapped && isFree(block) && block.size >= size) found.push({ segment, index, size: block.size });
        });
      }
      return found.sort((one, other) => one.size - other.size); // which keeps the order of equals
    }

    bestFit(size, pool) {
      return this.freeBlocks(size, pool)[0] ?? null;
    }
  }

  /** With expandable_segments:True: a pool has one segment, to which memory is added by pages. */
  class ExpandableAllocator extends Allocator {
    emptyCache() {
      this.endWaiting();
      let returned = 0;
      for (const segment of this.segments) {
        const free = segment.blocks.filter((block) => block.mapped && isFree(block));
        for (const block of free) returned += this.#unmap(segment, block);
      }
      this.segments = this.segments.filter((segment) => bytesOf(segment) > 0);
      return returned;
    }

    #unmap(segment, block) {
      const { blocks } = segment;
      let index = blocks.indexOf(block);
      const offset = sum(blocks.slice(0, index).map((one) => one.size));
      const page = pageSize(segment.small);
      const begin = roundUp(offset, page);
      const end = Math.floor((offset + block.size) / page) * page;
      if (begin >= end) return 0;
      if (begin > offset) split(segment, index++, begin - offset);
      if (blocks[index].size > end - begin) split(segment, index, end - begin);
      blocks[index].mapped = false;
      merge(segment, index);
      return 1;
    }

    grow(size, pool) {
      if (this.reserved + segmentSize(size) > this.limit) return null;
      let { segment, index } = this.#findRange(size, pool);
      if (!segment.blocks[index].mapped) index = this.#map(segment, index, size);
      while (segment.blocks[index].size < size) {
        index = this.#map(segment, index + 1, size - segment.blocks[index].size);
      }
      return { segment, index };
    }

    /** Where the lowest range of free addresses begins that has room, with memory or without. */
    #findRange(size, pool) {
      for (const segment of this.segments.filter((one) => samePool(one, pool))) {
        const { blocks } = segment;
        for (let index = 0; index < blocks.length; index++) {
          if (blocks[index].mapped) continue;
          const first = index && isFree(blocks[index - 1]) ? index - 1 : index;
          let room = 0;
          for (let next = first; next < blocks.length && isFree(blocks[next]); next++) room += blocks[next].size;
          if (room >= size) return { segment, index: first };
        }
      }
      this.segments.push({ ...pool, blocks: [newBlock(ENDLESS, false)] });
      return { segment: this.segments.at(-1), index: 0 };
    }

    #map(segment, index, size) {
      const { blocks } = segment;
      const asked = roundUp(Math.min(size, blocks[index].size), pageSize(segment.small));
      if (blocks[index].size > asked) split(segment, index, asked);
      blocks[index].mapped = true;
      return merge(segment, index).index;
    }

    splitsOff(rest) {
      return rest >= MIN_BLOCK_SIZE;
    }

    /** A block counts with the addresses behind it, so that one that could still grow comes last. */
    bestFit(size, pool) {
      const found = this.freeBlocks(size, pool);
      const reach = ({ segment, index }) => {
        const after = segment.blocks[index + 1];
        return segment.blocks[index].size + (after && !after.mapped ? after.size : 0);
      };
      let chosen = 0;
      while (found[chosen + 1] && reach(found[chosen + 1]) < reach(found[chosen])) chosen++;
      return found[chosen] ?? null;
    }
  }

  /** What a snapshot lists: the pieces of a segment that have memory without a gap. */
  function pieces({ small, stream, blocks }) {
    const found = [];
    blocks.forEach((block, index) => {
      if (!block.mapped) return;
      if (!blocks[index - 1]?.mapped) found.push({ small, stream, blocks: [] });
      const { size, requested, waiting, owner } = block;
      found.at(-1).blocks.push({ size, requested, waiting, name: owner?.name ?? null });
    });
    return found;
  }

  /** The state after each line of a program, and what is wrong with the first line that is wrong. */
  function run(program, words) {
    let allocator = new Allocator();
    const owners = new Map(); // name -> the object that owns its block
    const states = [];
    const lines = program.split("\n").map((line) => line.trim());
    while (lines.length && !lines.at(-1)) lines.pop();
    for (const [index, statement] of lines.entries()) {
      const match = STATEMENT.exec(statement);
      if (!match) return { states, problem: words.notUnderstood(index + 1, statement) };
      const [, name, count, unit, stream, deleted, empty, expandable, used, by] = match;
      let seen = { events: [] };
      for (const one of [deleted, used]) {
        if (one && !owners.has(one)) return { states, problem: words.noSuch(index + 1, one) };
      }
      if (name) {
        const size = Number(count) * UNITS[unit];
        const whole = Number.isSafeInteger(size) && size > 0;
        if (!whole) return { states, problem: words.noBytes(index + 1, `${count} ${unit}`) };
        if (name === "limit") {
          allocator.limit = size;
          seen.limit = size;
        } else {
          const owner = { name };
          seen = allocator.allocate(owner, size, Number(stream ?? 0));
          if (!seen.events.includes("failed")) {
            if (owners.has(name)) seen.events.push(...allocator.free(owners.get(name)));
            owners.set(name, owner);
          }
        }
      } else if (deleted) {
        seen.events = allocator.free(owners.get(deleted));
        owners.delete(deleted);
      } else if (used) {
        allocator.recordStream(owners.get(used), Number(by));
        seen.recorded = by;
      } else if (expandable) {
        if (index) return { states, problem: words.notFirst(index + 1) };
        allocator = new ExpandableAllocator();
      } else if (empty) {
        seen.returned = allocator.emptyCache();
        seen.events = Array(seen.returned).fill("returned");
      }
      seen.expandable = allocator instanceof ExpandableAllocator;
      states.push({ statement, seen, segments: allocator.segments.flatMap(pieces) });
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
    for (const key of ["limit", "recorded"]) if (key in seen) events.push(key);
    if (!events.length) events.push("returned" in seen ? "nothing" : "expandable");
    const others = seen.expandable ? { segment: "grown", returned: "pages" } : {};
    const text = events.map((event) => words.events[others[event] ?? event](tell)).join(words.join) + words.end;
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

  function drawSegment({ small, stream, blocks }, number, words) {
    const total = format(sum(blocks.map((block) => block.size)));
    const title = words.segment(number, small ? words.small : words.large, total, stream);
    const nobody = (waiting) => (waiting ? words.waiting : words.free);
    const content = blocks.map(({ name, waiting, size }) => `${name ?? nobody(waiting)} ${format(size)}`);
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
        requested: sum(blocks.map((block) => block.requested)),
        allocated: sum(live.map((block) => block.size)),
        reserved: sum(blocks.map((block) => block.size)),
      };
      for (const [key, data] of Object.entries(figures)) {
        data.value = bytes[key];
        data.textContent = format(bytes[key]);
      }
      const reserved = ({ segments }) => sum(segments.flatMap(({ blocks }) => blocks.map((block) => block.size)));
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
