// Reads the file of torch.cuda.memory._dump_snapshot, which is a pickle, and adds it up. It runs in a
// worker that snapshot.js makes of this function's own text, because a page opened from file:// may
// not load a worker from another file. Nothing of a record is kept once it has been counted, so that
// a file of 1 GB takes little memory. gpu_guide/tool/snapshot_counts.py counts the same from what Python's own
// pickle reads, and tests hold both against each other.
globalThis.snapshotEngine = function snapshotEngine(scope) {
  "use strict";

  const SLICE = 4 * 2 ** 20; // bytes that are read from the file at a time
  const BINS = 512; // of a timeline: twice as many events in each whenever they are full
  const ROWS = { segments: 50, blocks: 50, places: 100, failures: 20 };
  const NEEDED = ["segments", "device_traces"];

  // What a pickle may say at all, to name what is refused: Lib/pickle.py, protocol 0 to 5.
  const NAMES = {
    "(": "MARK", ".": "STOP", 0: "POP", 1: "POP_MARK", 2: "DUP", F: "FLOAT", I: "INT", J: "BININT",
    K: "BININT1", L: "LONG", M: "BININT2", N: "NONE", P: "PERSID", Q: "BINPERSID", R: "REDUCE",
    S: "STRING", T: "BINSTRING", U: "SHORT_BINSTRING", V: "UNICODE", X: "BINUNICODE", a: "APPEND",
    b: "BUILD", c: "GLOBAL", d: "DICT", "}": "EMPTY_DICT", e: "APPENDS", g: "GET", h: "BINGET",
    i: "INST", j: "LONG_BINGET", l: "LIST", "]": "EMPTY_LIST", o: "OBJ", p: "PUT", q: "BINPUT",
    r: "LONG_BINPUT", s: "SETITEM", t: "TUPLE", ")": "EMPTY_TUPLE", u: "SETITEMS", G: "BINFLOAT",
    "\x80": "PROTO", "\x81": "NEWOBJ", "\x82": "EXT1", "\x83": "EXT2", "\x84": "EXT4",
    "\x85": "TUPLE1", "\x86": "TUPLE2", "\x87": "TUPLE3", "\x88": "NEWTRUE", "\x89": "NEWFALSE",
    "\x8a": "LONG1", "\x8b": "LONG4", B: "BINBYTES", C: "SHORT_BINBYTES", "\x8c": "SHORT_BINUNICODE",
    "\x8d": "BINUNICODE8", "\x8e": "BINBYTES8", "\x8f": "EMPTY_SET", "\x90": "ADDITEMS",
    "\x91": "FROZENSET", "\x92": "NEWOBJ_EX", "\x93": "STACK_GLOBAL", "\x94": "MEMOIZE",
    "\x95": "FRAME", "\x96": "BYTEARRAY8", "\x97": "NEXT_BUFFER", "\x98": "READONLY_BUFFER",
  };

  /** Why a file is not read: a kind, for which snapshot.js has a sentence, and what belongs into it. */
  class Refusal extends Error {
    constructor(kind, details) {
      super(kind);
      this.details = { kind, ...details };
    }
  }

  // No values of JavaScript's own: a key such as "__proto__" is a key like any other here.
  class Dict {
    items = []; // key, value, key, value …; the last of a key counts
    frame = -1;
    slot = -1;

    get(key) {
      const { items } = this;
      for (let at = items.length - 2; at >= 0; at -= 2) if (items[at] === key) return items[at + 1];
      return undefined;
    }
  }

  class List {
    items = [];
    stack = -1; // which stack of calls it was counted as
    length = 0; // of what was handed on and is not kept
    eaten = "";
    slot = -1;
  }

  const GONE = { gone: true };

  /** The bytes of a file one after another: `read(start, end)` gives a piece of it. */
  class Source {
    constructor(size, read, progress, slice) {
      Object.assign(this, { size, read, progress, slice });
      this.bytes = new Uint8Array(0);
      this.view = new DataView(this.bytes.buffer);
      this.at = 0; // in `bytes`
      this.start = 0; // of `bytes` in the file
    }

    get position() {
      return this.start + this.at;
    }

    /** Make sure that `count` bytes lie ahead. */
    need(count) {
      if (this.at + count <= this.bytes.length) return;
      const from = this.position;
      if (from + count > this.size) throw new Refusal("short", { byte: this.size });
      this.bytes = this.read(from, Math.min(this.size, from + Math.max(count, this.slice)));
      if (this.bytes.length < count) throw new Refusal("short", { byte: from + this.bytes.length });
      this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
      this.start = from;
      this.at = 0;
      this.progress(from);
    }

    u1() {
      this.need(1);
      return this.bytes[this.at++];
    }

    number(count, method) {
      this.need(count);
      const found = this.view[method](this.at, true);
      this.at += count;
      return found;
    }

    length8() {
      const low = this.number(4, "getUint32");
      return low + this.number(4, "getUint32") * 2 ** 32;
    }

    take(count) {
      this.need(count);
      this.at += count;
      return this.bytes.subarray(this.at - count, this.at);
    }
  }

  /** A whole number of `count` bytes, two's complement: a Number where that is exact. */
  function long(source, count) {
    if (!count) return 0;
    const bytes = source.take(count);
    if (count <= 6) {
      let value = 0;
      for (let at = count - 1; at >= 0; at--) value = value * 256 + bytes[at];
      return bytes[count - 1] > 127 ? value - 256 ** count : value;
    }
    let value = 0n;
    for (let at = count - 1; at >= 0; at--) value = value * 256n + BigInt(bytes[at]);
    if (bytes[count - 1] > 127) value -= 256n ** BigInt(count);
    const exact = Number(value);
    return Number.isSafeInteger(exact) ? exact : value;
  }

  /** Read one pickle and hand each record of `segments` and `device_traces` to `counted`. */
  function unpickle(source, counted) {
    const decoder = new TextDecoder();
    let stack = [];
    const marks = [];
    const memo = [];
    let byte = 0; // where the opcode stands
    let pair = [];

    const first = source.size ? source.u1() : -1;
    if (first !== 0x80) {
      const second = source.size > 1 ? source.u1() : -1;
      throw new Refusal(first === 0x50 && second === 0x4b ? "zip" : "other", { byte: 0 });
    }
    const protocol = source.u1();
    if (protocol < 2 || protocol > 5) throw new Refusal("protocol", { byte: 1, protocol });

    const damaged = () => new Refusal("damaged", { byte });
    const text = (count) => stack.push(decoder.decode(source.take(count)));
    const bytes = (count) => stack.push(source.take(count).slice());

    function pop() {
      if (stack.length <= (marks.at(-1) ?? 0)) throw damaged();
      return stack.pop();
    }

    function sinceMark() {
      if (!marks.length) throw damaged();
      return marks.pop();
    }

    function fetched(index) {
      const found = memo[index];
      if (found === undefined) throw damaged();
      if (found === GONE) throw new Refusal("again", { byte });
      stack.push(found);
    }

    function memoize(index) {
      // Python numbers them one by one, so another number is nobody's work but a forger's.
      if (index > memo.length || stack.length <= (marks.at(-1) ?? 0)) throw damaged();
      const value = stack.at(-1);
      memo[index] = value === undefined ? null : value;
      if (value instanceof Dict || value instanceof List) value.slot = index;
    }

    /** The key of the outermost dictionary that the value at `index` of the stack belongs to. */
    function topKey(index) {
      const direct = marks.length === 0 || (marks.length === 1 && marks[0] === 1);
      const inTop = direct && index > 1 && index % 2 === 0 && stack[0] instanceof Dict;
      return inTop && typeof stack[index - 1] === "string" ? stack[index - 1] : "";
    }

    /** What a list at `index` of the stack holds, if it is one whose records are counted one by one. */
    function role(index) {
      const key = topKey(index);
      if (key) return key === "device_traces" ? null : { key, device: 0 };
      // An inner list: of a list that is being filled one by one, or in a batch behind a mark.
      const start = marks.length === 2 ? marks[1] : 0;
      const outer = start ? start - 1 : index - 1;
      if (!(stack[outer] instanceof List)) return null;
      const saved = start ? marks.pop() : -1;
      const outerKey = topKey(outer);
      if (start) marks.push(saved);
      if (outerKey !== "device_traces") return null;
      return { key: outerKey, device: stack[outer].items.length + index - outer - 1 };
    }

    function append(at, start) {
      const list = stack[at];
      if (!(list instanceof List) || list.stack >= 0) throw damaged();
      const found = role(at);
      if (!found) {
        for (let index = start; index < stack.length; index++) list.items.push(stack[index]);
        return;
      }
      const mine = `${found.key} ${found.device}`;
      if (list.items.length || (list.eaten && list.eaten !== mine)) throw damaged();
      list.eaten = mine;
      for (let index = start; index < stack.length; index++) {
        const record = stack[index];
        if (found.key === "segments") counted.segment(record, list.length);
        else if (found.key === "device_traces") counted.event(record, found.device, list.length);
        list.length += 1;
        if (record instanceof Dict && NEEDED.includes(found.key)) {
          record.items = null;
          if (record.slot >= 0) memo[record.slot] = GONE;
        }
      }
    }

    function set(at, start) {
      const dict = stack[at];
      if (!(dict instanceof Dict) || !dict.items || (stack.length - start) % 2) throw damaged();
      for (let index = start; index < stack.length; index++) dict.items.push(stack[index]);
    }

    function tuple(start) {
      const made = stack.slice(start);
      stack.length = start;
      if (made.length !== 2 || made[0] !== pair[0] || made[1] !== pair[1]) pair = made;
      stack.push(pair); // pool_id is the same in nearly every record
    }

    for (;;) {
      byte = source.position;
      const opcode = source.u1();
      switch (opcode) {
        case 0x95: { // FRAME: how much follows at least; its bytes are read like all others
          const length = source.length8();
          if (source.position + length > source.size) throw new Refusal("short", { byte: source.size });
          break;
        }
        case 0x94: memoize(memo.length); break; // MEMOIZE
        case 0x71: memoize(source.u1()); break; // BINPUT
        case 0x72: memoize(source.number(4, "getUint32")); break; // LONG_BINPUT
        case 0x68: fetched(source.u1()); break; // BINGET
        case 0x6a: fetched(source.number(4, "getUint32")); break; // LONG_BINGET
        case 0x28: marks.push(stack.length); break; // MARK
        case 0x7d: stack.push(new Dict()); break; // EMPTY_DICT
        case 0x5d: stack.push(new List()); break; // EMPTY_LIST
        case 0x29: stack.push([]); break; // EMPTY_TUPLE
        case 0x4e: stack.push(null); break; // NONE
        case 0x88: stack.push(true); break; // NEWTRUE
        case 0x89: stack.push(false); break; // NEWFALSE
        case 0x4b: stack.push(source.u1()); break; // BININT1
        case 0x4d: stack.push(source.number(2, "getUint16")); break; // BININT2
        case 0x4a: stack.push(source.number(4, "getInt32")); break; // BININT
        case 0x8a: stack.push(long(source, source.u1())); break; // LONG1
        case 0x47: // BINFLOAT, the one number that begins with its highest byte
          source.need(8);
          stack.push(source.view.getFloat64(source.at));
          source.at += 8;
          break;
        case 0x8c: text(source.u1()); break; // SHORT_BINUNICODE
        case 0x58: text(source.number(4, "getUint32")); break; // BINUNICODE
        case 0x8d: text(source.length8()); break; // BINUNICODE8
        case 0x43: bytes(source.u1()); break; // SHORT_BINBYTES
        case 0x42: bytes(source.number(4, "getUint32")); break; // BINBYTES
        case 0x8e: bytes(source.length8()); break; // BINBYTES8
        case 0x85: case 0x86: case 0x87: { // TUPLE1, TUPLE2, TUPLE3
          const start = stack.length - (opcode - 0x84);
          if (start < (marks.at(-1) ?? 0)) throw damaged();
          tuple(start);
          break;
        }
        case 0x74: tuple(sinceMark()); break; // TUPLE
        case 0x61: { // APPEND
          const start = stack.length - 1;
          if (start - 1 < (marks.at(-1) ?? 0)) throw damaged();
          append(start - 1, start);
          stack.length = start;
          break;
        }
        case 0x65: { // APPENDS
          const start = sinceMark();
          if (start - 1 < (marks.at(-1) ?? 0)) throw damaged();
          append(start - 1, start);
          stack.length = start;
          break;
        }
        case 0x73: { // SETITEM
          const start = stack.length - 2;
          if (start - 1 < (marks.at(-1) ?? 0)) throw damaged();
          set(start - 1, start);
          stack.length = start;
          break;
        }
        case 0x75: { // SETITEMS
          const start = sinceMark();
          if (start - 1 < (marks.at(-1) ?? 0)) throw damaged();
          set(start - 1, start);
          stack.length = start;
          break;
        }
        case 0x2e: { // STOP
          const root = pop();
          if (stack.length || marks.length) throw damaged();
          return root;
        }
        default:
          throw new Refusal("opcode", { byte, name: NAMES[String.fromCharCode(opcode)] ?? "", code: opcode });
      }
    }
  }

  const wrong = (path) => new Refusal("shape", { path });

  function whole(value, path) {
    if (!Number.isSafeInteger(value) || value < 0) throw wrong(path);
    return value;
  }

  const OWN = /[/\\](?:site|dist)-packages[/\\]torch[/\\]/;
  const PLUMBING = /^(?:\?\?$|torch::unwind|torch::CapturedTraceback|c10::|std::|at::detail::)/;

  /** How much a frame tells: 0 Python outside of PyTorch, 1 Python, 2 C++, 3 what every stack has. */
  function rankOf(name, file) {
    if (file.endsWith(".py") || file.startsWith("<")) return OWN.test(file) ? 1 : 0;
    return PLUMBING.test(name) ? 3 : 2;
  }

  /** What a file says of memory, added up while it is read. */
  class Snapshot {
    frames = []; // {label, rank}
    stacks = []; // Int32Array of frames, the innermost first
    devices = new Map(); // -> its sums
    segments = []; // the largest of each device, later cut to ROWS
    blocks = [];
    failures = [];
    #frameOf = new Map();
    #stackOf = new Map(); // a hash -> the stacks that have it
    #scratch = new Int32Array(64);

    constructor() {
      this.#intern(0); // the empty stack is number 0
    }

    device(number) {
      if (!this.devices.has(number)) {
        this.devices.set(number, {
          segments: 0, blocks: 0, reserved: 0, allocated: 0, waiting: 0, free: 0, requested: 0, largestFree: 0,
          actions: new Map(), categories: new Map(), metadata: new Map(), stacks: new Map(),
          events: 0, seconds: [null, null], change: [0, 0], high: [-Infinity, 0], width: 1, bins: [],
        });
      }
      return this.devices.get(number);
    }

    #frame(dict, path) {
      if (!(dict instanceof Dict) || !dict.items) throw wrong(path);
      if (dict.frame >= 0) return dict.frame;
      const name = dict.get("name") ?? "??";
      const file = dict.get("filename") ?? "??";
      const line = dict.get("line") ?? 0;
      if (typeof name !== "string" || typeof file !== "string") throw wrong(path);
      const rank = rankOf(name, file);
      const shown = rank > 1 ? file.replace(/^.*[/\\]/s, "") : file; // of a library, not the way to it
      const label = `${name} (${shown}:${whole(line, `${path}.line`)})`;
      if (!this.#frameOf.has(label)) {
        this.#frameOf.set(label, this.frames.length);
        this.frames.push({ label, rank });
      }
      dict.frame = this.#frameOf.get(label);
      return dict.frame;
    }

    #intern(count) {
      let hash = count;
      for (let at = 0; at < count; at++) hash = Math.imul(hash ^ this.#scratch[at], 16777619) ^ (hash >>> 15);
      const same = this.#stackOf.get(hash) ?? [];
      for (const stack of same) {
        const known = this.stacks[stack];
        let at = known.length === count ? 0 : -1;
        while (at >= 0 && at < count && known[at] === this.#scratch[at]) at++;
        if (at === count) return stack;
      }
      same.push(this.stacks.length);
      this.#stackOf.set(hash, same);
      this.stacks.push(this.#scratch.slice(0, count));
      return this.stacks.length - 1;
    }

    #stack(list, path) {
      if (list === undefined || list === null) return 0;
      if (!(list instanceof List) || list.eaten) throw wrong(path);
      if (list.stack >= 0) return list.stack;
      const { items } = list;
      if (items.length > this.#scratch.length) this.#scratch = new Int32Array(2 * items.length);
      for (let at = 0; at < items.length; at++) this.#scratch[at] = this.#frame(items[at], path);
      list.stack = this.#intern(items.length);
      list.items = null;
      return list.stack;
    }

    #use(device, stack) {
      if (!device.stacks.has(stack)) {
        device.stacks.set(stack, { bytes: 0, blocks: 0, largest: 0, allocations: 0, given: 0 });
      }
      return device.stacks.get(stack);
    }

    segment(dict, index) {
      const path = `segments[${index}]`;
      if (!(dict instanceof Dict) || !dict.items) throw wrong(path);
      const number = whole(dict.get("device") ?? 0, `${path}.device`);
      const device = this.device(number);
      const size = whole(dict.get("total_size"), `${path}.total_size`);
      const blocks = dict.get("blocks");
      if (!(blocks instanceof List) || !blocks.items) throw wrong(`${path}.blocks`);
      const seen = {
        device: number, address: dict.get("address") ?? 0, size, stream: dict.get("stream") ?? 0,
        pool: dict.get("segment_type") ?? "", blocks: blocks.items.length, allocated: 0, largestFree: 0,
      };
      blocks.items.forEach((block, at) => {
        const here = `${path}.blocks[${at}]`;
        if (!(block instanceof Dict) || !block.items) throw wrong(here);
        const bytes = whole(block.get("size"), `${here}.size`);
        const state = block.get("state");
        if (typeof state !== "string") throw wrong(`${here}.state`);
        const stack = this.#stack(block.get("frames"), `${here}.frames`);
        const requested = whole(block.get("requested_size") ?? bytes, `${here}.requested_size`);
        if (state === "active_allocated") {
          seen.allocated += bytes;
          device.requested += requested;
          const use = this.#use(device, stack);
          use.bytes += bytes;
          use.blocks += 1;
          use.largest = Math.max(use.largest, bytes);
        } else if (state.startsWith("active")) {
          device.waiting += bytes;
        } else {
          device.free += bytes;
          seen.largestFree = Math.max(seen.largestFree, bytes);
        }
        this.blocks.push({ device: number, address: block.get("address") ?? 0, size: bytes, requested, state, stack });
      });
      device.segments += 1;
      device.blocks += blocks.items.length;
      device.reserved += size;
      device.allocated += seen.allocated;
      device.largestFree = Math.max(device.largestFree, seen.largestFree);
      this.segments.push(seen);
    }

    event(dict, number, index) {
      const path = `device_traces[${number}][${index}]`;
      if (!(dict instanceof Dict) || !dict.items) throw wrong(path);
      const device = this.device(number);
      const action = dict.get("action");
      if (typeof action !== "string") throw wrong(`${path}.action`);
      const size = whole(dict.get("size") ?? 0, `${path}.size`);
      const stack = this.#stack(dict.get("frames"), `${path}.frames`);
      count(device.actions, action, size);
      const time = dict.get("time_us");
      if (typeof time === "number") {
        device.seconds[0] ??= time;
        device.seconds[1] = time;
      }
      const { change } = device;
      if (action === "alloc") {
        change[0] += size;
        const use = this.#use(device, stack);
        use.allocations += 1;
        use.given += size;
        for (const key of ["category", "user_metadata"]) {
          const label = dict.get(key);
          if (typeof label !== "string" || !label) continue;
          count(key === "category" ? device.categories : device.metadata, label, size);
        }
      } else if (action === "free_requested") {
        change[0] -= size;
      } else if (action === "segment_alloc" || action === "segment_map") {
        change[1] += size;
      } else if (action === "segment_free" || action === "segment_unmap") {
        change[1] -= size;
      } else if (action === "oom") {
        const left = dict.get("device_free");
        const free = left === undefined || left === null ? null : whole(left, `${path}.device_free`);
        this.failures.push({ device: number, event: device.events + 1, size, free, stack });
      }
      device.events += 1;
      if (change[0] > device.high[0]) device.high = [change[0], device.events];
      this.#plot(device);
    }

    /** A bin has the highest of both lines in it. */
    #plot(device) {
      const { bins, change } = device;
      if ((device.events - 1) % device.width === 0) {
        if (bins.length === BINS) {
          const pairs = bins.splice(0);
          for (let at = 0; at < BINS; at += 2) {
            bins.push([0, 1].map((line) => Math.max(pairs[at][line], pairs[at + 1][line])));
          }
          device.width *= 2;
        }
        bins.push([...change]);
      } else {
        const bin = bins.at(-1);
        for (const line of [0, 1]) if (change[line] > bin[line]) bin[line] = change[line];
      }
    }
  }

  function count(counts, label, size) {
    const found = counts.get(label) ?? [0, 0];
    counts.set(label, [found[0] + 1, found[1] + size]);
  }

  const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
  const bySize = (a, b) => b.size - a.size || a.device - b.device || order(a.address, b.address);

  /** Read a file: `read(start, end)` gives its bytes, and a Refusal says why it cannot be. */
  function readSnapshot(size, read, progress = () => {}, slice = SLICE) {
    const counted = new Snapshot();
    const root = unpickle(new Source(size, read, progress, slice), counted);
    if (!(root instanceof Dict)) throw wrong("");
    const lists = NEEDED.map((key) => root.get(key));
    if (!(lists[0] instanceof List)) throw wrong("segments");
    const traces = lists[1] ?? new List();
    if (!(traces instanceof List)) throw wrong("device_traces");
    // Counted while they were read, and nothing was put in their place later.
    if (lists[0].items.length) throw wrong("segments");
    for (const [device, trace] of traces.items.entries()) {
      if (!(trace instanceof List) || !trace.items || trace.items.length) throw wrong(`device_traces[${device}]`);
    }
    const held = [["segments 0", lists[0]], ...traces.items.map((one, device) => [`device_traces ${device}`, one])];
    for (const [name, list] of held) if (list.eaten && list.eaten !== name) throw wrong(name.split(" ")[0]);
    counted.segments.sort(bySize);
    counted.blocks.sort(bySize);
    return counted;
  }

  /** The places of a stack: the innermost line that tells most, the innermost frame, or each frame. */
  function placesOf(snapshot, stack, by) {
    const frames = snapshot.stacks[stack];
    if (!frames.length) return [""];
    if (by === "all") return [...new Set(frames)].map((frame) => snapshot.frames[frame].label);
    const worst = by === "line" ? [0, 1, 2] : [2];
    for (const rank of worst) {
      const found = frames.find((frame) => snapshot.frames[frame].rank <= rank);
      if (found !== undefined) return [snapshot.frames[found].label];
    }
    return [snapshot.frames[frames[0]].label];
  }

  const chosen = (snapshot, device) =>
    [...snapshot.devices].sort(([a], [b]) => a - b).filter(([number]) => device === null || number === device);

  function places(snapshot, { by, device }) {
    const found = new Map();
    for (const [, one] of chosen(snapshot, device)) {
      for (const [stack, use] of one.stacks) {
        for (const label of placesOf(snapshot, stack, by)) {
          if (!found.has(label)) found.set(label, { label, bytes: 0, blocks: 0, largest: 0, allocations: 0, given: 0 });
          const row = found.get(label);
          for (const key of ["bytes", "blocks", "allocations", "given"]) row[key] += use[key];
          row.largest = Math.max(row.largest, use.largest);
        }
      }
    }
    return found;
  }

  function timeline(snapshot, device) {
    const all = chosen(snapshot, device).filter(([, one]) => one.events);
    if (!all.length) return null;
    const [number, one] = all.reduce((most, next) => (next[1].events > most[1].events ? next : most));
    // The file tells what is there at its end; what was there at the start follows from the events.
    const start = [one.allocated - one.change[0], one.reserved - one.change[1]];
    const freed = (action) => (one.actions.get(action) ?? [0])[0];
    return {
      device: number, events: one.events, width: one.width,
      whole: !(freed("free_completed") && !freed("free_requested")),
      microseconds: one.seconds[0] === null ? null : one.seconds[1] - one.seconds[0],
      start: start[0], end: one.allocated, peak: start[0] + one.high[0], peakAt: one.high[1],
      bins: one.bins.map(([allocated, reserved]) => [start[0] + allocated, start[1] + reserved]),
    };
  }

  const heaviest = (a, b) => b.bytes - a.bytes || b.given - a.given || order(a.label, b.label);

  function summed(devices, key) {
    const rows = [];
    for (const [device, one] of devices) {
      for (const [label, [times, bytes]] of one[key]) rows.push({ device, label, times, bytes });
    }
    return rows.sort((a, b) => a.device - b.device || b.bytes - a.bytes || order(a.label, b.label));
  }

  /** What the tables show of one file: `by` is line, inner or all; `device` a number, or null for all. */
  function summary(snapshot, options) {
    const { device } = options;
    const devices = chosen(snapshot, device);
    const here = (one) => device === null || one.device === device;
    const place = ({ stack, ...one }) => ({ ...one, place: placesOf(snapshot, stack, "line")[0] });
    const found = [...places(snapshot, options).values()].sort(heaviest);
    const few = (rows, name) => ({ rows: rows.slice(0, ROWS[name]), of: rows.length });
    const numbers = ["segments", "blocks", "reserved", "allocated", "waiting", "free", "requested", "largestFree"];
    return {
      numbers: [...snapshot.devices.keys()].sort((a, b) => a - b),
      devices: devices.filter(([, one]) => one.segments || one.events).map(([number, one]) => ({
        device: number, ...Object.fromEntries(numbers.map((key) => [key, one[key]])),
      })),
      places: few(found, "places"),
      segments: few(snapshot.segments.filter(here), "segments"),
      blocks: few(snapshot.blocks.filter(here).map(place), "blocks"),
      actions: summed(devices, "actions"),
      categories: summed(devices, "categories"),
      metadata: summed(devices, "metadata"),
      failures: few(snapshot.failures.filter(here).map(place), "failures"),
      timeline: timeline(snapshot, device),
    };
  }

  /** What grew from one file to the other, by place: most first, then what shrank. */
  function growth(before, after, options) {
    const [old, recent] = [places(before, options), places(after, options)];
    const none = { bytes: 0, blocks: 0 };
    const rows = [];
    for (const label of new Set([...old.keys(), ...recent.keys()])) {
      const [was, is] = [old.get(label) ?? none, recent.get(label) ?? none];
      const row = { label, before: was.bytes, after: is.bytes, grown: is.bytes - was.bytes, blocks: is.blocks - was.blocks };
      if (row.grown || row.blocks) rows.push(row);
    }
    rows.sort((a, b) => b.grown - a.grown || b.blocks - a.blocks || order(a.label, b.label));
    return { rows: rows.slice(0, ROWS.places), of: rows.length };
  }

  if (scope) {
    const files = [null, null];
    scope.onmessage = ({ data }) => {
      const { slot, file, options } = data;
      if (file) {
        files[slot] = null;
        try {
          const reader = new scope.FileReaderSync();
          const read = (start, end) => new Uint8Array(reader.readAsArrayBuffer(file.slice(start, end)));
          files[slot] = readSnapshot(file.size, read, (at) => scope.postMessage({ slot, at, of: file.size }));
        } catch (error) {
          const problem = error instanceof Refusal ? error.details : { kind: "unreadable", path: String(error?.message ?? error) };
          scope.postMessage({ slot, problem });
        }
      }
      const [one, other] = files;
      scope.postMessage({
        options,
        shown: files.map((each) => each && summary(each, options)),
        growth: one && other && growth(one, other, options),
      });
    };
  }
  return { readSnapshot, summary, growth };
};
