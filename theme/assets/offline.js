// What makes the site work from a folder on disk: see gpu_guide/site/offline.py, which puts the search
// worker's source above this script. The pages of the site on the web do not load it.
(() => {
  "use strict";

  const source = globalThis.guideSearchWorker;
  if (location.protocol !== "file:" || !source) return;

  // A browser starts no worker from a file, and it hands no script to one that came from elsewhere.
  // So the worker's whole source is in the page, and it is started from there.
  const Started = Worker;
  globalThis.Worker = function (address) {
    const own = `${address}`.includes("search-worker.js");
    return new Started(own ? URL.createObjectURL(new Blob([source], { type: "text/javascript" })) : address);
  };

  // A server shows index.html for the address of a folder. Links on pages have been written anew for
  // that; those which a script writes, such as results of the search, are mended before they are used.
  function mend({ target }) {
    const link = target.closest?.("a[href]");
    if (link?.protocol === "file:" && link.pathname.endsWith("/")) link.pathname += "index.html";
  }
  for (const sign of ["pointerover", "pointerdown", "focusin", "click"]) document.addEventListener(sign, mend, true);
  // Enter in the search box opens the first result, to which no pointer has been.
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") document.querySelectorAll(".md-search-result a").forEach((link) => mend({ target: link }));
  }, true);
})();
