// The filter of reference/verified: of its tables it leaves the rows of snippets that have not passed
// in one place. Without this script the tables are whole.
(globalThis.guideForms ??= []).push((shared) => {
  "use strict";
  const { make, recall, remember } = shared;

  const WORDS = {
    zh: {
      label: "只看还没有通过的",
      everything: "全部",
      not: (place) => `在“${place}”上没有通过`,
      shown: (count) => `共 ${count} 段代码`,
    },
    en: {
      label: "Show only what hasn't passed",
      everything: "everything",
      not: (place) => `not passed on: ${place}`,
      shown: (count) => `${count} snippets`,
    },
  };

  function start() {
    const box = document.querySelector(".verified-filter:empty");
    if (!box) return;
    const say = WORDS[document.documentElement.lang.slice(0, 2)] ?? WORDS.en;
    const tables = [...box.parentElement.querySelectorAll("table")].filter((one) => !one.closest(".coverage"));
    const heads = [...tables[0].tHead.rows[0].cells].slice(1).map((cell) => cell.textContent.trim());
    const places = heads.map((head) => head.toLowerCase().replace(/[^\p{L}\d.]+/gu, "-"));
    const bars = [...document.querySelectorAll(".coverage tbody tr")];
    // The words for what has passed, and for what is not meant to run, are those of the first row.
    const passed = document.querySelector(".coverage thead th:nth-child(2)").textContent.trim();

    const select = make("select", { id: "not-passed" }, make("option", { value: "", textContent: say.everything }));
    heads.forEach((head, index) => {
      if (bars[index].querySelector("progress").position < 1) {
        select.append(make("option", { value: places[index], textContent: say.not(head) }));
      }
    });
    const count = make("output");
    box.append(make("label", { htmlFor: "not-passed", textContent: say.label }), select, count);

    function show() {
      const column = places.indexOf(select.value) + 1;
      let left = 0;
      for (const table of tables) {
        const rows = [...table.tBodies[0].rows];
        for (const row of rows) {
          const cell = row.cells[column].textContent.trim();
          row.hidden = column > 0 && (cell === passed || cell === "–");
        }
        const here = rows.filter((row) => !row.hidden).length;
        left += here;
        const whole = table.closest(".md-typeset__scrollwrap") ?? table;
        whole.hidden = here === 0;
        const fold = whole.closest(".fold");
        fold.hidden = fold.previousElementSibling.hidden = here === 0;
        fold.open = column > 0;
      }
      count.value = say.shown(left);
    }

    const fields = { "not-passed": select };
    recall(fields);
    select.addEventListener("change", () => {
      remember(fields, { "not-passed": "" });
      show();
    });
    show();
  }

  // The theme wraps tables when the page has loaded, and again after instant navigation.
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
});
