// What the theme leaves to be done on each page. No page needs this script to be read.
(() => {
  "use strict";

  // The page at the root of the site reads this key: theme/root/index.html.
  const LANGUAGE_KEY = "pytorch-gpu-guide.language";

  function rememberLanguage(language) {
    try {
      localStorage.setItem(LANGUAGE_KEY, language);
    } catch {
      // Storage is switched off: the choice is made anew at the next visit.
    }
  }

  /** The anchor of what is being read: the one in the address while it can be seen, or else the
      last heading above the middle of the window. Both languages have the same ones. */
  function anchorInView() {
    const middle = innerHeight / 2;
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const top = named?.getBoundingClientRect().top;
    if (top >= 0 && top < innerHeight) return location.hash;
    const headings = [...document.querySelectorAll("article :is(h2, h3, h4)[id]")];
    const last = headings.findLast((one) => one.getBoundingClientRect().top < middle);
    return last ? `#${last.id}` : "";
  }

  function followHeading(link) {
    const follow = () => {
      link.hash = anchorInView();
    };
    link.addEventListener("click", () => {
      follow();
      rememberLanguage(link.dataset.language);
    });
    // A new tab, by the middle button or from the menu.
    link.addEventListener("auxclick", follow);
    link.addEventListener("contextmenu", follow);
  }

  /** Names for what the theme leaves nameless, so that screen readers can tell one from another. */
  function nameParts() {
    const query = document.querySelector(".md-search__input");
    document.querySelector(".md-search")?.setAttribute("aria-label", query?.ariaLabel ?? "");
    // A section that is a page of its own has its name in the link beside an empty label.
    document.querySelectorAll("nav.md-nav[aria-labelledby]").forEach((nav) => {
      const link = nav.parentElement?.querySelector(":scope > .md-nav__container > a");
      if (!link) return;
      nav.removeAttribute("aria-labelledby");
      nav.setAttribute("aria-label", link.textContent.trim());
    });
    const used = new Map();
    document.querySelectorAll("nav.md-code__nav").forEach((nav) => {
      const file = nav.closest("figure.snippet")?.querySelector(".snippet__download")?.textContent;
      const name = file ?? "code";
      const count = (used.get(name) ?? 0) + 1;
      used.set(name, count);
      nav.setAttribute("aria-label", count > 1 ? `${name} ${count}` : name);
    });
  }

  /** The second link at the top leads into the first tool, which works with scripts only. */
  function leadIntoTool() {
    const link = document.querySelector("[data-tools]");
    const tool = link && document.querySelector(link.dataset.tools);
    if (!tool) return;
    tool.id ||= "__tool";
    tool.tabIndex = -1;
    link.href = `#${tool.id}`;
    link.hidden = false;
  }

  /** What scrolls sideways must be reachable by keyboard; the theme sees to code alone. */
  function makeScrollersFocusable() {
    document.querySelectorAll(".md-typeset__scrollwrap, .tabbed-labels, .cell__text, .cell__picture").forEach((box) => {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  }

  // What a term means, beside the link to its entry in the glossary: on hover, on focus, and where
  // there is no pointer to hover with, on the first tap. The explanations are loaded with the first.
  const TERM = 'article a[href*="reference/glossary/#"]';
  const here = document.currentScript.src;
  const tip = document.createElement("div");
  tip.className = "term-tip";
  tip.id = "term-tip";
  tip.setAttribute("role", "tooltip");
  let explained = null;

  let explaining, copying;

  const loaded = (name) => new Promise((then) => {
    const script = document.createElement("script");
    script.src = new URL(name, here);
    script.onload = then;
    document.head.append(script);
  });

  function hideExplanation() {
    tip.remove();
    explained?.removeAttribute("aria-describedby");
    explained = null;
  }

  async function explain(link) {
    if (link === explained) return;
    hideExplanation();
    explained = link;
    await (explaining ??= loaded("terms.js"));
    const known = globalThis.guideTerms[decodeURIComponent(link.hash.slice(1))];
    if (!known || explained !== link) return;
    tip.textContent = known[1];
    document.body.append(tip);
    link.setAttribute("aria-describedby", tip.id);
    const word = link.getClientRects()[0];
    const left = Math.min(word.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
    const above = word.bottom + tip.offsetHeight + 8 > innerHeight;
    tip.style.left = `${scrollX + Math.max(8, left)}px`;
    tip.style.top = `${scrollY + (above ? word.top - tip.offsetHeight : word.bottom)}px`;
  }

  /** Shows what a link explains, or hides it once neither the link nor the text is pointed at. */
  function pointedAt({ target }) {
    const link = target.closest?.(TERM);
    if (link) explain(link);
    else if (explained && target !== tip && document.activeElement !== explained) hideExplanation();
  }

  addEventListener("pointerover", (event) => event.pointerType === "touch" || pointedAt(event));
  addEventListener("focusin", pointedAt);
  addEventListener("focusout", ({ target }) => target === explained && hideExplanation());
  addEventListener("keydown", ({ key }) => key === "Escape" && hideExplanation());
  let touched = false;
  addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "touch";
    if (touched && !event.target.closest(TERM)) hideExplanation();
  });
  addEventListener("click", (event) => {
    const link = touched && event.target.closest?.(TERM);
    if (!link || link.getAttribute("aria-describedby")) return; // a second tap follows the link
    event.preventDefault();
    event.stopPropagation(); // the theme would go there by itself
    explain(link);
  }, true);

  // "Copy page": its script is loaded by the first click.
  addEventListener("click", async ({ target }) => {
    const button = target.closest?.(".copy-page button");
    if (!button) return;
    await (copying ??= loaded("copy-page.js"));
    globalThis.guideCopyPage(button);
  });

  const searchBox = document.querySelector(".md-search__input");

  // The theme's search listens to keys alone: a paste by mouse or spoken words would find nothing.
  searchBox?.addEventListener("input", (event) => {
    event.target.dispatchEvent(new KeyboardEvent("keyup"));
  });

  // A box of one line would join the words at the ends of lines, and megabytes would hold up the page:
  // what is left here is more than the search looks at.
  const LONGEST_PASTE = 800_000;
  searchBox?.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (!/[\r\n]/.test(text) && text.length <= LONGEST_PASTE) return;
    event.preventDefault();
    const half = LONGEST_PASTE / 2;
    const kept = text.length > LONGEST_PASTE ? `${text.slice(0, half)} ${text.slice(-half)}` : text;
    searchBox.setRangeText(kept.replace(/[\r\n]+/g, " "), searchBox.selectionStart, searchBox.selectionEnd, "end");
    searchBox.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
  });

  document$.subscribe(() => {
    document.querySelectorAll("a[data-language]").forEach(followHeading);
    nameParts();
    leadIntoTool();
    makeScrollersFocusable();
  });
  addEventListener("resize", makeScrollersFocusable);
  // Inside a closed tab or a folded section, a table has no width.
  addEventListener("change", makeScrollersFocusable);
  addEventListener("toggle", makeScrollersFocusable, true);
})();
