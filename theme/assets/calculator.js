// The calculator of multi-gpu/: what each GPU sends in a training step, and what two measured steps
// say about more GPUs. The formulas are those of gpu_guide/fit/communication.py and of
// snippets/multi_gpu/speedup_from_times.py; a test holds them against a ring that is played step by
// step. The heads of the table stand on the page; what is asked
// stands here, because the page with it would be too heavy.
(globalThis.guideForms ??= []).push((shared) => {
  "use strict";
  const { make, recall, remember } = shared;

  const GROUPS = {
    // name, value at first, least, most, step
    model: [
      ["parameters", 1, 0.001, 10000, "any"],
      ["blocks", 24, 1, 1000, 1],
      ["hidden", 2048, 1, 100000, 1],
    ],
    step: [
      ["tokens", 16384, 1, 100000000, 1],
      ["microbatches", 1, 1, 1000, 1],
      ["bandwidth", 25, 0.01, 10000, "any"],
    ],
    data: [
      ["gpus", 8, 2, 4096, 1],
      ["gradient", 4, 1, 8, 1],
      ["weight", 2, 1, 8, 1],
      ["reduced", 4, 1, 8, 1],
    ],
    tensor: [
      ["group", 8, 2, 8, 1],
      ["activation", 2, 1, 8, 1],
    ],
    measured: [
      ["one", 200, 0.001, 10000000, "any"],
      ["two", 320, 0.001, 10000000, "any"],
    ],
  };
  const WORDS = {
    zh: {
      model: "模型",
      parameters: "参数（十亿个）",
      blocks: "Transformer 层数",
      hidden: "隐藏维度",
      step: "一步训练",
      tokens: "一个微批次的 token 数（每块卡，或每个张量并行组）",
      microbatches: "每步累积几个微批次",
      bandwidth: "每块卡单向的带宽（GB/s）",
      data: "DDP 和 FSDP2",
      gpus: "GPU 数",
      gradient: "DDP：一个梯度几字节",
      weight: "FSDP2：收集的一个参数几字节",
      reduced: "FSDP2：汇总的一个梯度几字节",
      tensor: "张量并行",
      group: "一组几块 GPU（同一台机器内）",
      activation: "一个激活值几字节",
      measured: "实测：用 DDP，每块卡的 batch 相同",
      one: "一块 GPU 的每步用时（ms）",
      two: "两块 GPU 的每步用时（ms）",
      speedup: (gpus, step, times, share) =>
        `按实测的用时推算，${gpus} 块 GPU 一步约 ${step}，吞吐量是一块的 ${times} 倍，每块卡的效率是 ${share}%。`,
      wrong: "每一格都要填范围之内的数，两块 GPU 的每步用时不能比一块的短。",
    },
    en: {
      model: "Model",
      parameters: "parameters, in billions",
      blocks: "transformer blocks",
      hidden: "hidden size",
      step: "Training step",
      tokens: "tokens in a micro-batch (of a GPU, or of a tensor-parallel group)",
      microbatches: "micro-batches accumulated in a step",
      bandwidth: "bandwidth of a GPU in one direction, GB/s",
      data: "DDP and FSDP2",
      gpus: "GPUs",
      gradient: "DDP: bytes of a gradient",
      weight: "FSDP2: bytes of a gathered weight",
      reduced: "FSDP2: bytes of a reduced gradient",
      tensor: "Tensor parallelism",
      group: "GPUs in a group, inside one machine",
      activation: "bytes of an activation",
      measured: "Measured, with DDP and the same batch on each GPU",
      one: "a step on one GPU, ms",
      two: "a step on two GPUs, ms",
      speedup: (gpus, step, times, share) =>
        `By the measured times, ${gpus} GPUs need about ${step} for a step and have ${times} times the throughput of one, and each works at ${share}% of its speed.`,
      wrong: "Every field needs a number within its range, and a step on two GPUs can't be shorter than on one.",
    },
  };

  const gather = (gpus, size) => ((gpus - 1) / gpus) * size;
  const METHODS = {
    ddp: (v) => 2 * gather(v.gpus, v.parameters * 1e9 * v.gradient),
    fsdp: (v) =>
      v.microbatches *
      (2 * gather(v.gpus, v.parameters * 1e9 * v.weight) + gather(v.gpus, v.parameters * 1e9 * v.reduced)),
    split: (v) =>
      v.microbatches * 4 * v.blocks * 2 * gather(v.group, v.tokens * v.hidden * v.activation),
  };
  // What two GPUs add to a step is communication, and a ring of N sends 2 (N - 1) / N.
  const stepTime = (v) => v.one + (v.two - v.one) * 2 * ((v.gpus - 1) / v.gpus);
  const short = (number) => String(Number(number.toPrecision(3)));
  const size = (bytes) => {
    const [unit, name] = [
      [2 ** 30, "GiB"],
      [2 ** 20, "MiB"],
      [2 ** 10, "KiB"],
    ].find(([least]) => bytes >= least) ?? [1, "B"];
    return `${short(bytes / unit)} ${name}`;
  };
  const duration = (seconds) => (seconds < 1 ? `${short(seconds * 1e3)} ms` : `${short(seconds)} s`);

  function build(box) {
    const table = box.querySelector("table");
    const words = WORDS[document.documentElement.lang.startsWith("zh") ? "zh" : "en"];
    const fields = {};
    const first = {};
    const groups = Object.entries(GROUPS).map(([group, inputs]) => {
      const labels = inputs.map(([name, value, min, max, step]) => {
        const field = make("input", { type: "number", name, value, min, max, step, required: true });
        fields[name] = field;
        first[name] = value;
        return make("label", {}, make("span", {}, words[name]), field);
      });
      return make("fieldset", {}, make("legend", {}, words[group]), ...labels);
    });
    const rows = [...table.tBodies[0].rows];
    table.className = "calculator__table";
    const speedup = make("p");
    const result = make("div", { className: "calculator__result" }, table, speedup);
    result.setAttribute("aria-live", "polite");

    const show = () => {
      const all = Object.values(fields);
      const v = Object.fromEntries(all.map((field) => [field.name, field.valueAsNumber]));
      const right = all.every((field) => field.validity.valid) && v.two >= v.one;
      Object.values(METHODS).forEach((volume, index) => {
        const bytes = right ? volume(v) : NaN;
        const [, sent, token, time] = rows[index].children;
        sent.textContent = right ? size(bytes) : "–";
        token.textContent = right ? size(bytes / (v.tokens * v.microbatches)) : "–";
        time.textContent = right ? duration(bytes / (v.bandwidth * 1e9)) : "–";
        sent.dataset.bytes = bytes;
      });
      const ms = right ? stepTime(v) : NaN;
      speedup.textContent = right
        ? words.speedup(v.gpus, duration(ms / 1e3), short((v.gpus * v.one) / ms), short((100 * v.one) / ms))
        : words.wrong;
      speedup.dataset.throughput = (v.gpus * v.one) / ms;
    };
    recall(fields);
    const inputs = make("div", { className: "calculator__inputs" }, ...groups);
    inputs.addEventListener("input", () => {
      show();
      remember(fields, first);
    });
    box.replaceChildren(inputs, result);
    box.dataset.ready = "";
    show();
  }

  document.querySelectorAll(".calculator:not([data-ready])").forEach(build);
});
