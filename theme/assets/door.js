// The box with which the home page begins: what is typed or pasted is answered below it. It asks the page's
// search worker, which knows messages, names and questions. What is long is handed to reference/diagnose,
// which reads it as a whole. Nothing leaves the browser.
(() => {
  "use strict";

  const LONG = 400; // characters: of a longer text the search looks at a part only
  const LINES = 4;
  const MOST = 4;
  const KEPT = "guide-paste"; // what diagnose.js finds when it starts

  // The theme starts the worker, after this script. So the constructor that it calls is one of ours once.
  let searcher;
  const Started = globalThis.Worker;
  globalThis.Worker = function (...how) {
    searcher = new Started(...how);
    globalThis.Worker = Started;
    return searcher;
  };

  const make = (tag, attributes, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };

  function build(box) {
    const { root } = box.dataset;
    const words = JSON.parse(box.dataset.words);
    const [form, text, result] = ["form", "textarea", ".door__result"].map((name) => box.querySelector(name));
    let asked = 0; // how many questions; answers come in their order
    let timer;

    /** Has the index loaded: the theme loads it when somebody is about to search. */
    const prepare = () => document.querySelector(".md-search")?.dispatchEvent(new Event("pointerenter"));
    const isLong = () => text.value.length > LONG || text.value.trim().split("\n").length > LINES;

    function diagnosis(label) {
      const link = make("a", { href: `${root}reference/diagnose/`, className: "md-button door__diagnose" }, label);
      link.addEventListener("click", keep);
      return link;
    }

    function keep() {
      try {
        sessionStorage.setItem(KEPT, text.value);
      } catch {
        // Some browsers keep nothing of a file: the page opens with an empty box.
      }
    }

    /** One entry of the search as a block: where it leads, and what it says. Of a message, that is its meaning and its remedy. */
    function shown(item) {
      const top = item.reduce((best, one) => (one.score > best.score ? one : best));
      const told = item.find(({ text: html }) => html) ?? top;
      const link = make("a", { href: root + top.location, innerHTML: top.title });
      const about = make("div", { innerHTML: (top.text || told.text).replace(/<(a|\/a)\b[^>]*>|\sid="[^"]*"/g, "") });
      for (const code of about.querySelectorAll("pre > code")) code.tabIndex = 0; // who has no mouse scrolls it by keys
      return make("li", {}, link, about);
    }

    function answered(items) {
      const parts = [];
      if (isLong()) parts.push(make("p", {}, `${words.long} `, diagnosis(words.diagnose)));
      const list = items.slice(0, MOST).filter((item) => !item.some(({ location }) => location === "reference/diagnose/" && isLong()));
      if (list.length) parts.push(make("ol", {}, ...list.map(shown)));
      else if (!isLong()) parts.push(make("p", {}, `${words.nothing} `, diagnosis(words.diagnose)));
      result.replaceChildren(...parts);
      box.dataset.answered = text.value.trim().slice(0, 60);
    }

    function ask() {
      clearTimeout(timer);
      asked++;
      if (!text.value.trim()) {
        result.replaceChildren();
        delete box.dataset.answered;
        return;
      }
      prepare();
      if (!searcher) return; // the button leads to the diagnosis
      if (!box.dataset.answered) result.replaceChildren(make("p", {}, words.wait));
      searcher.postMessage({ type: "ask", data: { question: text.value, number: asked } });
    }

    searcher?.addEventListener("message", ({ data: { type, data } }) => {
      if (type === "told" && data.number === asked) answered(data.items);
    });
    text.addEventListener("focus", prepare, { once: true });
    text.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(ask, 150);
    });
    text.addEventListener("paste", () => setTimeout(ask));
    // Enter asks; of one line, it would only make another.
    text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || text.value.includes("\n")) return;
      event.preventDefault();
      const first = result.querySelector("li a");
      if (box.dataset.answered === text.value.trim().slice(0, 60) && first) first.click();
      else ask();
    });
    form.addEventListener("submit", keep);
    box.dataset.ready = "";
    if (text.value) ask();
  }

  // Who has not begun the book needs no script for it.
  function standing() {
    const road = document.querySelector(".road[data-script]");
    try {
      if (!road || !localStorage.getItem("pytorch-gpu-guide.road")) return;
    } catch {
      return; // Storage is switched off.
    }
    document.head.append(Object.assign(document.createElement("script"), { src: road.dataset.script }));
  }

  const start = () => {
    document.querySelectorAll(".door:not([data-ready])").forEach(build);
    standing();
  };
  // All other scripts have run by then, and the worker is there.
  if (document.readyState === "complete") start();
  else document.addEventListener("DOMContentLoaded", start);
})();
