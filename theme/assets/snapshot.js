// The viewer of memory/snapshot-viewer: hands a file to a worker, which is snapshot-engine.js, and
// shows as tables what comes back. The page stays usable meanwhile, because only the worker reads.
(() => {
  "use strict";

  const CODE = ["GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID"];
  const BY = ["line", "inner", "all"];
  const SVG = "http://www.w3.org/2000/svg";
  const WIDE = 680;
  const HIGH = 200;

  const WORDS = {
    zh: {
      files: ["快照文件", "后来的快照（可选，用来对比）"],
      drop: "也可以把一个或两个文件拖到这里。文件只在你的浏览器里读，不会上传。",
      nothing: "请选一个文件。",
      reading: (name, part, size) => `正在读 ${name}：${part}，共 ${size}`,
      stop: "停止",
      stopped: (name) => `已停止读 ${name}。`,
      done: (names) => `读完了：${names.join("、")}。`,
      by: "按什么归类",
      bys: ["PyTorch 以外的那一行代码", "最里层的调用", "调用栈里的每一层"],
      device: "设备",
      all: "全部",
      gpu: (n) => `GPU ${n}`,
      file: "文件",
      none: "（没有记录调用栈）",
      more: (shown, of) => `列出了 ${shown} 行，共 ${of} 行。`,
      growth: "从第一个文件到第二个，各处代码增加了多少",
      same: "两个文件里，各处代码占用的显存相同。",
      devices: "每块 GPU",
      places: "显存是哪里分配的",
      timeline: "历史里的显存",
      actions: "历史里的操作",
      categories: "按类别（category）统计历史里的分配",
      metadata: "按标注（user_metadata）统计历史里的分配",
      failures: "分配失败的申请",
      segments: "最大的段",
      blocks: "最大的块",
      head: {
        file: "文件", device: "设备", segments: "段", blocks: "块", reserved: "已预留", allocated: "已分配", waiting: "等待释放",
        free: "空闲", rounding: "取整多占", largestFree: "最大的空闲块", place: "位置", share: "占已分配", largest: "最大一块",
        allocations: "历史里分配次数", given: "历史里共分配", before: "第一个文件", after: "第二个文件", grown: "增加", more: "块数变化",
        action: "操作", times: "次数", bytes: "合计", address: "地址", size: "大小", pool: "池", stream: "流", requested: "申请的大小",
        state: "状态", event: "第几条", left: "驱动还剩", label: "名称",
      },
      pools: { small: "小块池", large: "大块池" },
      story: (one) => `${one.gpu} 的历史有 ${one.events} 条${one.seconds ? `，历时 ${one.seconds}` : ""}。已分配的显存从 ${one.start} 变为 ${one.end}，在第 ${one.peakAt} 条时最高，为 ${one.peak}。`,
      seconds: (n) => `${n} 秒`,
      lines: { allocated: "实线：已分配", reserved: "虚线：已预留" },
      partial: "历史里没有 free_requested（记录时跳过了它），所以画不出曲线。",
      wrong: {
        opcode: (p) => `没有读这个文件：第 ${p.byte} 字节处是操作码 ${p.name}，${CODE.includes(p.name) ? "它能让 pickle 运行代码" : "它不属于快照需要的类型"}，快照里不会有它。文件里的内容都没有执行。`,
        code: (n) => `0x${n.toString(16)}（未知）`,
        zip: () => "这是一个 zip 文件，torch.save 写的就是这种，不是 _dump_snapshot 写的快照。",
        other: () => "这不是快照：文件的开头不是协议 2 到 5 的 pickle。",
        protocol: (p) => `这个 pickle 的协议号是 ${p.protocol}，这里只能读 2 到 5。`,
        short: (p) => `文件不完整：读到第 ${p.byte} 字节就没有了。可能没有写完，或者没有拷完。`,
        damaged: (p) => `文件坏了：第 ${p.byte} 字节处的操作码和前面的内容对不上。`,
        again: (p) => `第 ${p.byte} 字节处再次引用了一条已经数过的记录。PyTorch 写的快照不会这样。`,
        shape: (p) => `这是一个 pickle，但不是快照：${p.path || "最外层"}不是预期的内容。`,
        unreadable: (p) => `浏览器读不了这个文件：${p.path}`,
      },
    },
    en: {
      files: ["Snapshot file", "Later snapshot (optional, to compare)"],
      drop: "You can also drop one or two files here. Your browser reads them. Nothing is sent anywhere.",
      nothing: "Choose a file to start.",
      reading: (name, part, size) => `Reading ${name}: ${part} of ${size}`,
      stop: "Stop",
      stopped: (name) => `Stopped reading ${name}.`,
      done: (names) => `Read: ${names.join(", ")}.`,
      by: "Group by",
      bys: ["line outside of PyTorch", "innermost call", "every call of the stack"],
      device: "Device",
      all: "all",
      gpu: (n) => `GPU ${n}`,
      file: "file",
      none: "(no stack was recorded)",
      more: (shown, of) => `${shown} of ${of} rows are listed.`,
      growth: "What grew from the first file to the second, by place",
      same: "Every place takes as much memory in both files.",
      devices: "Each GPU",
      places: "Where the memory was allocated",
      timeline: "Memory over the history",
      actions: "Actions of the history",
      categories: "Allocations of the history by category",
      metadata: "Allocations of the history by user_metadata",
      failures: "Requests that failed",
      segments: "Largest segments",
      blocks: "Largest blocks",
      head: {
        file: "File", device: "Device", segments: "Segments", blocks: "Blocks", reserved: "Reserved", allocated: "Allocated", waiting: "Waiting to be freed",
        free: "Free", rounding: "Lost to rounding", largestFree: "Largest free block", place: "Place", share: "Of allocated", largest: "Largest block",
        allocations: "Allocations in the history", given: "Allocated in the history", before: "First file", after: "Second file", grown: "Growth", more: "Blocks more",
        action: "Action", times: "Times", bytes: "Total", address: "Address", size: "Size", pool: "Pool", stream: "Stream", requested: "Requested",
        state: "State", event: "Event", left: "Left in the driver", label: "Name",
      },
      pools: { small: "small", large: "large" },
      story: (one) => `The history of ${one.gpu} has ${one.events} events${one.seconds ? ` in ${one.seconds}` : ""}. Allocated memory went from ${one.start} to ${one.end}, and it was highest after event ${one.peakAt}, with ${one.peak}.`,
      seconds: (n) => `${n} s`,
      lines: { allocated: "solid: allocated", reserved: "dashed: reserved" },
      partial: "We can't draw a line: the recording left out free_requested.",
      wrong: {
        opcode: (p) => `We didn't read this file: at byte ${p.byte} is the opcode ${p.name}, ${CODE.includes(p.name) ? "with which a pickle can run code" : "which none of a snapshot's types needs"}. No snapshot has it. Nothing in the file was executed.`,
        code: (n) => `0x${n.toString(16)} (unknown)`,
        zip: () => "This is a zip file, as torch.save writes it, not a snapshot by _dump_snapshot.",
        other: () => "This isn't a snapshot: the file doesn't begin like a pickle of protocol 2 to 5.",
        protocol: (p) => `This pickle has protocol ${p.protocol}; we can read only 2 to 5.`,
        short: (p) => `The file is incomplete: it ends at byte ${p.byte}. Perhaps it was not written or copied to its end.`,
        damaged: (p) => `The file is damaged: the opcode at byte ${p.byte} doesn't fit what comes before it.`,
        again: (p) => `At byte ${p.byte}, the file refers again to a record that has been counted. A snapshot by PyTorch never does.`,
        shape: (p) => `This is a pickle but not a snapshot: ${p.path || "its outermost object"} isn't what it should be.`,
        unreadable: (p) => `The browser can't read this file: ${p.path}`,
      },
    },
  };

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  function drawn(tag, attributes, ...children) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function sized(bytes) {
    const size = Math.abs(bytes);
    const unit = ["B", "KiB", "MiB", "GiB", "TiB"].findLastIndex((_, power) => power === 0 || size >= 1024 ** power);
    const text = (size / 1024 ** unit).toFixed(2).replace(/\.?0+$/, "");
    return `${bytes < 0 ? "−" : ""}${text} ${["B", "KiB", "MiB", "GiB", "TiB"][unit]}`;
  }

  const bytes = (value, sign = "") => element("data", { value }, sign + sized(value));
  const grown = (value) => bytes(value, value > 0 ? "+" : "");
  const code = (text) => element("code", {}, text);

  /** A table with a caption; the first cell of a row names it. */
  function table(caption, names, rows, words, note = "") {
    const head = element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, words.head[name])));
    const body = rows.map((cells) =>
      element("tr", {}, ...cells.map((cell, index) => element(index ? "td" : "th", index ? {} : { scope: "row" }, cell ?? ""))));
    const made = element("table", { class: "snapshot__table" }, element("caption", {}, caption),
      element("thead", {}, head), element("tbody", {}, ...body));
    const region = element("div", { class: "snapshot__wide", tabindex: 0, role: "region", "aria-label": caption }, made);
    return note ? [region, element("p", { class: "snapshot__note" }, note)] : [region];
  }

  function build(box) {
    const words = WORDS[document.documentElement.lang.startsWith("zh") ? "zh" : "en"];
    const files = [null, null];
    let worker = null;
    let reading = []; // slots, the one that is read first
    let shown = null;

    const place = (label) => (label ? code(label) : words.none);
    const note = ({ rows, of }) => (rows.length < of ? words.more(rows.length, of) : "");

    function options() {
      return { by: by.value, device: device.value === "" ? null : Number(device.value) };
    }

    const inputs = words.files.map((name, slot) =>
      element("input", { type: "file", "aria-label": name, onchange: ({ target }) => target.files[0] && choose(slot, target.files[0]) }));
    const by = element("select", { onchange: () => ask(true) });
    BY.forEach((value, index) => by.append(element("option", { value }, words.bys[index])));
    const device = element("select", { onchange: () => ask(true) }, element("option", { value: "" }, words.all));
    const deviceLabel = element("label", { hidden: "" }, words.device, device);
    const bar = element("progress", { max: 1, value: 0, "aria-label": words.files[0] });
    const percent = element("span", {});
    const stop = element("button", { type: "button", onclick: () => cancel() }, words.stop);
    const busy = element("div", { class: "snapshot__busy", hidden: "" }, percent, bar, stop);
    const status = element("p", { class: "snapshot__status", role: "status" }, words.nothing);
    const choice = element("div", { class: "snapshot__choice", hidden: "" }, element("label", {}, words.by, by), deviceLabel);
    const results = element("div", { class: "snapshot__results" });

    function start() {
      const source = `(${globalThis.snapshotEngine})(self)`;
      const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      worker = new Worker(address);
      URL.revokeObjectURL(address);
      worker.onmessage = ({ data }) => heard(data);
    }

    function choose(slot, file) {
      if (!worker) start();
      files[slot] = file;
      reading = [...reading.filter((one) => one !== slot), slot];
      status.textContent = "";
      progress(0, file.size);
      worker.postMessage({ slot, file, options: options() });
    }

    /** The worker cannot hear while it reads, so it is ended, and another one reads the other file. */
    function cancel() {
      const [slot] = reading;
      worker.terminate();
      worker = null;
      reading = [];
      const stopped = files[slot].name;
      forget(slot);
      busy.hidden = true;
      status.textContent = words.stopped(stopped);
      if (files.every((file) => !file)) show({ shown: [null, null], growth: null, options: options() });
      files.forEach((file, other) => file && choose(other, file));
    }

    function forget(slot) {
      files[slot] = null;
      inputs[slot].value = "";
    }

    function progress(at, of) {
      const file = files[reading[0]];
      busy.hidden = !file;
      if (!file) return;
      bar.value = of ? at / of : 0;
      percent.textContent = words.reading(file.name, `${Math.floor(of ? (100 * at) / of : 0)} %`, sized(file.size));
      bar.setAttribute("aria-label", file.name);
    }

    function heard(data) {
      if ("at" in data) return progress(data.at, data.of);
      if (data.problem) {
        const { problem, slot } = data;
        if (problem.kind === "opcode" && !problem.name) problem.name = words.wrong.code(problem.code);
        status.textContent = `${files[slot]?.name ?? ""}: ${words.wrong[problem.kind](problem)}`;
        status.classList.add("snapshot__status--wrong");
        forget(slot);
        reading = reading.filter((one) => one !== slot);
        progress(0, 0);
        return undefined;
      }
      if (reading.length) {
        const finished = reading.shift();
        if (data.shown[finished]) {
          status.textContent = words.done(files.filter(Boolean).map(({ name }) => name));
          status.classList.remove("snapshot__status--wrong");
        }
      }
      progress(0, 0);
      show(data);
      return undefined;
    }

    function ask(changed) {
      if (changed) {
        const address = new URL(location.href);
        address.searchParams.set("by", by.value);
        if (device.value) address.searchParams.set("device", device.value);
        else address.searchParams.delete("device");
        try {
          history.replaceState(history.state, "", address);
        } catch {
          // Some browsers let no file change its address: the tables stand all the same.
        }
      }
      if (worker) worker.postMessage({ options: options() });
    }

    function drawTimeline(one, caption) {
      const seconds = one.microseconds === null ? "" : words.seconds((one.microseconds / 1e6).toFixed(2));
      const told = words.story({
        ...one, gpu: words.gpu(one.device), seconds, start: sized(one.start), end: sized(one.end), peak: sized(one.peak),
      });
      if (!one.whole) return [element("p", {}, words.partial)];
      const top = Math.max(1, ...one.bins.flat());
      const path = (line) => one.bins.map((bin, index) => {
        const [x, next] = [index, index + 1].map((at) => ((WIDE * at) / one.bins.length).toFixed(1));
        const y = (HIGH - 8 - (HIGH - 30) * Math.max(0, bin[line]) / top).toFixed(1);
        return `${index ? "L" : "M"}${x} ${y}H${next}`;
      }).join("");
      const svg = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": told },
        drawn("path", { class: "snapshot__grid", d: `M0 ${HIGH - 8}H${WIDE}M0 22H${WIDE}` }),
        drawn("path", { class: "snapshot__reserved", d: path(1) }),
        drawn("path", { class: "snapshot__allocated", d: path(0) }),
        drawn("text", { x: 2, y: 16 }, sized(top)));
      const legend = `${words.lines.allocated} · ${words.lines.reserved}`;
      return [element("figure", { class: "snapshot__timeline" }, element("figcaption", {}, caption), svg,
        element("p", { class: "snapshot__note", "aria-hidden": "true" }, legend), element("p", {}, told))];
    }

    function ofFile(view) {
      const total = view.devices.reduce((all, one) => all + one.allocated, 0);
      const many = view.numbers.length > 1;
      const gpu = (one) => words.gpu(one.device);
      const share = (value) => (total ? `${((100 * value) / total).toFixed(1)} %` : "");
      const made = table(words.places, ["place", "allocated", "share", "blocks", "largest", "allocations", "given"],
        view.places.rows.map((row) => [place(row.label), bytes(row.bytes), share(row.bytes), row.blocks, bytes(row.largest), row.allocations, bytes(row.given)]),
        words, note(view.places));
      if (view.timeline) made.push(...drawTimeline(view.timeline, words.timeline));
      for (const [key, name] of [["actions", "action"], ["categories", "label"], ["metadata", "label"]]) {
        if (!view[key].length) continue;
        made.push(...table(words[key], [name, ...(many ? ["device"] : []), "times", "bytes"],
          view[key].map((row) => [code(row.label), ...(many ? [gpu(row)] : []), row.times, bytes(row.bytes)]), words));
      }
      if (view.failures.of) {
        made.push(...table(words.failures, ["event", "device", "size", "left", "place"],
          view.failures.rows.map((row) => [row.event, gpu(row), bytes(row.size), row.free === null ? "" : bytes(row.free), place(row.place)]),
          words, note(view.failures)));
      }
      const address = (row) => code(`0x${row.address.toString(16)}`);
      made.push(...table(words.segments, ["address", "device", "size", "allocated", "largestFree", "blocks", "pool", "stream"],
        view.segments.rows.map((row) => [address(row), gpu(row), bytes(row.size), bytes(row.allocated), bytes(row.largestFree), row.blocks, words.pools[row.pool] ?? row.pool, String(row.stream)]),
        words, note(view.segments)));
      made.push(...table(words.blocks, ["address", "device", "size", "requested", "state", "place"],
        view.blocks.rows.map((row) => [address(row), gpu(row), bytes(row.size), bytes(row.requested), code(row.state), place(row.place)]),
        words, note(view.blocks)));
      return made;
    }

    function show(data) {
      shown = data;
      const there = [0, 1].filter((slot) => data.shown[slot] && files[slot]);
      choice.hidden = !there.length;
      const numbers = [...new Set(there.flatMap((slot) => data.shown[slot].numbers))].sort((a, b) => a - b);
      const wanted = device.value || asked.get("device");
      device.replaceChildren(element("option", { value: "" }, words.all),
        ...numbers.map((value) => element("option", { value }, words.gpu(value))));
      device.value = numbers.map(String).includes(wanted) ? wanted : "";
      deviceLabel.hidden = numbers.length < 2;
      if (there.length) asked.delete("device");
      if (there.length && device.value !== String(data.options.device ?? "")) return ask(false);
      const made = [];
      if (data.growth && there.length === 2) {
        const { rows } = data.growth;
        if (rows.length) {
          made.push(...table(words.growth, ["place", "before", "after", "grown", "more"],
            rows.map((row) => [place(row.label), bytes(row.before), bytes(row.after), grown(row.grown), `${row.blocks > 0 ? "+" : ""}${row.blocks}`]),
            words, note(data.growth)));
        } else {
          made.push(element("p", {}, words.same));
        }
      }
      if (there.length) {
        const rows = there.flatMap((slot) => data.shown[slot].devices.map((one) => [
          files[slot].name, words.gpu(one.device), bytes(one.reserved), bytes(one.allocated), bytes(one.waiting), bytes(one.free),
          bytes(one.largestFree), bytes(one.allocated - one.requested), one.segments, one.blocks,
        ]));
        made.push(...table(words.devices, ["file", "device", "reserved", "allocated", "waiting", "free", "largestFree", "rounding", "segments", "blocks"], rows, words));
      }
      for (const slot of there) {
        const inside = ofFile(data.shown[slot]);
        if (there.length === 1) made.push(...inside);
        else made.push(element("details", slot ? { open: "" } : {}, element("summary", {}, files[slot].name), ...inside));
      }
      results.replaceChildren(...made);
      results.dataset.shown = there.join(" ");
      return undefined;
    }

    const asked = new URLSearchParams(location.search);
    if (BY.includes(asked.get("by"))) by.value = asked.get("by");

    box.addEventListener("dragover", (event) => {
      event.preventDefault();
      box.classList.add("snapshot--over");
    });
    box.addEventListener("dragleave", () => box.classList.remove("snapshot--over"));
    box.addEventListener("drop", (event) => {
      event.preventDefault();
      box.classList.remove("snapshot--over");
      const dropped = [...event.dataTransfer.files].slice(0, 2);
      const onto = event.target.closest?.("[data-slot]")?.dataset.slot;
      if (dropped.length === 2) dropped.forEach((file, slot) => choose(slot, file));
      else if (dropped.length) choose(Number(onto ?? (files[0] && !files[1] ? 1 : 0)), dropped[0]);
    });
    const chosen = words.files.map((name, slot) =>
      element("label", { class: "snapshot__file", "data-slot": slot }, name, inputs[slot]));
    // For the tests: what the worker last sent, and the same code on this side.
    box.shown = () => shown;
    box.engine = globalThis.snapshotEngine(null);
    box.replaceChildren(
      element("div", { class: "snapshot__files" }, ...chosen), element("p", { class: "snapshot__note" }, words.drop),
      busy, status, choice, results,
    );
    box.dataset.ready = "";
  }

  document.querySelectorAll(".snapshot:not([data-ready])").forEach(build);
})();
