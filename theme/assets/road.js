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

  /** Whether a step is done. Whoever has done a chapter has done its first step, which is called "…#1". */
  function isDone(key) {
    const done = remembered();
    return done.includes(key) || done.includes(key.split("#")[0]);
  }

  /** At the end of a step: a box to tick. */
  function tick(place, { here, said }) {
    const box = element("input", { type: "checkbox", checked: isDone(here) });
    box.addEventListener("change", () => {
      const undone = box.checked ? [here] : [here, here.split("#")[0]];
      const others = remembered().filter((one) => !undone.includes(one));
      remember(box.checked ? [...others, here] : others);
    });
    place.replaceChildren(element("label", {}, box, ` ${said}`));
  }

  /** Where all chapters are known: at which step the reader is, and a mark at each that is done. */
  function standing(place, given) {
    const { base, words } = given;
    const steps = given.steps.flatMap(([url, title, half]) =>
      half
        ? [
            [`${url}#1`, title, url],
            [url, title + words.second, `${url}#${half}`],
          ]
        : [[url, title, url]],
    );
    place.hidden = !steps.some(([key]) => isDone(key));
    const next = steps.findIndex(([key]) => !isDone(key));
    const step = next < 0 ? steps.length : next + 1;
    const text = next < 0 ? words.all : words.at;
    const said = text.replace("{step}", step).replace("{count}", steps.length);
    const link = next < 0 ? [] : [element("a", { href: `${base}/${steps[next][2]}` }, steps[next][1])];
    const clear = element("button", { type: "button", className: "md-button" }, words.clear);
    Object.assign(clear.style, CALM);
    clear.addEventListener("click", () => {
      remember([]);
      standing(place, given);
    });
    place.replaceChildren(said, ...link, " ", clear);
    const done = remembered();
    for (const row of document.querySelectorAll("article td:first-child a")) {
      const url = row.getAttribute("href").replace(/^(\.\.?\/)+/, "");
      const cell = row.closest("td");
      cell.querySelector(".road-done")?.remove();
      const mark = [
        [url, "✓ "],
        [`${url}#1`, "½ "],
      ].find(([key]) => done.some((one) => one.endsWith(key)));
      if (mark) {
        cell.prepend(element("span", { className: "road-done" }, mark[1]));
      }
    }
  }

  for (const place of document.querySelectorAll(".road")) {
    const given = JSON.parse(place.dataset.road);
    place.hidden = false;
    (given.steps ? standing : tick)(place, given);
  }
})();
