// The box of current-device/visible-devices: a value of CUDA_VISIBLE_DEVICES, and which GPU becomes
// cuda:0. The rules are those of gpu_guide/pictures/visible_devices.py; tests hold both against each
// other. Without this script there is a table of some values.
(globalThis.guideForms ??= []).push((shared) => {
  "use strict";
  const { make, recall, remember } = shared;

  const UUIDS = [
    "GPU-5a0c1f3e-7d52-4b1e-9c86-20f4a1b7e3d9",
    "GPU-8932f937-46ad-4c05-b6f2-9e1d70c2a854",
    "GPU-89e4d60b-c173-4f28-8a3d-514b6e0f97c2",
    "GPU-c7b19d42-0e86-4a5f-93b0-d8627fe15ca3",
    "GPU-1e6fb825-93c4-47da-a05e-6b3c49d801f7",
    "GPU-d25a7c90-5f1b-4e63-8d47-f09ab3e6c218",
    "GPU-f4038be1-b2d9-40c7-96fa-7ce5128d0b46",
    "GPU-7b9de516-284f-4c3a-b1e8-03a7f6c59d2e",
  ];
  const FIRST = { visible: "2,0", count: "4", set: true };
  const TRY = ["2,0", "0,-1,1", "0,7,1", "1,1", "0 1", "GPU-c7,GPU-5a", "GPU-89", ""];

  const WORDS = {
    zh: {
      count: "机器上有几块 GPU",
      set: "设置了这个变量",
      examples: "试试这些值：",
      empty: "（空）",
      cards: "机器上的 GPU",
      hidden: "看不到",
      head: ["写的是", "PyTorch 如何理解"],
      seen: (card, index) => `GPU ${card}，成为 cuda:${index}`,
      fates: {
        word: "不是编号，也不是 UUID，列表到此为止",
        negative: "负数，列表到此为止",
        beyond: "机器上没有这个编号，列表到此为止",
        unknown: "没有一块 GPU 的 UUID 以它开头，列表到此为止",
        ambiguous: "不止一块 GPU 的 UUID 以它开头，分不清是哪一块，列表到此为止",
        again: "前面已经写过，重复了，因此一块也不剩",
        sign: "只有正负号，没有数字：PyTorch 抛出 ValueError",
        dropped: "因为后面的错误而作废",
        unread: "列表已经结束，不再读取",
        driver: "MIG 实例：PyTorch 自己不数，交给驱动",
      },
      said: (count, list) => (count ? `torch.cuda.device_count() 返回 ${count}：${list}。` : "torch.cuda.device_count() 返回 0，一块 GPU 也看不到。"),
      is: (index, card) => `cuda:${index} 是 GPU ${card}`,
      comma: "，",
      sign: "torch.cuda.device_count() 抛出 ValueError。",
      driver: "PyTorch 启动驱动来数，这里没有 MIG 实例，所以无法预测结果。",
      table: "一些值的结果",
    },
    en: {
      count: "GPUs in the machine",
      set: "the variable is set",
      examples: "Values to try:",
      empty: "(empty)",
      cards: "The GPUs of the machine",
      hidden: "not visible",
      head: ["What is written", "What PyTorch makes of it"],
      seen: (card, index) => `GPU ${card}, which becomes cuda:${index}`,
      fates: {
        word: "neither an index nor a UUID: the list ends here",
        negative: "a negative number: the list ends here",
        beyond: "the machine has no GPU with this index: the list ends here",
        unknown: "no GPU has a UUID that begins like this: the list ends here",
        ambiguous: "the UUIDs of several GPUs begin like this: it names none, and the list ends here",
        again: "it was named before, and a repetition leaves no GPU at all",
        sign: "a sign without digits: PyTorch raises a ValueError",
        dropped: "lost because of a later entry",
        unread: "not read: the list has ended",
        driver: "a MIG instance, which PyTorch leaves to the driver",
      },
      said: (count, list) => (count ? `torch.cuda.device_count() returns ${count}: ${list}.` : "torch.cuda.device_count() returns 0, and no GPU is visible."),
      is: (index, card) => `cuda:${index} is GPU ${card}`,
      comma: ", ",
      sign: "torch.cuda.device_count() raises a ValueError.",
      driver: "PyTorch starts the driver to count. There are no MIG instances here, and we can't predict the result.",
      table: "The results of some values",
    },
  };

  /** Follows a list to its end; what has ended it before stays as it is. */
  function walk(entries, look) {
    const done = [];
    const named = [];
    for (const [place, { text, fate: before }] of entries.entries()) {
      if (before !== "seen") return [...done, ...entries.slice(place)];
      let [fate, name, card] = look(text);
      if (fate === "seen" && named.includes(name)) fate = "again";
      const rest = entries.slice(place + 1).map((one) => ({ text: one.text, fate: "unread" }));
      if (fate === "again" || fate === "sign") {
        return [...done.map((one) => ({ text: one.text, fate: "dropped" })), { text, fate }, ...rest];
      }
      if (fate !== "seen") return [...done, { text, fate }, ...rest];
      named.push(name);
      done.push({ text, fate, card });
    }
    return done;
  }

  /** The number that an entry begins with, as C's strtoul reads it; its rest is ignored. */
  function number(text) {
    const [digits] = text.trim().match(/^[+-]?[0-9]*/);
    if (!digits) return ["word"];
    if (digits === "+" || digits === "-") return ["sign"];
    const value = BigInt(digits.replace("+", ""));
    return [value < 0n ? "negative" : "seen", value];
  }

  function byUuid(text, uuids) {
    const cards = [...uuids.keys()].filter((card) => uuids[card].startsWith(text));
    return cards.length === 1 ? ["seen", cards[0], cards[0]] : [cards.length ? "ambiguous" : "unknown"];
  }

  /** Reads a value (null: not set) as `read` in gpu_guide/pictures/visible_devices.py does. */
  function read(variable, uuids) {
    if (variable === null) {
      return { count: uuids.length, entries: uuids.map((_, card) => ({ text: String(card), fate: "seen", card })) };
    }
    let entries = variable.split(",").map((text) => ({ text, fate: "seen" }));
    const having = (prefix) => (text) => [text.startsWith(prefix) ? "seen" : "word", text];
    if (variable.startsWith("GPU-")) {
      entries = walk(walk(entries, having("GPU-")), (text) => byUuid(text, uuids));
    } else if (variable.startsWith("MIG-")) {
      entries = walk(entries, having("MIG-")).map((one) => (one.fate === "seen" ? { ...one, fate: "driver" } : one));
    } else {
      entries = walk(walk(entries, number), (text) => {
        const [, value] = number(text);
        return value < BigInt(uuids.length) ? ["seen", value, Number(value)] : ["beyond"];
      });
    }
    const without = entries.some(({ fate }) => fate === "sign" || fate === "driver");
    return { count: without ? null : entries.filter(({ fate }) => fate === "seen").length, entries };
  }

  function build(box) {
    const words = WORDS[document.documentElement.lang.startsWith("zh") ? "zh" : "en"];
    const visible = make("input", { type: "text", name: "visible", value: FIRST.visible, maxLength: 200, spellcheck: false, autocapitalize: "off", autocomplete: "off" });
    const set = make("input", { type: "checkbox", name: "set", checked: true });
    const counts = UUIDS.map((_, index) => make("option", { value: index + 1, selected: index === 3 }, index + 1));
    const fields = { visible, count: make("select", { name: "count" }, ...counts), set };
    const examples = TRY.map((value) => make("button", { type: "button", value }, value || words.empty));
    const form = make("div", { className: "visible__fields" },
      make("label", { className: "visible__value" }, make("code", {}, "CUDA_VISIBLE_DEVICES="), visible),
      make("label", {}, set, ` ${words.set}`),
      make("label", {}, words.count, " ", fields.count));
    const tries = make("p", { className: "visible__tries" }, words.examples, " ", ...examples);
    const said = make("p", { className: "visible__said" });
    said.setAttribute("role", "status");
    const cards = make("ul", { className: "visible__cards" });
    cards.setAttribute("aria-label", words.cards);
    const rows = make("tbody");
    const head = make("tr", {}, ...words.head.map((text) => make("th", { scope: "col" }, text)));
    const entries = make("table", { className: "visible__entries" }, make("thead", {}, head), rows);
    const all = make("details", {}, make("summary", {}, words.table));
    all.append(...box.childNodes);

    function show() {
      visible.disabled = !set.checked;
      const uuids = UUIDS.slice(0, Number(fields.count.value));
      const reading = read(set.checked ? visible.value : null, uuids);
      const seen = reading.entries.filter(({ fate }) => fate === "seen").map(({ card }) => card);
      const failed = reading.entries.find(({ fate }) => fate === "sign" || fate === "driver");
      said.textContent = failed && reading.count === null
        ? words[failed.fate]
        : words.said(reading.count, seen.map((card, index) => words.is(index, card)).join(words.comma));
      cards.replaceChildren(...uuids.map((uuid, card) => {
        const index = seen.indexOf(card);
        return make("li", { className: index < 0 ? "" : "visible__card--seen" }, make("strong", {}, `GPU ${card}`),
          make("small", {}, uuid), make("span", {}, index < 0 ? words.hidden : `cuda:${index}`));
      }));
      entries.hidden = !set.checked;
      rows.replaceChildren(...reading.entries.map(({ text, fate, card }) => make("tr", {},
        make("td", {}, text.trim() ? make("code", {}, text) : words.empty),
        make("td", {}, fate === "seen" ? words.seen(card, seen.indexOf(card)) : words.fates[fate]))));
    }
    const changed = () => {
      show();
      remember(fields, FIRST);
    };
    recall(fields);
    form.addEventListener("input", changed);
    tries.addEventListener("click", ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return;
      set.checked = true;
      visible.value = target.value;
      changed();
    });
    box.replaceChildren(form, tries, said, cards, entries, all);
    box.read = read;
    box.uuids = UUIDS;
    box.dataset.ready = "";
    show();
  }

  document.querySelectorAll(".visible:not([data-ready])").forEach(build);
});
