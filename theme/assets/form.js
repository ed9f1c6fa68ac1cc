// What the forms of the tools share: making elements, and the page's address as the place where a
// form keeps what was filled in, so that an answer elsewhere can link to it.
(() => {
  "use strict";

  const make = (tag, attributes = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };
  /** Has the sheet make a card of each row on a phone, as site/narrow.py does for a page's own tables. */
  function cards(table, heads) {
    heads.slice(1).forEach((head, index) => table.style.setProperty(`--${index + 2}`, JSON.stringify(head)));
  }

  const stated = (field) => (field.type === "checkbox" ? String(Number(field.checked)) : field.value);
  const first = (given) => String(typeof given === "boolean" ? Number(given) : (given ?? ""));

  /** Puts into the fields what the address says of them; what a field does not allow is left out. */
  function recall(fields) {
    for (const [name, value] of new URL(location.href).searchParams) {
      const field = Object.hasOwn(fields, name) ? fields[name] : null;
      if (!field) continue;
      if (field.type === "checkbox") {
        field.checked = value === "1";
        continue;
      }
      const before = field.value;
      field.value = value;
      // A select that has no such option, or a number that is none, holds nothing now.
      if (field.value !== value || !field.validity.valid) field.value = before;
    }
  }

  /** Writes into the address what is not as at first; of other parameters nothing is changed. */
  function remember(fields, given = {}) {
    const address = new URL(location.href);
    for (const [name, field] of Object.entries(fields)) {
      if (name in given && stated(field) === first(given[name])) address.searchParams.delete(name);
      else address.searchParams.set(name, stated(field));
    }
    try {
      history.replaceState(history.state, "", address);
    } catch {
      // Some browsers let no file change its address: the answer stands all the same.
    }
  }

  // A tool adds itself to the list, whichever of the two files comes first: the theme's instant
  // navigation keeps no order.
  const form = { make, cards, recall, remember };
  for (const tool of globalThis.guideForms ?? []) tool(form);
  globalThis.guideForms = { push: (tool) => tool(form) };
})();
