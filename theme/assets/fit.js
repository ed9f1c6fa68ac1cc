// The calculator of memory/fit. The formulas are those of gpu_guide/fit, and tests/data/fit_vectors.json
// holds both against each other; the models are read from the table that stands on the page.
(globalThis.guideForms ??= []).push((shared) => {
  "use strict";
  const { make, cards, recall, remember } = shared;

  const TERMS = ["weights", "gradients", "optimizer", "activations", "logits", "cache", "units", "buckets", "temporary", "context"];
  const STATES = { adamw: 2, momentum: 1, sgd: 0 };
  const MIB = 2 ** 20;
  const GIB = 2 ** 30;
  const WORKSPACE = 64 * MIB;
  const part = (size, of) => Math.ceil(size / of);
  const fourBit = (n) => part(n, 2) + part(n, 64) + 4 * part(n, 64 * 256);

  // A model's counts, as gpu_guide/fit/model.py has them.
  function counted(m) {
    const query = m.heads * m.head_size;
    const keys = m.key_heads * m.head_size;
    const feed = (m.gated ? 3 : 2) * m.hidden * m.middle;
    const linear = m.hidden * (2 * query + 2 * keys) + feed;
    const norm = m.hidden * (m.layer_norm ? 2 : 1);
    let block = linear + 2 * norm;
    if (m.attention_bias) block += query + 2 * keys;
    if (m.bias) block += 2 * m.hidden + m.middle * (m.gated ? 2 : 1);
    if (m.head_norms) block += 2 * m.head_size;
    const table = m.vocabulary * m.hidden;
    const outside = (m.tied ? 1 : 2) * table + m.positions * m.hidden + norm;
    return { ...m, query, keys, feed, linear, block, table, outside, parameters: m.layers * block + outside };
  }

  function adapters(m, on) {
    let widths = 2 * m.hidden + m.query + m.keys;
    if (on.everywhere) {
      widths = 4 * m.hidden + 2 * m.query + 2 * m.keys + (m.gated ? 3 : 2) * (m.hidden + m.middle);
    }
    return m.layers * on.rank * widths;
  }

  function prepared(on) {
    const full = on.task === "full";
    const low = on.precision !== "float32";
    const auto = on.precision === "mixed" && !(on.split === "fsdp" && on.gpus > 1);
    return {
      ...on, full, low, auto,
      tokens: on.batch * on.sequence,
      ofPiece: part(on.batch * on.sequence, on.pieces),
      e: low ? 2 : 4,
      normWidth: auto || !low ? 4 : 2,
      width: !low || (full && auto) ? 4 : 2,
    };
  }

  const scores = (m, on) => 4 * on.tokens * on.sequence * (on.split === "tensor" ? part(m.heads, on.gpus) : m.heads);
  const writesScores = (m, on) => !on.fused_attention || (!on.low && m.key_heads !== m.heads);

  // Bytes that one block keeps for its backward pass.
  function kept(m, on) {
    const { tokens: t, e } = on;
    const shards = on.split === "tensor" ? on.gpus : 1;
    const [query, keys, middle, heads, keyHeads] = [m.query, m.keys, m.middle, m.heads, m.key_heads].map((n) => part(n, shards));
    let norms = 2 * (t * m.hidden * on.normWidth + (m.layer_norm ? 8 : 4) * t);
    if (m.head_norms) norms += t * (query + keys) * on.normWidth + 4 * t * (heads + keyHeads);
    const some = !on.full && on.task !== "predict" && !on.everywhere;
    const [first, second] = some ? [2, 0] : [3, m.gated ? 2 : 1];
    const inputs = (on.auto ? first + second : 1 + Math.min(second, 1)) * t * m.hidden * e;
    const stored = writesScores(m, on);
    let attention;
    if (stored) attention = 3 * t * query * 4 + scores(m, on) + t * query * e;
    else attention = t * (2 * query + 2 * keys) * e + 4 * t * heads + (m.head_norms ? t * query * e : 0);
    let all = norms + inputs + attention + (m.gated ? 4 : 2) * t * middle * e;
    if (on.task === "lora" || on.task === "qlora") {
      if (some) all -= t * middle * e + (stored || m.head_norms ? t * query * e : 0);
      all += (on.everywhere ? (m.gated ? 7 : 6) : 2) * t * on.rank * e;
    }
    return all;
  }

  function training(m, on) {
    const { tokens: t, e } = on;
    const many = on.gpus > 1;
    const sharded = many && on.split === "fsdp";
    const shards = many && on.split === "tensor" ? on.gpus : 1;
    const weight = on.precision === "float32" || (on.full && on.precision === "mixed") ? 4 : 2;
    const table = part(m.table, shards);
    const linear = part(m.linear, shards);
    const oneBlock = m.block - m.linear + linear;
    const outside = m.outside - (m.tied ? 1 : 2) * (m.table - table);
    let held = (m.layers * oneBlock + outside) * weight;
    let [trainedBlock, trainedOutside, trainedHead, each] = [oneBlock, outside, table, weight];
    if (!on.full) {
      trainedBlock = Math.floor(adapters(m, on) / m.layers);
      trainedOutside = trainedHead = 0;
      each = on.precision === "bfloat16" ? 2 : 4;
      if (on.task === "qlora") held += m.layers * (fourBit(linear) - linear * weight);
      held += m.layers * trainedBlock * each;
    }
    const trained = m.layers * trainedBlock + trainedOutside;
    let gradients = trained * each;
    let state = STATES[on.optimizer] * trained * each;
    let update = on.fused || on.optimizer !== "adamw" ? 0 : trained * each;
    let early = gradients - trainedBlock * each - (m.tied ? 0 : trainedHead * each);
    let head = trainedHead * each;
    const copies = on.auto ? 2 * (on.full ? linear : trainedBlock) * m.layers : 0;
    const headCopy = on.auto ? 2 * trainedHead : 0;
    const ofBlock = Math.floor(copies / m.layers);
    let units = {
      start: 0, forward: copies + headCopy, loss: (on.checkpoint ? 0 : copies) + headCopy,
      last: on.checkpoint ? ofBlock : copies, first: ofBlock, end: 0, step: 0,
    };
    if (on.offload === "activations") units = { ...units, loss: 0, last: ofBlock, first: ofBlock };
    if (sharded) {
      const whole = e * oneBlock * m.layers;
      const stays = on.reshard === 1 ? 0 : on.reshard === 0 ? whole : part(whole, on.reshard);
      const root = e * outside;
      const rootGradients = e * trainedHead;
      const ahead = on.reshard ? e * oneBlock : 0;
      const summed = e * trainedBlock;
      const both = m.tied && trainedOutside ? 2 * e * table : 0;
      units = {
        start: 0, forward: root + stays, loss: root + stays + (on.pieces > 1 ? rootGradients : 0),
        last: root + rootGradients + stays + 2 * ahead + summed,
        first: root + rootGradients + e * oneBlock + summed + 4 * trainedBlock,
        end: Math.max(root + e * trainedOutside + both, (e + 4) * trainedOutside), step: 0,
      };
      head = 0;
      [early, held, gradients, state, update] = [early, held, gradients, state, update].map((n) => part(n, on.gpus));
      if (on.offload === "state") held = gradients = state = update = early = 0;
    }
    const one = kept(m, on);
    const inputs = t * m.hidden * on.width;
    let last = t * m.hidden * on.normWidth + (m.layer_norm ? 8 : 4) * t;
    last += t * m.hidden * (on.pieces > 1 ? on.normWidth : on.full ? e : 0);
    let [blocks, again] = on.checkpoint ? [m.layers * inputs, one] : [m.layers * one, 0];
    if (on.offload === "activations") [blocks, again, last] = [0, one, 0];
    const logits = 4 * on.ofPiece * part(m.vocabulary, shards);
    const activations = {
      start: 0, forward: blocks + last, loss: blocks + last, last: blocks + again,
      first: (on.checkpoint ? inputs : 0) + (again || one), end: 0, step: 0,
    };
    const feed = t * part(m.middle, shards) * e;
    let inside = (m.gated ? 2 : 1) * feed + inputs;
    if (writesScores(m, on)) {
      const done = on.full && !sharded ? part(m.feed, shards) * weight : 0;
      inside = Math.max(inside, 3 * scores(m, on) - (m.gated ? 4 : 2) * feed + inputs + done);
    }
    if (on.task === "qlora") inside += 2 * m.hidden * part(m.middle, shards);
    const earlier = on.accumulate ? gradients : 0;
    let [lost, product, whole] = [3 * logits, 0, earlier];
    if (on.pieces > 1 && on.full) {
      whole += head;
      const made = head + (on.auto ? head / 2 : 0);
      const given = e * on.ofPiece * part(m.vocabulary, shards);
      if (given + made > lost) [lost, product] = [given, made];
    }
    const twice = m.tied ? (on.auto ? 1 : 2) * head : 0;
    const own = {
      start: [earlier, 0, 0], forward: [earlier, 2 * logits, 0], loss: [whole, lost, product],
      last: [Math.max(earlier, head), 0, inside], first: [Math.max(earlier, early), 0, inside],
      end: [gradients, 0, twice], step: [gradients, 0, update],
    };
    const buckets = many && on.split === "ddp" ? gradients : 0;
    // In the first step, cuBLAS makes its workspaces one after the other.
    const spaces = on.first_step ? { start: 0, forward: WORKSPACE / 2, loss: WORKSPACE / 2 } : {};
    const moments = Object.fromEntries(Object.entries(own).map(([name, [grads, lost, temporary]]) => [name, {
      weights: held, gradients: grads, optimizer: on.first_step && name !== "step" ? 0 : state, activations: activations[name] + 16 * t, logits: lost,
      cache: 0, units: units[name], buckets, temporary: temporary + (spaces[name] ?? WORKSPACE), context: on.context,
    }]));
    return { moments, facts: { trained, each, one, weight, blocks, inputs, product, shares: sharded ? on.gpus : 1 } };
  }

  function predicting(m, on) {
    const shards = on.gpus > 1 && on.split === "tensor" ? on.gpus : 1;
    const weight = on.precision === "float32" ? 4 : 2;
    const linear = m.layers * part(m.linear, shards);
    let rest = m.parameters - m.layers * m.linear;
    if (shards > 1) rest -= (m.tied ? 1 : 2) * (m.table - part(m.table, shards));
    const stored = { int8: linear, int4: fourBit(linear) }[on.precision] ?? linear * weight;
    const cache = 2 * m.layers * on.tokens * part(m.keys, shards) * weight;
    const middle = part(m.middle, shards);
    let read = on.tokens * weight * (2 * m.hidden + (m.gated ? 3 : 2) * middle);
    if (writesScores(m, on)) {
      read = Math.max(read, 2 * scores(m, on) + on.tokens * weight * (2 * m.hidden + 6 * part(m.query, shards)));
    }
    const logits = on.batch * part(m.vocabulary, shards) * (weight + 4);
    const made = on.batch * weight * (2 * m.hidden + 3 * middle);
    const at = (activations) => ({
      weights: stored + rest * weight, gradients: 0, optimizer: 0, activations, logits, cache, units: 0, buckets: 0,
      temporary: WORKSPACE, context: on.context,
    });
    return { moments: { read: at(read), write: at(made) }, facts: { weight, one: 0, trained: 0, each: 0, shares: 1 } };
  }

  const total = (terms) => TERMS.reduce((sum, term) => sum + terms[term], 0);
  function compute(model, setting) {
    const m = counted(model);
    const on = prepared(setting);
    const { moments, facts } = on.task === "predict" ? predicting(m, on) : training(m, on);
    const names = Object.keys(moments);
    const moment = names.reduce((best, name) => (total(moments[name]) > total(moments[best]) ? name : best));
    return { m, on, moments, facts, moment, terms: moments[moment], bytes: total(moments[moment]) };
  }

  // A pasted config.json, in the names of Hugging Face; null where this is not such a model.
  const FOREIGN = /expert|kv_lora_rank|moe|ssm|mamba|linear_attn|encoder_layers/i;
  function fromConfig(text) {
    const c = JSON.parse(text);
    if (typeof c !== "object" || c === null || Object.keys(c).some((key) => FOREIGN.test(key) && c[key])) return null;
    const gpt2 = c.model_type === "gpt2";
    const hidden = c.hidden_size ?? c.n_embd;
    const heads = c.num_attention_heads ?? c.n_head;
    const type = String(c.model_type ?? "");
    if (!gpt2 && !["llama", "qwen2", "qwen3", "mistral"].includes(type)) return null;
    const found = {
      layers: c.num_hidden_layers ?? c.n_layer, hidden, heads,
      key_heads: c.num_key_value_heads ?? heads,
      head_size: c.head_dim ?? (type === "qwen3" ? 128 : hidden / heads),
      middle: c.intermediate_size ?? c.n_inner ?? 4 * hidden,
      vocabulary: c.vocab_size,
      positions: gpt2 ? (c.n_positions ?? 1024) : 0,
      gated: !gpt2, tied: c.tie_word_embeddings ?? gpt2,
      attention_bias: gpt2 || type === "qwen2" || Boolean(c.attention_bias),
      bias: gpt2 || Boolean(c.mlp_bias), head_norms: type === "qwen3", layer_norm: gpt2,
    };
    return NUMBERS.every((name) => Number.isInteger(found[name]) && found[name] >= 0) ? found : null;
  }

  const NUMBERS = ["layers", "hidden", "heads", "key_heads", "head_size", "middle", "vocabulary", "positions"];
  const FLAGS = ["gated", "tied", "attention_bias", "bias", "head_norms", "layer_norm"];
  const PRECISIONS = { full: ["mixed", "float32", "bfloat16"], predict: ["bfloat16", "float32", "int8", "int4"] };
  const FIELDS = {
    task: ["full", "lora", "qlora", "predict"],
    precision: ["mixed", "float32", "bfloat16", "int8", "int4"],
    optimizer: ["adamw", "momentum", "sgd"],
    fused: false,
    batch: [1, 1, 65536],
    sequence: [2048, 1, 10000000],
    checkpoint: false,
    pieces: [1, 1, 65536],
    accumulate: false,
    first_step: false,
    fused_attention: true,
    offload: ["none", "activations", "state"],
    gpus: [1, 1, 65536],
    split: ["ddp", "fsdp", "tensor"],
    reshard: [1, 0, 65536],
    rank: [16, 1, 4096],
    everywhere: true,
    context: [0.7, 0, 100],
    memory: [24, 0.1, 100000],
  };
  const FIRST = Object.fromEntries(Object.entries(FIELDS).map(([name, given]) => [name, Array.isArray(given) ? given[0] : given]));
  // What an address meant that was written before the form began with LoRA: whichever of these it does
  // not name. Since then every address names them all.
  const BEFORE = { model: "gpt2", task: FIRST.task, checkpoint: FIRST.checkpoint };
  const HIDDEN = {
    optimizer: (on) => on.task === "predict", fused: (on) => on.task === "predict" || on.optimizer !== "adamw",
    checkpoint: (on) => on.task === "predict", pieces: (on) => on.task === "predict", accumulate: (on) => on.task === "predict",
    first_step: (on) => on.task === "predict",
    offload: (on) => on.task === "predict", split: (on) => on.gpus === 1,
    reshard: (on) => on.gpus === 1 || on.split !== "fsdp",
    rank: (on) => on.task !== "lora" && on.task !== "qlora",
    everywhere: (on) => on.task !== "lora" && on.task !== "qlora",
  };

  // What to try where it does not fit, the cheapest first.
  const REMEDIES = [
    ["fused_attention", (on) => ({ fused_attention: true })],
    ["mixed", (on) => (on.task !== "predict" && on.precision === "float32" ? { precision: "mixed" } : {})],
    ["low", (on) => (on.task === "predict" && on.precision === "float32" ? { precision: "bfloat16" } : {})],
    ["fused", (on) => (on.task !== "predict" && on.optimizer === "adamw" ? { fused: true } : {})],
    ["half", (on) => (on.batch > 1 ? { batch: Math.ceil(on.batch / 2), ...(on.task === "predict" ? {} : { accumulate: true }) } : {})],
    ["checkpoint", (on) => (on.task !== "predict" ? { checkpoint: true } : {})],
    ["pieces", (on) => (on.task !== "predict" && on.pieces === 1 ? { pieces: 8 } : {})],
    ["shorter", (on) => (on.sequence > 1 ? { sequence: Math.ceil(on.sequence / 2) } : {})],
    ["int8", (on) => (on.task === "predict" ? { precision: "int8" } : {})],
    ["int4", (on) => (on.task === "predict" ? { precision: "int4" } : {})],
    ["lora", (on) => (on.task === "full" ? { task: "lora" } : {})],
    ["qlora", (on) => (["full", "lora"].includes(on.task) ? { task: "qlora" } : {})],
    ["activations", (on) => (on.task !== "predict" ? { offload: "activations" } : {})],
    ["fsdp", (on) => (on.task === "full" ? { gpus: Math.max(2, on.gpus) * (on.gpus > 1 && on.split === "fsdp" ? 2 : 1), split: "fsdp" } : {})],
    ["tensor", (on) => (on.task === "predict" ? { gpus: on.gpus * 2, split: "tensor" } : {})],
  ];

  const short = (n) => (n === 0 ? "0" : n >= 100 ? String(Math.round(n)) : String(Number(n.toPrecision(3))));
  const gib = (bytes) => (bytes >= GIB / 10 || bytes === 0 ? `${short(bytes / GIB)} GiB` : `${short(bytes / MIB)} MiB`);
  const many = (n) => n.toLocaleString("en");

  function build(box) {
    const table = box.querySelector("table");
    const words = JSON.parse(table.dataset.words);
    const first = JSON.parse(table.dataset.first); // the settings of the table further down
    const models = [...table.querySelectorAll("tr[data-model]")].map((row) => [row.dataset.id, row.cells[0].textContent, JSON.parse(row.dataset.model)]);
    const say = (key, values = {}) => (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name]);
    const inputs = {};
    const labelled = (name, field) => {
      field.name = name;
      inputs[name] = field;
      return make("label", {}, make("span", {}, say(name)), field);
    };
    const number = (name, value, min, max, step = 1) => labelled(name, make("input", { type: "number", value, min, max, step, required: true }));
    const choice = (name, options) => labelled(name, make("select", {}, ...options.map(([value, text]) => make("option", { value }, text))));
    const flag = (name, checked) => labelled(name, make("input", { type: "checkbox", checked }));

    const fields = Object.entries(FIELDS).map(([name, given]) => {
      if (typeof given === "boolean") return flag(name, first[name] ?? given);
      if (typeof given[0] === "string") return choice(name, given.map((value) => [value, say(`${name}.${value}`)]));
      return number(name, first[name] ?? given[0], ...given.slice(1), name === "context" || name === "memory" ? "any" : 1);
    });
    const begin = (given) => Object.entries(given).forEach(([name, to]) => put(name, to));
    const model = choice("model", [...models.map(([id, name]) => [id, name]), ["own", say("own")]]);
    const config = make("textarea", { rows: 4, spellcheck: false });
    const problem = make("p", { className: "fit__problem" });
    const summary = make("summary");
    const own = make(
      "details", {}, summary,
      make("label", { className: "fit__config" }, make("span", {}, say("config")), config), problem,
      make("div", { className: "fit__fields" },
        ...NUMBERS.map((name) => number(name, 1, name === "positions" ? 0 : 1, 100000000)), ...FLAGS.map((name) => flag(name, false))),
    );
    const said = make("p", { className: "fit__said" });
    const bar = make("div", { className: "fit__bar" });
    bar.setAttribute("role", "img");
    const rows = make("tbody");
    const terms = make(
      "table", { className: "fit__terms" },
      make("thead", {}, make("tr", {}, ...["term", "formula", "size"].map((name) => make("th", { scope: "col" }, say(name))))), rows,
    );
    const moments = make("tbody");
    const legend = make("p", { className: "fit__legend" });
    legend.setAttribute("aria-hidden", "true"); // each bar is told in words, and colours are not
    const every = make("table", { className: "fit__every" });
    const over = make(
      "div", {}, make("p", {}, make("strong", {}, say("over"))), legend,
      make("table", { className: "fit__moments" },
        make("thead", {}, make("tr", {}, ...["moment", "parts", "size"].map((name) => make("th", { scope: "col" }, say(name))))), moments),
      make("details", {}, make("summary", {}, say("every")), every),
    );
    const remedies = make("ul");
    const advice = make("div", {}, make("p", {}, make("strong", {}, say("remedies"))), remedies);
    const tasks = make("p", { className: "fit__tasks" });
    const answer = make("div", { className: "fit__answer" }, said, tasks, bar);
    const result = make("div", { className: "fit__result" }, terms, over, advice);
    said.setAttribute("aria-live", "polite");

    const value = (name) => {
      const field = inputs[name];
      if (field.type === "checkbox") return field.checked;
      return field.type === "number" ? field.valueAsNumber : field.value;
    };
    const put = (name, to) => {
      const field = inputs[name];
      if (field.type === "checkbox") field.checked = to === true || to === "1" || to === "true";
      else field.value = to;
    };
    const fill = (numbers) => [...NUMBERS, ...FLAGS].forEach((name) => put(name, numbers[name]));
    const chosen = () => Object.fromEntries([...NUMBERS, ...FLAGS].map((name) => [name, value(name)]));
    const setting = () => ({ ...Object.fromEntries(Object.keys(FIELDS).map((name) => [name, value(name)])), context: Math.round(value("context") * GIB) });

    const formula = (term, { m, on, facts: f, moment }) => {
      const share = f.shares > 1 ? ` ÷ ${f.shares}` : "";
      const t = many(on.tokens);
      switch (term) {
        case "weights": return on.task === "qlora" || /int/.test(on.precision) ? say("formula.packed") : on.full || on.task === "predict" ? `${many(m.parameters)} × ${f.weight} B${share}` : `${many(m.parameters)} × ${f.weight} B + ${many(f.trained)} × ${f.each} B`;
        case "gradients": return `${many(f.trained)} × ${f.each} B${share}`;
        case "optimizer": return `${STATES[on.optimizer]} × ${many(f.trained)} × ${f.each} B${share}`;
        case "activations": return on.task === "predict" ? say("formula.layer") : on.checkpoint ? say("formula.again", { layers: m.layers, inputs: gib(f.inputs), one: gib(f.one) }) : on.offload === "activations" || moment === "first" ? say("formula.one", { one: gib(f.one) }) : `${m.layers} × ${gib(f.one)} + …`;
        case "logits": return on.task === "predict" ? `${on.batch} × ${many(m.vocabulary)} × ${f.weight + 4} B` : `${f.product && moment === "loss" ? "" : moment === "forward" ? "2 × " : "3 × "}${many(on.ofPiece)} × ${many(m.vocabulary)} × ${f.product && moment === "loss" ? on.e : 4} B`;
        case "cache": return `2 × ${m.layers} × ${t} × ${many(m.keys)} × ${f.weight} B`;
        default: return say(`formula.${term}${term === "units" && f.shares > 1 ? ".fsdp" : ""}`);
      }
    };

    // The numbers of a listed model follow from its name: they are in the address of one's own only.
    const keep = () => {
      const listed = value("model") !== "own";
      const numbers = Object.fromEntries([...NUMBERS, ...FLAGS].map((name) => [name, listed ? value(name) : null]));
      // What an address does not name is as at first, but for what was once another first.
      const given = { ...FIRST, ...first, ...numbers };
      Object.keys(BEFORE).forEach((name) => delete given[name]);
      remember(inputs, given);
    };

    // The step, moment by moment: a bar of its parts for each, and all of it in figures.
    function showMoments(found, widest) {
      const names = Object.keys(found.moments);
      for (const name of names) {
        const one = found.moments[name];
        const told = TERMS.filter((term) => one[term]).map((term) => `${say(`term.${term}`)}${say("colon")}${gib(one[term])}`);
        const line = make("div", { className: "fit__line" });
        line.setAttribute("role", "img");
        line.setAttribute("aria-label", told.join(say("between")));
        TERMS.forEach((term, index) => {
          if (!one[term]) return;
          const piece = make("span", { className: `fit__part fit__piece--${index}` });
          piece.style.width = `${(100 * one[term]) / widest}%`;
          line.append(piece);
        });
        const size = make("td", {}, gib(total(one)));
        size.dataset.total = total(one);
        const row = make("tr", {}, make("th", { scope: "row" }, say(`moment.${name}`)), make("td", {}, line), size);
        row.classList.toggle("fit__fullest", name === found.moment);
        moments.append(row);
      }
      TERMS.forEach((term, index) => {
        if (!names.some((name) => found.moments[name][term])) return;
        legend.append(make("span", {}, make("span", { className: `fit__key fit__piece--${index}` }), say(`term.${term}`)));
      });
      const heads = [say("term"), ...names.map((name) => say(`moment.${name}`))];
      const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
      const body = TERMS.filter((term) => names.some((name) => found.moments[name][term])).map((term) =>
        make("tr", {}, make("th", { scope: "row" }, say(`term.${term}`)), ...names.map((name) => {
          const cell = make("td", {}, gib(found.moments[name][term]));
          cell.dataset.part = found.moments[name][term];
          return cell;
        })));
      every.replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
      cards(every, heads);
    }

    // The same model in each task, so that LoRA and QLoRA are answered side by side.
    function showTasks(on, room) {
      for (const task of FIELDS.task) {
        const possible = PRECISIONS[task === "predict" ? "predict" : "full"];
        const changes = { task, precision: possible.includes(on.precision) ? on.precision : possible[0] };
        const bytes = compute(chosen(), { ...on, ...changes }).bytes;
        const button = make("button", { type: "button", className: "md-button" }, `${say(`short.${task}`)} `, make("strong", {}, gib(bytes)));
        button.dataset.task = task;
        button.dataset.bytes = bytes;
        button.setAttribute("aria-pressed", String(task === on.task));
        button.classList.toggle("fit__much", bytes > room);
        button.addEventListener("click", () => {
          begin(changes);
          show(true);
          tasks.querySelector(`[data-task="${task}"]`).focus();
        });
        tasks.append(button, " ");
      }
    }

    function show(changed) {
      const task = value("task");
      const possible = PRECISIONS[task === "predict" ? "predict" : "full"];
      [...inputs.precision.options].forEach((option) => { option.hidden = option.disabled = !possible.includes(option.value); });
      if (!possible.includes(value("precision"))) put("precision", possible[0]);
      const on = setting();
      const right = Object.values(inputs).every((field) => field.validity.valid);
      for (const [name, hide] of Object.entries(HIDDEN)) inputs[name].parentElement.hidden = right && hide(on);
      calculator.classList.toggle("fit__calculator--wrong", !right);
      tasks.replaceChildren();
      bar.replaceChildren();
      rows.replaceChildren();
      remedies.replaceChildren();
      moments.replaceChildren();
      every.replaceChildren();
      legend.replaceChildren();
      advice.hidden = true;
      if (!right) {
        summary.textContent ||= say("numbers", { parameters: "?" });
        said.textContent = say("wrong");
        said.dataset.bytes = "";
        return;
      }
      const found = compute(chosen(), on);
      const room = value("memory") * GIB;
      said.dataset.bytes = found.bytes;
      said.dataset.moment = found.moment;
      said.textContent = say(found.bytes <= room ? "fits" : "too_much", {
        size: gib(found.bytes), room: gib(room), moment: say(`moment.${found.moment}`),
        gpus: on.gpus > 1 ? say("each") : say("the"),
      });
      summary.textContent = say("numbers", { parameters: many(found.m.parameters) });
      const widest = Math.max(found.bytes, room);
      TERMS.forEach((term, index) => {
        const bytes = found.terms[term];
        if (!bytes) return;
        const piece = make("span", { className: `fit__piece fit__piece--${index}` });
        piece.style.width = `${(100 * bytes) / widest}%`;
        bar.append(piece);
        const key = make("span", { className: `fit__key fit__piece--${index}` });
        const size = make("td", {}, gib(bytes));
        size.dataset.bytes = bytes;
        rows.append(make("tr", {}, make("th", { scope: "row" }, key, say(`term.${term}`)), make("td", {}, formula(term, found)), size));
      });
      const edge = make("span", { className: "fit__edge" });
      edge.style.insetInlineStart = `${(100 * room) / widest}%`;
      bar.append(edge);
      bar.setAttribute("aria-label", said.textContent);
      showTasks(on, room);
      showMoments(found, widest);
      for (const [name, change] of REMEDIES) {
        const changes = change(on);
        const bytes = compute(chosen(), { ...on, ...changes }).bytes;
        if (bytes > 0.98 * found.bytes) continue;
        const button = make("button", { type: "button", className: "md-button" }, say(`remedy.${name}`));
        button.addEventListener("click", () => {
          Object.entries(changes).forEach(([field, to]) => put(field, to));
          show(true);
          said.focus?.();
        });
        remedies.append(make("li", {}, button, ` ${gib(bytes)}${bytes <= room ? say("would_fit") : ""}`));
      }
      advice.hidden = !remedies.children.length;
      if (changed) keep();
    }

    model.addEventListener("input", () => {
      const found = models.find(([id]) => id === value("model"));
      if (found) fill(found[2]);
      own.open = own.open || !found;
    });
    own.addEventListener("input", ({ target }) => {
      if (target === config) {
        let found = null;
        try { found = fromConfig(config.value); } catch { /* not JSON: said below */ }
        problem.textContent = found || !config.value.trim() ? "" : say("not_config");
        if (!found) return;
        fill(found);
      }
      put("model", "own");
    });
    const form = make("div", { className: "fit__fields" }, model, ...fields);
    form.addEventListener("input", () => show(true));
    own.addEventListener("input", () => show(true));

    begin(first);
    const named = new URL(location.href).searchParams;
    if ([...named.keys()].some((name) => Object.hasOwn(inputs, name)) && !named.has("checkpoint")) begin(BEFORE);
    fill(models.find(([id]) => id === value("model"))[2]);
    recall({ model: inputs.model });
    const linked = models.find(([id]) => id === value("model"));
    if (linked) fill(linked[2]);
    recall(Object.fromEntries(Object.entries(inputs).filter(([name]) => !linked || name in FIELDS)));
    const list = make("details", {}, make("summary", {}, say("models")));
    const calculator = make("div", { className: "fit__calculator" }, answer, form, own, result);
    calculator.moments = (m, on) => Object.entries(compute(m, on).moments).map(([name, terms]) => [name, TERMS.map((term) => terms[term])]);
    calculator.compute = (m, on) => { const { moment, terms, m: c } = compute(m, on); return [c.parameters, moment, TERMS.map((term) => terms[term])]; };
    const rest = [...box.childNodes];
    box.replaceChildren(calculator, list);
    list.append(...rest);
    box.dataset.ready = "";
    show(false);
  }

  document.querySelectorAll(".fit:not([data-ready])").forEach(build);
});
