// Names that a question consists of: of torch, of a method, an environment variable, a command, a card, a
// build. Each has one home (gpu_guide/render/homes.py), which is shown before all else.
"use strict";

// Words beside a name that say no more than that somebody wants to know about it.
const ABOUT_A_NAME = new Set(
  ("use usage used example examples doc docs documentation tutorial meaning mean means explained explain function method command nvidia geforce tesla quadro rtx gtx gpu card " +
    "variable option parameter argument difference 用法 作用 意思 例子 示例 教程 文档 参数 函数 方法 命令 是什么 什么意思 怎么用 怎么 使用 用 什么 解释 介绍 详解 显卡 卡 变量 环境变量 选项 的").split(" "),
);
const OBJECTS = /^(?:x|y|t|a|b|tensors?|inputs?|images?|labels?|targets?|data|batch|out(?:put)?s?|img|loss|net|model|module|self|layer|optimizer|variable|pred|logits|dist|f|nn|th)\./;
let homes; // by name, and by the ends of names with dots, the address of its home

function readHomes({ config }) {
  homes = new Map();
  const add = (name, location) => homes.has(name) || homes.set(name, location);
  const all = Object.entries(config.homes ?? {}).flatMap(([location, names]) => names.map((name) => [name, location]));
  for (const [name, location] of all) {
    add(name, location);
    add(nameOf(name), location);
    if (/^(?:RTX|GTX) /.test(name)) add(nameOf(name.slice(4)), location);
  }
  // Of torch.cuda.Stream, cuda.Stream and Stream are names; of torch.cuda.device, device is none without its dot.
  const last = (name) => name.split(".").length - (name.startsWith("torch.cuda.") ? 0.5 : 0); // is_available is that of torch.cuda
  const whole = all.filter(([name]) => name.startsWith("torch."));
  const unused = (location) => Number(location.startsWith("reference/apis/#unused")); // another name of what is explained
  whole.sort(([one, here], [other, there]) => unused(here) - unused(there) || last(one) - last(other));
  for (const [name, location] of whole) {
    for (let end = name.slice(6); ; end = end.slice(end.indexOf(".") + 1)) {
      add(end, location);
      const bare = nameOf(end);
      if (/[._0-9]|[a-z][A-Z]/.test(end) || end.length > 9) add(bare, location); // Work is one, and work is not
      add(`.${bare}`, location);
      if (!end.includes(".")) break;
    }
  }
}

/** A name as it is looked for: in lower case, without torch. before it and arguments behind it. */
function nameOf(typed) {
  const name = typed.trim().replace(/^[`'"“‘]+|[`'"”’。，,;；:：?？!！]+$/g, "").replace(/^(?:import|from|with|export|set|sudo) +/i, "");
  const bare = name.replace(/^([\w.]*?[\w]) ?\([^()]*\)?:?$/, "$1").replace(/^([A-Z][A-Z0-9_]+) ?=.*$/, "$1");
  return bare.toLowerCase().replace(/^torch\.(?=[^.])/, "").replace(/\s+/g, " ");
}

/** The home of the name that the question consists of, apart from words that say nothing of their own. */
function homeOf(question) {
  if (question.length > LONGEST_QUESTION) return undefined;
  return homeOfName(question) ?? homeOfName(withoutCommonWords(question));
}

/** The homes of the names with a dot, a bracket or an underscore that stand in the question among other words. */
function homesIn(question) {
  const names = question.split(/[\s,，。；;：？?！!、\u3400-\u9fff]+/).filter((word) => /^[\w.-]*[._][\w.]*(?:\(.*\))?$|^[A-Z]\w*[a-z][A-Z]\w*$/.test(word));
  return new Set(names.flatMap((name) => homeOfName(name) ?? []));
}

function homeOfName(text) {
  const typed = text.trim();
  if (!typed) return undefined;
  const exact = typed.replace(/\(.*\)$/, "");
  const name = nameOf(typed);
  const isCalled = /[.(]/.test(typed);
  const card = name.replace(/\b([rg]tx)(?=\d)/, "$1 ").replace(/(\d)(ti|super)\b/, "$1 $2"); // 3080ti, rtx4090
  const ways = [typed, exact, exact.replace(/^torch\./, ""), name, name.replace(/^[.+]/, ""), card, card.replace(/(\d{4})d\b/, "$1")];
  if (/^\S+=\S+$/.test(name)) ways.push(name.replace(/=.*$/, "")); // drop_last=True
  if (isCalled) ways.push(`.${name.replace(/^\./, "")}`);
  if (OBJECTS.test(name)) {
    const method = name.replace(OBJECTS, "");
    ways.push(`.${method}`, method);
  }
  for (const way of ways) {
    if (way && homes.has(way)) return homes.get(way);
  }
}

function withoutCommonWords(question) {
  const words = question.split(/([\s,，?？、]+|[\u3400-\u9fff]+)/);
  const kept = words.map((word) => {
    if (HAN.test(word)) return HAN.test(word.replace(HAN_ABOUT, "")) ? word : " ";
    const says = !ABOUT_A_NAME.has(word.toLowerCase()) && !LEFT_OUT.has(word.toLowerCase()) && !/^\d+ ?gb?$/i.test(word); // 24G of a card
    return says ? word : " ";
  });
  return kept.join("").trim().replace(/\s+/g, " ");
}

const HAN_ABOUT = new RegExp([...ABOUT_A_NAME, ...LEFT_OUT].filter((word) => HAN.test(word)).sort((one, other) => other.length - one.length).join("|"), "g");

/** The pages with that first on which the place is, and the place first on it; the page itself is there, too. */
function withHome(pages, home) {
  const page = home.split("#")[0];
  const here = pages.find(([first]) => first.location.split("#")[0] === page) ?? [];
  const others = here.filter(({ location }) => location !== home);
  if (home !== page && !others.some(({ location }) => location === page)) others.push({ location: page, score: 0 });
  return [[{ location: home, score: 0 }, ...others], ...pages.filter((one) => one !== here)];
}
