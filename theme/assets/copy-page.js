// Copies the Markdown of a page, to which the link beside the button leads. guide.js loads this.
globalThis.guideCopyPage = async (button) => {
  "use strict";

  const link = button.nextElementSibling;
  let said = link.nextElementSibling;
  if (!said) {
    said = document.createElement("span");
    said.setAttribute("role", "status");
    link.after(" ", said);
  }
  said.textContent = "";

  /** The old way, which also works where the page did not come by HTTPS. */
  function copySelected(text) {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    button.focus();
    if (!done) throw new Error("not copied");
  }

  try {
    const text = fetch(link.href).then((answer) => {
      if (!answer.ok) throw new Error(answer.statusText);
      return answer.text();
    });
    if (navigator.clipboard && globalThis.ClipboardItem) {
      // Handed over as a promise, because Safari allows it only while it handles the click.
      const blob = text.then((it) => new Blob([it], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    } else {
      copySelected(await text);
    }
    said.textContent = button.dataset.said;
  } catch {
    location.href = link.href; // there it can be selected
  }
};
