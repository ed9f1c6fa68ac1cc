// Which chapters of the book a reader has done. It is remembered in the browser alone.
(() => {
  "use strict";

  const KEY = "pytorch-gpu-guide.road";

  // Here and not in a style sheet, which would be one more request of the home page.
  const CALM = {
    marginInlineStart: "0.5rem",
    padding: "0 0.5rem",
    border: "1px solid",
    color: "inherit",
    fontSize: "0.7rem",
    fontWeight: "normal",
  };

  function remembered() {
    try {
      return JSON.parse(localStorage.getItem(KEY)) ?? [];
    } catch {
      return []; // Storage is switched off, or holds what is not ours.
    }
  }

  function remember(done) {
    try {
      localStorage.setItem(KEY, JSON.stringify(done));
    } catch {
      // Storage is switched off: it holds as long as the page is open.
    }
  }

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  /** At the end of a chapter: a box to tick. */
  function tick(place, { here, words }) {
    const box = element("input", { type: "checkbox", checked: remembered().includes(here) });
    box.addEventListener("change", () => {
      const others = remembered().filter((one) => one !== here);
      remember(box.checked ? [...others, here] : others);
    });
    place.replaceChildren(element("label", {}, box, ` ${words.done}`));
  }

  /** Where all chapters are known: at which of them the reader is, and a mark at each that is done. */
  function standing(place, { base, steps, words }) {
    const done = remembered();
    const isDone = ([url]) => done.includes(url);
    place.hidden = !steps.some(isDone);
    const next = steps.findIndex((step) => !isDone(step));
    const step = next < 0 ? steps.length : next + 1;
    const text = next < 0 ? words.all : words.at;
    const said = text.replace("{step}", step).replace("{count}", steps.length);
    const link = next < 0 ? [] : [element("a", { href: `${base}/${steps[next][0]}` }, steps[next][1])];
    const clear = element("button", { type: "button", className: "md-button" }, words.clear);
    Object.assign(clear.style, CALM);
    clear.addEventListener("click", () => {
      remember([]);
      standing(place, { base, steps, words });
    });
    place.replaceChildren(said, ...link, " ", clear);
    for (const row of document.querySelectorAll("article td:first-child a")) {
      const url = row.getAttribute("href").replace(/^(\.\.?\/)+/, "");
      const cell = row.closest("td");
      cell.querySelector(".road-done")?.remove();
      if (done.some((one) => one.endsWith(url))) {
        cell.prepend(element("span", { className: "road-done" }, "✓ "));
      }
    }
  }

  for (const place of document.querySelectorAll(".road")) {
    const given = JSON.parse(place.dataset.road);
    place.hidden = false;
    (given.steps ? standing : tick)(place, given);
  }
})();
