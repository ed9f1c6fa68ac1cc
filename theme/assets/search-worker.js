// The search worker that each page starts. It is small, because most pages are read without a search:
// the theme's worker, which searches, search-question.js, which prepares the question and puts the
// answers in order, and errors.js, which knows error messages, come with the index.
"use strict";

addEventListener("message", (event) => {
  if (!event.isTrusted || self.lunr) return;
  importScripts("errors.js", "search-question.js", `javascripts/workers/${new URLSearchParams(location.search).get("theme")}`);
  // What was just loaded has missed this first message.
  dispatchEvent(new MessageEvent("message", { data: event.data }));
});
