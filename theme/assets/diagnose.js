// The page reference/diagnose: what a pasted text says of the machine that printed it. The rules are
// data (data/diagnosis.yml), which the build writes into diagnosis-rules.js, and what they tell into
// diagnosis-texts.js; how they are applied stands here and in gpu_guide/diagnosis, and tests hold the two against each other. Nothing is sent anywhere, and what is
// shown of the text is shown as text.
"use strict";

var guideDiagnosis = (() => {
  const WIDEST = 400; // characters of a line that are read for facts
  const FULL = 0.97; // from this share of its memory on, a GPU counts as full
  const MOST = { lines: 4, others: 3, commands: 12 };
  const RAISED = /Traceback \(most|[A-Za-z](Error|Exception)\b/; // a line that tells of an error
  const ON_FIRST_LINE = new Set(["index", "name", "mode", "bus", "display", "ecc"]);

  const collapsed = (line) => line.split(BLANKS).filter((word) => word).join(" ");
  const whole = (pattern, text) => new RegExp(`^(?:${pattern.source})$`).exec(text);
  const compare = (one, other) => {
    const [a, b] = [one, other].map((version) => version.split(".").map(Number));
    for (let at = 0; at < Math.max(a.length, b.length); at++) {
      const less = (a[at] ?? -1) - (b[at] ?? -1);
      if (less) return less;
    }
    return 0;
  };
  const amount = (text) => {
    const found = /^([0-9]+(?:\.[0-9]+)?) ?(MiB|W|%)?$/.exec(text ?? "");
    return found ? Number(found[1]) : undefined;
  };

  // --- the table of nvidia-smi: gpu_guide/diagnosis/smi.py -------------------------------------------

  const named = (names, values) =>
    Object.fromEntries(names.map((name, at) => [name, values[at]]).filter(([, value]) => value));

  function readTable(lines) {
    const table = { head: {}, line: -1, gpus: [], instances: [], processes: [], no_processes: false, no_instances: false };
    let part = "";
    for (const [number, line] of lines.entries()) {
      const version = /NVIDIA-SMI ([^ |]+)/.exec(line);
      const driver = /(?:Driver|KMD) Version ?: ?([^ |]+)/.exec(line);
      if (version && driver) {
        if (part) break;
        part = "gpus";
        table.line = number;
        const cuda = /CUDA(?: UMD)? Version ?: ?([^ |]+)/.exec(line);
        table.head = named(["smi", "driver", "cuda"], [version[1], driver[1], cuda?.[1]]);
        continue;
      }
      if (!part) continue;
      const low = line.toLowerCase();
      if (low.includes("mig devices:")) part = "instances";
      else if (low.includes("processes:")) part = "processes";
      else if (low.includes("no running processes found")) table.no_processes = true;
      else if (low.includes("no mig devices found")) table.no_instances = true;
      const cells = line.split("|").map((cell) => cell.replace(/^ +| +$/g, ""));
      if (cells.length < 3) continue;
      cells.shift();
      if (part === "gpus") gpuLine(table, cells, number);
      else if (part === "instances") instanceLine(table, cells, number);
      else processLine(table, cells[0], number);
    }
    return part ? table : undefined;
  }

  function gpuLine(table, cells, number) {
    if (cells.length < 3) return;
    const first = whole(/([0-9]+) ([^ ].*?)(?: (On|Off|N\/A|WDDM|TCC|MCDM|ERR!))?/, cells[0]);
    const bus = whole(/([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])(?: ([^ ]+))?/, cells[1]);
    if (first && bus) {
      const gpu = { index: first[1], name: first[2], line: number };
      table.gpus.push({ ...gpu, ...named(["mode", "bus", "display", "ecc"], [first[3], bus[1], bus[2], cells[2]]) });
      return;
    }
    const gpu = table.gpus.at(-1);
    if (!gpu) return;
    const second = whole(/([^ ]+) ([^ ]+) ([^ ]+) ([^ ].*?) ?\/ ?([^ ].*)/, cells[0]);
    const memory = whole(/([^ ]+) ?\/ ?([^ ]+)/, cells[1]);
    if (second && memory && gpu.line2 === undefined) {
      Object.assign(gpu, named(["fan", "temp", "perf", "power", "cap"], second.slice(1)));
      Object.assign(gpu, { used: memory[1], total: memory[2], line2: number });
      const util = whole(/([^ ]+) ([^ ].*)/, cells[2]);
      if (util) Object.assign(gpu, { util: util[1], compute: util[2] });
    } else if (gpu.line2 !== undefined && !cells[0] && !cells[1] && cells[2] && gpu.mig === undefined) {
      Object.assign(gpu, { mig: cells[2], line3: number });
    }
  }

  function instanceLine(table, cells, number) {
    const found = whole(/([0-9]+) ([0-9]+) ([0-9]+) ([0-9]+)/, cells[0]);
    const memory = whole(/([^ ]+) ?\/ ?([^ ]+)/, cells[1] ?? "");
    if (!found || !memory) return;
    const one = named(["gpu", "gi", "ci", "device"], found.slice(1));
    table.instances.push({ ...one, used: memory[1], total: memory[2], line: number });
  }

  function processLine(table, cell, number) {
    const pattern =
      /([0-9]+) (?:(N\/A|[0-9]+) (N\/A|[0-9]+) )?([0-9]+) (C\+G|M\+C|C|G) ([^ ].*?)(?: ([0-9]+ ?MiB|N\/A))?/;
    const found = whole(pattern, cell);
    if (!found) return;
    const names = ["gpu", "gi", "ci", "pid", "type", "name", "memory"];
    table.processes.push({ ...named(names, found.slice(1)), line: number });
  }

  // --- facts: gpu_guide/diagnosis/facts.py --------------------------------------------------------------

  /** The lines of a text, and the facts in it: by name, values with their lines. */
  function read(given, known) {
    const text = bounded(given).replace(/[\u{10000}-\u{10ffff}]/gu, "\ufffd");
    const raw = text.replace(TERMINAL, "").split(/\r\n|\n|\r/);
    const reading = { lines: raw.map(collapsed), cut: given.length > LONGEST, facts: new Map(), next: [] };
    reading.add = (name, value, line) => {
      if (!reading.facts.has(name)) reading.facts.set(name, []);
      reading.facts.get(name).push([value, line]);
    };
    reading.all = (name) => reading.facts.get(name) ?? [];
    reading.first = (...names) => names.map((name) => reading.all(name)[0]).find((one) => one);
    const short = reading.lines.map((line) => line.slice(0, WIDEST));
    const mentions = known.mentions.map(([fact, pattern]) => [fact, new RegExp(pattern)]);
    short.forEach((line, number) => readLine(reading, line, number, mentions, known));
    readSession(reading, short);
    readMemory(reading);
    readReport(reading, text);
    readQuery(reading, raw);
    reading.table = readTable(short);
    if (reading.table) readGpus(reading, reading.table);
    else readHead(reading, short, new RegExp(known.head));
    conclude(reading, known);
    return reading;
  }

  function readLine(reading, line, number, mentions, { keys, names }) {
    let at = whole(/[>#|* -]*([A-Za-z][A-Za-z ]{1,40}?)(?: \(GPU\?\))? ?: ?(.*)/, line);
    const key = at?.[1].toLowerCase();
    const other = at && names[key];
    if (at && keys.includes(key)) readKey(reading, key, at[2], number);
    else if (other && /^(?:[0-9]+[.][0-9]|(?:Linux|Windows|macOS)-|(?:True|False)$)/.test(at[2])) readKey(reading, other, at[2], number);
    else if (["gpu type", "accelerator"].includes(key)) {
      const card = whole(/((?:NVIDIA|Tesla|Quadro|GeForce) [^,]{2,60})(?:,.*)?/, at[2]);
      if (card) reading.add("gpu.name", card[1], number);
    }
    at = whole(/GPU ([0-9]+): (.+?)(?: \(UUID.*)?/, line);
    if (at) reading.add("gpu.name", at[2], number);
    at = whole(/[^A-Za-z0-9]{0,6}GPUs?[^A-Za-z0-9]{1,6}((?:NVIDIA|GeForce|RTX|GTX|[AHLVTP][0-9]).{1,60})/, line);
    if (at) reading.add("gpu.name", at[1], number);
    for (const [pattern, kind] of [
      [/\[pip3?\] ([A-Za-z0-9_.-]+)==([^ ]+)/, "pip"],
      [/\[conda\] ([A-Za-z0-9_.-]+) ([0-9][^ ]*.*)/, "conda"],
      [/(torch|torchvision|torchaudio)(?: ?== ?| )([0-9][^ ]*)/, "pip"],
    ]) {
      at = whole(pattern, line);
      const name = at && `${kind}.${at[1].toLowerCase()}`;
      if (at && !reading.facts.has(name)) reading.add(name, at[2], number);
    }
    at = /(?:^|[^A-Za-z0-9_.-])([12]\.[0-9]+\.[0-9]+\+(?:cu[0-9]{2,3}|cpu|xpu))/.exec(line);
    if (at && !reading.facts.has("torch.build")) reading.add("torch.build", at[1], number);
    at = whole(/(?:export |set |\$env:)?([A-Z]+_VISIBLE_DEVICES) ?= ?(.*)/, line);
    if (at) reading.add(`var.${at[1].toLowerCase()}`, at[2], number);
    const xids = line.matchAll(/(?:NVRM: Xid \([^)]{1,40}\):|caused by previous Xid) ([0-9]{1,3})/g);
    for (const [, xid] of xids) reading.add("xid", xid, number);
    for (const [name, pattern] of mentions) {
      at = pattern.exec(line);
      if (at) reading.add(name, at[0], number);
    }
    at = whole(/(?:Diagnosis: |诊断：)([a-z0-9-]+)/, line);
    if (at) reading.add("doctor", at[1], number);
  }

  /** A line of collect_env, or of another tool's list, which may say more behind the version. */
  function readKey(reading, key, value, number) {
    if (reading.facts.has(`env.${key}`)) return;
    const told = key === "pytorch version" && whole(/([^ ]+) \((True|False|GPU)\)/, value);
    reading.add(`env.${key}`, told ? told[1] : value, number);
    if (told && !reading.facts.has("env.is cuda available")) {
      reading.add("env.is cuda available", told[2] === "False" ? "False" : "True", number);
    }
    if (key === "gpu models and configuration" && !/^(?:$|No |Could|N\/A)/.test(value)) {
      reading.add("gpu.name", value.replace(/^GPU [0-9]+: /, ""), number);
    }
  }

  /** The first line of the table of nvidia-smi where it stands in a sentence. */
  function readHead(reading, lines, head) {
    const number = lines.findIndex((line) => head.test(line));
    if (number < 0) return;
    const at = head.exec(lines[number]);
    reading.add("smi.driver", at[1], number);
    reading.add("smi.cuda", at[2], number);
  }

  function readSession(reading, lines) {
    let asked = -Infinity;
    for (const [number, line] of lines.entries()) {
      const at = number - asked <= 6 && whole(/(?:.{0,80}[ ,:])?(True|False)\)?/, line);
      const said = /cuda\.is_available\(\)[^A-Za-z=]{0,9}(?:always |returns? |is |返回)*[^A-Za-z]{0,3}(?:False|false)(?!:)/.test(line);
      if (!said && line.includes("cuda.is_available()")) asked = number;
      else if (said || at) {
        reading.add("torch.available", said ? "False" : at[1], number);
        asked = -Infinity;
      }
      if (whole(/[A-Za-z_.]{0,80}(?:Error|Exception)(?::.*)?/, line)) reading.add("raised", line, number);
    }
  }

  const UNITS = { bytes: 1 / 1048576, KiB: 1 / 1024, MiB: 1, GiB: 1024 };

  function sizes(wording, text) {
    const size = "([0-9]{1,12}(?:\\.[0-9]{1,3})?) (bytes|KiB|MiB|GiB)";
    const [, ...parts] = new RegExp(wording.replaceAll("@", size)).exec(text) ?? [];
    return parts.flatMap((part, at) => (at % 2 ? [] : Number(part) * UNITS[parts[at + 1]]));
  }

  function readMemory(reading) {
    const at = reading.lines.findIndex((line) => line.includes("total capac"));
    if (at < 0) return;
    const first = Math.max(0, at - 2);
    const around = reading.lines.slice(first, at + 6);
    const text = around.join(" ");
    const [tried] = sizes("Tried to allocate @", text);
    const [own] = sizes("this process has @ memory in use", text);
    let [total, free] = sizes("total capaci?ty of @ of which @ is free", text);
    let [used] = sizes("allocated memory @ is allocated by PyTorch", text);
    let reserved = used + sizes("and @ is reserved by PyTorch but", text)[0];
    const old = sizes("@ total capacity; @ already allocated; @ free; @ reserved in total by PyTorch", text);
    if (old.length) [total, used, free, reserved] = old;
    else if (!(total >= 0 && reserved >= 0) || text.includes("iB allowed")) return;
    const mine = own <= total ? own : reserved + 1024; // under WSL2, this process seems to have more than the GPU
    const [others, cache] = [total - free - mine - 512, reserved - used];
    const short = tried === undefined ? 1 : tried - free;
    if (short <= 0 && free * 100 >= total) return; // the driver may not give away the rest of a full GPU
    const held = others * 10 >= total && short <= others;
    const pieces = tried >= 0 && cache * 20 >= reserved && short <= cache;
    const found = [["others", held && !(pieces && cache > others), others], ["pieces", pieces, cache], ["cached", tried <= cache, cache]];
    const told = found.find(([, holds]) => holds);
    around.forEach((line, number) => {
      if (told && /Tried to allocate|total capac|memory in use|by PyTorch/.test(line)) {
        reading.add(`memory.${told[0]}`, `${Math.trunc(told[2])} MiB`, first + number);
      }
    });
  }

  function readReport(reading, text) {
    if (!text.includes("{") || !text.includes('"diagnosis"')) return;
    let found;
    try {
      found = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)).diagnosis;
    } catch {
      return;
    }
    const code = found?.code;
    if (typeof code !== "string" || !Array.isArray(found.next)) return;
    reading.add("doctor", code, Math.max(0, reading.lines.findIndex((line) => line.includes(`"${code}"`))));
    reading.next = found.next.filter((command) => typeof command === "string").slice(0, MOST.commands);
  }

  function readQuery(reading, raw) {
    let inside = false;
    const above = [];
    for (const [number, full] of raw.entries()) {
      inside ||= full.includes("NVSMI LOG") || /^[` ]*(?:Timestamp|Driver Version|Attached GPUs) {2,}: /.test(full);
      if (!inside || !collapsed(full)) continue;
      const line = full.slice(0, WIDEST).replaceAll("\t", "    ").replace(/ +$/, "");
      const section = whole(/( *)(GPU [0-9A-Fa-f]{4,8}:.*|[^:]+)/, line);
      const leaf = section ? null : whole(/( *)([^:]{1,60}?) *: ?(.*)/, line);
      const found = section ?? leaf;
      if (!found) continue;
      while (above.length && above.at(-1)[0] >= found[1].length) above.pop();
      if (section) above.push([section[1].length, section[2].toLowerCase()]);
      else {
        const parent = above.at(-1)?.[1] ?? "";
        const prefix = !parent || parent.startsWith("gpu 0") ? "" : `${parent}/`;
        reading.add(`q.${prefix}${leaf[2].toLowerCase()}`, leaf[3], number);
      }
    }
  }

  function readGpus(reading, table) {
    for (const [key, text] of Object.entries(table.head)) reading.add(`smi.${key}`, text, table.line);
    for (const gpu of table.gpus) {
      const second = gpu.line2 ?? gpu.line;
      for (const [key, text] of Object.entries(gpu)) {
        if (key.startsWith("line")) continue;
        const line = ON_FIRST_LINE.has(key) ? gpu.line : second;
        reading.add(`gpu.${key}`, text, key === "mig" ? gpu.line3 : line);
        if (text.includes("ERR!") || text.includes("Unknown Error")) reading.add("gpu.broken", `${key}: ${text}`, line);
      }
      if (/^[0-9]+$/.test(gpu.ecc ?? "") && Number(gpu.ecc)) reading.add("gpu.uncorrected", gpu.ecc, gpu.line);
      const [used, total, power, cap] = [gpu.used, gpu.total, gpu.power, gpu.cap].map(amount);
      const busy = (amount(gpu.util) ?? 0) >= 50;
      if (used !== undefined && total) {
        if (used >= FULL * total) reading.add("gpu.full", `${gpu.used} / ${gpu.total}`, second);
        const mine = table.processes.some((one) => one.gpu === gpu.index);
        const windows = ["WDDM", "MCDM"].includes(gpu.mode);
        if (used >= total / 10 && table.no_processes && !mine && !windows) {
          reading.add("gpu.held", `${gpu.used} / ${gpu.total}`, second);
        }
      }
      if (busy && /^P([5-9]|1[0-5])$/.test(gpu.perf)) reading.add("gpu.slow", gpu.perf, second);
      if (busy && power !== undefined && cap && power >= FULL * cap) {
        reading.add("gpu.capped", `${gpu.power} / ${gpu.cap}`, second);
      }
      const split = table.instances.some((one) => one.gpu === gpu.index);
      if (gpu.mig === "Enabled" && table.no_instances && !split) reading.add("gpu.unsplit", gpu.index, gpu.line3);
    }
  }

  function conclude(reading, known) {
    const system = reading.first("env.os");
    const under = reading.first("env.python platform") ?? ["", 0];
    if (system && /^mac ?os/i.test(system[0])) reading.add("where", "mac", system[1]);
    else if (system && /windows/i.test(system[0])) reading.add("where", "windows", system[1]);
    else if (/microsoft/i.test(under[0])) reading.add("where", "wsl", under[1]);
    else if (/^(macOS|Windows)/.test(under[0])) reading.add("where", under[0].startsWith("m") ? "mac" : "windows", under[1]);
    for (const [mode, line] of reading.all("gpu.mode")) {
      if (["WDDM", "MCDM", "TCC"].includes(mode)) reading.add("where", "windows", line);
    }
    const places = reading.all("where").map(([where]) => where);

    const build = reading.first("torch.build");
    const torch = reading.first("env.pytorch version") ?? build;
    const official = /^([12]\.[0-9]+)\.[0-9]+(\+cu[0-9]+)?$/.exec(torch?.[0] ?? "");
    let cuda = reading.first("env.cuda used to build pytorch");
    if (!cuda || !/^1[0-9]\.[0-9]/.test(cuda[0])) {
      const tag = /\+cu([0-9]{2})([0-9])$/.exec(build?.[0] ?? "");
      cuda = tag ? [`${tag[1]}.${tag[2]}`, build[1]] : undefined;
    }
    const driver = reading.first("smi.driver", "env.nvidia driver version", "q.driver version");
    if (driver && /^[0-9]{3}\.[0-9]/.test(driver[0])) {
      const number = /^[0-9]+(?:\.[0-9]+)*/.exec(driver[0])[0];
      reading.add("driver", number, driver[1]);
      const wanted = cuda && (known.drivers[cuda[0]] ? cuda[0] : cuda[0].split(".")[0]);
      const least = known.drivers[wanted];
      if (least) {
        const windows = places.includes("windows") || places.includes("wsl");
        let short = compare(number, least[windows ? 1 : 0]) < 0;
        const runs = reading.first("smi.cuda", "q.cuda version");
        if (wanted !== cuda[0] && runs && /^1[0-9]\./.test(runs[0])) short = parseInt(runs[0], 10) < Number(wanted);
        const name = short ? "driver.short" : "driver.enough";
        reading.add(name, number, driver[1]);
        reading.add(name, `CUDA ${cuda[0]}`, cuda[1]);
      }
    }
    if (cuda) {
      reading.add("torch.cuda", cuda[0], cuda[1]);
      const gpus = official ? reading.all("gpu.name") : []; // what others compile has code for GPUs of their choice
      for (const [name, line] of gpus) cover(reading, known, name, line, official[1], cuda, places);
    }
    pairs(reading);
  }

  const wordsOf = (name) => ` ${(name.toLowerCase().match(/[a-z0-9]+/g) ?? []).join(" ")} `;

  function cardOf(known, name) {
    const words = wordsOf(name);
    let best;
    for (const card of known.cards) {
      for (const one of card.names) {
        if (words.includes(wordsOf(one)) && one.length > (best?.length ?? 0)) best = { card, length: one.length };
      }
    }
    return best?.card;
  }

  /** Whether code for these architectures runs on a GPU of this compute capability. */
  function runs(archs, capability, ptx) {
    const [major] = capability.split(".");
    return archs.some((arch) => {
      const code = arch.replace("+PTX", "");
      return compare(code, capability) <= 0 && (code.split(".")[0] === major || (ptx && arch !== code));
    });
  }

  function cover(reading, known, name, line, release, cuda, places) {
    const card = cardOf(known, name);
    const number = /^[0-9]+(?:\.[0-9]+)*/.exec(cuda[0])?.[0];
    if (!card || !number) return;
    const archs = known.builds[`${release} ${number}`];
    const covered = archs
      ? runs(archs, card.capability, !places.includes("windows"))
      : !card.cuda || compare(card.cuda, number) <= 0;
    const fact = covered ? "gpu.covered" : "gpu.uncovered";
    reading.add(fact, `${name}: ${card.capability}`, line);
    reading.add(fact, `CUDA ${cuda[0]}`, cuda[1]);
  }

  function pairs(reading) {
    const plain = /([0-9])\.([0-9]+)\.[0-9]+(\+[a-z]+)?[0-9]*/;
    const [torch, vision] = [reading.first("pip.torch"), reading.first("pip.torchvision")];
    const [one, other] = [torch, vision].map((found) => found && whole(plain, found[0]));
    if (one && other && one[1] === "2" && other[1] === "0") {
      const tags = [one[3], other[3]].sort().join(" ");
      if (Number(other[2]) !== Number(one[2]) + 15 || tags === "+cpu +cu") {
        reading.add("torch.unpaired", `torch ${torch[0]}`, torch[1]);
        reading.add("torch.unpaired", `torchvision ${vision[0]}`, vision[1]);
      }
    }
    const version = (found) => /^[0-9]+(?:\.[0-9]+)*/.exec(found?.[0] ?? "")?.[0];
    const have = reading.first("env.pytorch version", "pip.torch");
    for (const name of ["conda.pytorch", "conda.torch"]) {
      const beside = reading.first(name);
      if (version(have) && version(beside) && version(have) !== version(beside)) {
        reading.add("conda.other", beside[0], beside[1]);
        reading.add("conda.other", have[0], have[1]);
      }
    }
  }

  // --- the verdict: gpu_guide/diagnosis/engine.py ---------------------------------------------------------

  function holds(conditions, reading) {
    const lines = [];
    for (const [fact, pattern, absent] of conditions) {
      const met = reading.all(fact).filter(([value]) => new RegExp(pattern, "i").test(value));
      if (absent ? met.length : !met.length) return [];
      // What follows from several lines is named by all of them.
      if (!absent) lines.push(...(pattern ? met.slice(0, 1) : met).map(([, line]) => line));
    }
    return [...new Set(lines)].sort((one, other) => one - other);
  }

  /** What the text says: {kind, main, others, notes, reading}, findings as {id, lines}. */
  function diagnose(text, known) {
    const reading = read(text, known);
    const [parts, numbers, starts] = [[], [], []];
    let length = 0;
    reading.lines.forEach((line, number) => {
      const low = plain(line);
      if (!low) return;
      parts.push(low);
      numbers.push(number);
      starts.push(length);
      length += low.length + 1;
    });
    const joined = parts.join(" ");
    const lineAt = (offset) => {
      let [low, high] = [0, starts.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (starts[middle] <= offset) low = middle + 1;
        else high = middle;
      }
      return low - 1;
    };
    const linesOf = (wording) => {
      const found = place(joined, pieces(wording));
      return found ? numbers.slice(lineAt(found[0]), lineAt(found[1] - 1) + 1) : [];
    };
    const counts = (words) => !words || words.some((word) => joined.includes(word));
    const codes = reading.all("doctor");
    const ranked = [];
    const covered = new Set();
    known.causes.forEach((cause, order) => {
      const said = cause.says.filter(([, vague]) => counts(vague)).flatMap(([wording]) => linesOf(wording));
      const met = cause.when.flatMap((one) => holds(one, reading));
      if (met.length) cause.over?.forEach((id) => covered.add(id));
      const lines = [...said, ...met].sort((a, b) => a - b);
      const told = codes.filter(([code]) => cause.doctor.includes(code)).map(([, line]) => line);
      if (!lines.length && !told.length) return;
      const all = [...new Set([...told, ...lines])];
      ranked.push([told.length ? -1 : cause.level, Math.min(...all), order, { id: cause.id, lines: all.slice(0, MOST.lines) }]);
    });
    for (const [code, line] of codes) {
      if (!known.causes.some((cause) => cause.doctor.includes(code))) {
        ranked.push([-1, line, -1, { id: `doctor-${code}`, lines: [line] }]);
      }
    }
    ranked.sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
    const kept = ranked.filter(([level, , , { id }]) => level < 0 || !covered.has(id));
    const findings = kept.map((one) => one[3]);
    const healthy = (id) => known.healthy.includes(id);
    let [main, ...others] = findings;
    let kind = !main ? "unknown" : healthy(main.id) ? "healthy" : "fault";
    if (kind === "healthy") {
      others = [];
    } else if (kept[0]?.[0] === known.remark) {
      kind = "remark";
      if (reading.lines.some((line, at) => RAISED.test(line) && !main.lines.includes(at))) [kind, main, others] = ["unknown", undefined, findings];
    }
    others = others.filter(({ id }) => !healthy(id)).slice(0, MOST.others);
    const notes = known.notes
      .map((note) => ({ id: note.id, lines: [...new Set(note.when.flatMap((one) => holds(one, reading)))].slice(0, MOST.lines) }))
      .filter(({ lines }) => lines.length);
    return { kind, main, others, notes, reading };
  }

  // --- what was understood: gpu_guide/diagnosis/understood.py -------------------------------------------

  /** What was read of a text in which nothing decides the cause, and what to paste next. */
  function understood(reading, { sources, said, frame, others, pastes }) {
    const matches = (pattern) => reading.lines.map((line) => line.slice(0, WIDEST).match(new RegExp(pattern, "i"))).filter((at) => at);
    const found = sources.flatMap(([name, facts]) => {
      const value = reading.first(...facts) ?? (said[name] && matches(said[name])[0]?.slice(1));
      return value ? [[name, value[0].slice(0, 80)]] : [];
    });
    const own = matches(frame).filter(([, path]) => !path.match(others)).at(-1);
    if (own) found.push(["frame", `${own[1]}:${own[2]} ${own[3]}`]);
    const raised = reading.all("raised").at(-1);
    if (raised) found.push(["raised", raised[0].slice(0, 200)]);
    return { found, paste: pastes.filter(([, names]) => !names.every((n) => found.some(([one]) => one === n))).map(([command]) => command) };
  }

  return { diagnose, readTable, collapsed, understood };
})();

(() => {
  const LONGEST_LINK = 1500; // characters of a text that is put into an address
  const WIDEST_SHOWN = 300;
  const LABELS = {
    smi: "NVIDIA-SMI", driver: "Driver Version", cuda: "CUDA Version",
    index: "GPU", name: "Name", mode: "Persistence-M", bus: "Bus-Id", display: "Disp.A", ecc: "Volatile Uncorr. ECC",
    fan: "Fan", temp: "Temp", perf: "Perf", power: "Pwr:Usage", cap: "Pwr:Cap", used: "Memory-Usage", total: "Memory-Usage: /",
    util: "GPU-Util", compute: "Compute M.", mig: "MIG M.",
  };
  const make = (tag, attributes, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };
  const part = (name, tag, ...children) => make(tag, { className: `diagnose__${name}` }, ...children);
  const encode = (text) =>
    btoa(String.fromCharCode(...new TextEncoder().encode(text))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const decode = (code) => {
    try {
      const bytes = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
      return new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
    } catch {
      return "";
    }
  };

  function build(box) {
    const words = {}; // they come with the texts
    let known, texts, asked;
    const [text, clear, link, said, result] = [
      "textarea", "[data-does=clear]", "[data-does=link]", ".diagnose__said", ".diagnose__result",
    ].map((name) => box.querySelector(name));

    const linkTo = (place) => make("a", { href: box.dataset.root + texts.places[place][1] }, texts.places[place][0]);
    const more = (place) => make("p", {}, words.more, linkTo(place));
    const shownLines = (reading, lines) =>
      make("pre", { dir: "ltr", tabIndex: 0 }, make("code", {}, lines.map((line) => reading.lines[line].slice(0, WIDEST_SHOWN)).join("\n")));
    const about = (id) => {
      if (texts.causes[id]) return texts.causes[id];
      // As HTML, like the other texts. What was pasted is in the lines below it.
      const means = texts.doctor[id.replace("doctor-", "")] ?? words.doctor;
      return { means, fix: "", run: [], page: "check/doctor#diagnoses" };
    };
    const commands = (list) => {
      const copy = make("button", { type: "button", className: "diagnose__copy", textContent: words.copy });
      copy.addEventListener("click", async () => {
        await navigator.clipboard.writeText(list.join("\n"));
        copy.textContent = words.copied;
      });
      const parts = [make("pre", { dir: "ltr", tabIndex: 0 }, make("code", {}, list.join("\n"))), copy];
      if (list.some((command) => command.includes("doctor.py"))) parts.push(make("p", {}, words.get, linkTo("check/doctor")));
      return part("commands", "div", ...parts);
    };
    const title = (name) => part("title", "p", name);

    function meaning(field, value) {
      const found = texts.fields.find(([id, pattern]) => id === field && new RegExp(pattern, "i").test(value));
      return found?.[2] ?? "";
    }

    function grid(caption, rows) {
      const cell = (tag, scope, content) => make(tag, scope ? { scope } : {}, content);
      const head = [words.field, words.value, words.means].map((name) => cell("th", "col", name));
      const body = rows.map(([label, value, means]) =>
        make("tr", {}, cell("th", "row", label), cell("td", "", value), cell("td", "", means)),
      );
      return make(
        "div",
        { className: "diagnose__scroll", tabIndex: 0 },
        part("table", "table", make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)),
      );
    }

    function explained(table) {
      const rows = (one) =>
        Object.keys(LABELS).filter((key) => one[key] !== undefined).map((key) => [
          key === "mode" && /WDDM|TCC|MCDM/.test(one.mode) ? "Driver-Model" : LABELS[key],
          one[key],
          meaning(key, one[key]),
        ]);
      const parts = [grid(words.head, rows(table.head)), ...table.gpus.map((gpu) => grid(`GPU ${gpu.index}`, rows(gpu)))];
      for (const one of table.instances) {
        parts.push(
          grid(`${words.instance}: GPU ${one.gpu}`, [
            ["GI / CI", `${one.gi} / ${one.ci}`, meaning("gi", "")],
            ["Memory-Usage", `${one.used} / ${one.total}`, meaning("used", one.used)],
          ]),
        );
      }
      if (table.processes.length) {
        const lines = table.processes.flatMap((one) => [
          [`PID ${one.pid} (GPU ${one.gpu})`, one.name, meaning("type", one.type)],
          ...(one.memory ? [["GPU Memory", one.memory, meaning("memory", one.memory)]] : []),
        ]);
        parts.push(grid(words.processes, lines));
      } else if (table.no_processes) parts.push(title(words.processes), make("p", {}, words.none));
      return make("details", { open: true, className: "diagnose__fields" }, make("summary", {}, words.table), ...parts);
    }

    function show() {
      const given = text.value;
      const full = given.trim();
      link.disabled = !full || given.length > LONGEST_LINK;
      if (full) tell();
      if (!full || !known || !texts) {
        result.replaceChildren();
        delete result.dataset.verdict;
        return;
      }
      const { kind, main, others, notes: noted, reading } = guideDiagnosis.diagnose(given, known);
      const parts = [part("verdict", "p", make("strong", {}, words[kind]))];
      if (main) {
        const cause = about(main.id);
        parts.push(make("p", { innerHTML: cause.means }), title(words.lines), shownLines(reading, main.lines));
        if (cause.fix) parts.push(title(words.todo), make("div", { innerHTML: cause.fix }));
        const run = reading.next.length ? reading.next : cause.run;
        if (run.length) parts.push(title(words.next), commands(run));
        parts.push(more(cause.page));
      } else {
        const { found, paste } = guideDiagnosis.understood(reading, known.understands);
        parts.push(make("p", {}, words.unsure));
        if (found.length) parts.push(title(words.understood), make("ul", {}, ...found.map(([name, value]) => make("li", {}, `${words[`of_${name}`]}: `, make("code", {}, value)))));
        if (paste.length) parts.push(title(words.paste), commands(paste));
        parts.push(title(words.next), commands(["python doctor.py"]), more("check/doctor#diagnoses"));
      }
      if (others.length) {
        parts.push(title(words.also));
        for (const one of others) {
          const cause = about(one.id);
          parts.push(part("other", "div", make("p", { innerHTML: cause.means }), shownLines(reading, one.lines.slice(0, 1)), more(cause.page)));
        }
      }
      if (noted.length) {
        const items = noted.map(({ id }) => make("li", {}, texts.notes[id].text, " ", linkTo(texts.notes[id].page)));
        parts.push(title(words.notes), make("ul", {}, ...items));
      }
      if (reading.cut) parts.push(part("cut", "p", words.cut));
      if (reading.table?.gpus.length) parts.push(explained(reading.table));
      result.replaceChildren(...parts);
      Object.assign(result.dataset, { verdict: kind, cause: main?.id ?? "" });
    }

    function tell() {
      if (asked) return;
      asked = true;
      script(box, "diagnosis-texts.js", typeof guideTexts === "undefined", {
        onload: () => {
          texts = guideTexts;
          Object.assign(words, texts.words);
          show();
        },
        onerror: () => (asked = false),
      });
    }

    let timer;
    text.addEventListener("focus", tell);
    text.addEventListener("input", () => {
      clearTimeout(timer);
      said.textContent = "";
      timer = setTimeout(show, 250);
    });
    // Of a paste of some megabytes, only what is looked at is put into the box.
    text.addEventListener("paste", (event) => {
      const pasted = event.clipboardData?.getData("text/plain") ?? "";
      if (pasted.length <= LONGEST) return;
      event.preventDefault();
      text.value = `${pasted.slice(0, LONGEST)}\n${pasted.slice(-LONGEST)}`;
      show();
    });
    clear.addEventListener("click", () => {
      text.value = "";
      said.textContent = "";
      history.replaceState(history.state, "", location.pathname + location.search);
      show();
      text.focus();
    });
    link.addEventListener("click", async () => {
      const address = `${location.href.split("#")[0]}#text=${encode(text.value)}`;
      history.replaceState(history.state, "", address);
      await navigator.clipboard?.writeText(address);
      said.textContent = words.linked ?? "";
    });

    box.dataset.ready = "";
    const fromAddress = () => {
      const code = /^#text=([\w-]+)$/.exec(location.hash)?.[1];
      if (!code) return;
      text.value = decode(code);
      show();
    };
    addEventListener("hashchange", fromAddress);
    try {
      text.value ||= sessionStorage.getItem("guide-paste") ?? ""; // from the box of the home page
      sessionStorage.removeItem("guide-paste");
    } catch {
      // Some browsers keep nothing of a file.
    }
    show();
    fromAddress();
    const rules = () => {
      known = guideRules;
      show();
    };
    script(box, "diagnosis-rules.js", typeof guideRules === "undefined", { onload: rules });
  }

  // The texts, which are as large again as the rules, come when somebody turns to the box.
  const OWN = document.currentScript?.src;
  function script(box, name, absent, events) {
    if (absent) box.append(make("script", { src: new URL(name, OWN), ...events }));
    else events.onload();
  }

  document.querySelectorAll(".diagnose:not([data-ready])").forEach(build);
})();
