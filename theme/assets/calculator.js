// The calculator of multi-gpu/: what each GPU sends in a training step, and Amdahl's law. The
// formulas are those of snippets/multi_gpu/communication_volume.py and amdahl.py; a test compares.
(() => {
  "use strict";

  const INPUTS = [
    // name, value at first, least, most, step
    ["gpus", 8, 2, 4096, 1],
    ["parameters", 1, 0.001, 10000, "any"],
    ["itemsize", 4, 1, 8, 1],
    ["blocks", 24, 1, 1000, 1],
    ["hidden", 2048, 1, 100000, 1],
    ["tokens", 16384, 1, 100000000, 1],
    ["bandwidth", 25, 0.01, 10000, "any"],
    ["serial", 5, 0, 100, "any"],
  ];
  const WORDS = {
    zh: {
      gpus: "几块 GPU",
      parameters: "参数（十亿个）",
      itemsize: "每个数几字节",
      blocks: "Transformer 层数",
      hidden: "隐藏维度",
      tokens: "一步的 token 数（张量并行的一组）",
      bandwidth: "GPU 之间的带宽（GB/s）",
      serial: "加卡也不变短的部分（%）",
      method: "方法",
      sent: "每块卡每步发送",
      time: "至少要",
      ddp: "DDP",
      fsdp: "FSDP2",
      tensor: "张量并行",
      faster: (n) => `按阿姆达尔定律，最多快到 ${n} 倍。`,
      limit: (most) => `再多的卡也超不过 ${most} 倍。`,
      wrong: "每一格都要填范围之内的数。",
    },
    en: {
      gpus: "GPUs",
      parameters: "parameters, in billions",
      itemsize: "bytes per number",
      blocks: "transformer blocks",
      hidden: "hidden size",
      tokens: "tokens in a step (of a tensor-parallel group)",
      bandwidth: "bandwidth between GPUs, GB/s",
      serial: "part that more GPUs do not shorten, %",
      method: "method",
      sent: "sent by each GPU in a step",
      time: "takes at least",
      ddp: "DDP",
      fsdp: "FSDP2",
      tensor: "tensor parallel",
      faster: (n) => `By Amdahl's law, ${n} times as fast at most. `,
      limit: (most) => `No number of GPUs makes it ${most} times as fast.`,
      wrong: "Every field needs a number within its range.",
    },
  };

  const gather = (gpus, size) => ((gpus - 1) / gpus) * size;
  const METHODS = {
    ddp: (v) => 2 * gather(v.gpus, v.parameters * 1e9 * v.itemsize),
    fsdp: (v) => 3 * gather(v.gpus, v.parameters * 1e9 * v.itemsize),
    tensor: (v) => 4 * v.blocks * 2 * gather(v.gpus, v.tokens * v.hidden * v.itemsize),
  };
  const speedup = (gpus, serial) => 1 / (serial + (1 - serial) / gpus);
  const short = (number) => String(Number(number.toPrecision(3)));
  const size = (bytes) =>
    bytes < 2 ** 30 ? `${short(bytes / 2 ** 20)} MiB` : `${short(bytes / 2 ** 30)} GiB`;
  const duration = (seconds) => (seconds < 1 ? `${short(seconds * 1e3)} ms` : `${short(seconds)} s`);

  const make = (tag, attributes, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };

  function build(box) {
    const words = WORDS[document.documentElement.lang.startsWith("zh") ? "zh" : "en"];
    const fields = INPUTS.map(([name, value, min, max, step]) =>
      make("input", { type: "number", name, value, min, max, step, required: true }),
    );
    const labels = fields.map((field) => make("label", {}, make("span", {}, words[field.name]), field));
    const rows = Object.keys(METHODS).map((name) =>
      make("tr", {}, make("th", { scope: "row" }, words[name]), make("td", {}), make("td", {})),
    );
    const head = ["method", "sent", "time"].map((name) => make("th", { scope: "col" }, words[name]));
    const said = make("p", {});
    const result = make(
      "div",
      { className: "calculator__result" },
      make("table", { className: "calculator__table" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)),
      said,
    );
    result.setAttribute("aria-live", "polite");

    const show = () => {
      const right = fields.every((field) => field.validity.valid);
      const v = Object.fromEntries(fields.map((field) => [field.name, field.valueAsNumber]));
      Object.values(METHODS).forEach((volume, index) => {
        const bytes = right ? volume(v) : NaN;
        const [, sent, time] = rows[index].children;
        sent.textContent = right ? size(bytes) : "–";
        time.textContent = right ? duration(bytes / (v.bandwidth * 1e9)) : "–";
        sent.dataset.bytes = bytes;
      });
      const share = v.serial / 100;
      const most = share ? words.limit(short(1 / share)) : "";
      said.textContent = right ? words.faster(short(speedup(v.gpus, share))) + most : words.wrong;
      said.dataset.speedup = right ? speedup(v.gpus, share) : NaN;
    };
    fields.forEach((field) => field.addEventListener("input", show));
    box.replaceChildren(make("div", { className: "calculator__inputs" }, ...labels), result);
    box.dataset.ready = "";
    show();
  }

  document.querySelectorAll(".calculator").forEach(build);
})();
