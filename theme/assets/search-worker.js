// The search worker that each page starts, in the place of the theme's, whose messages it understands.
// It is small, because most pages are read without a search. What answers comes with the index:
// errors.js knows error messages, search-question.js finds out what the question is about,
// search-places.js which places of the site say the most on that, and search-results.js what the list shows.
//
// The theme's worker would spend its first second on an index of every word (lunr), and would then be
// asked for little more than which places have one. A guide of this size is looked through in less
// time than a key takes, so nothing has to be built before the first answer.
"use strict";

const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3]; // the theme's kinds of messages

addEventListener("message", ({ data: { type, data } }) => {
  if (type === SETUP) {
    // From a folder on disk they stand above: gpu_guide/site/offline.py.
    if (!self.foundIn) importScripts("errors.js", "search-question.js", "search-places.js", "search-results.js");
    readWords(data);
    readPlaces(data);
    readMessages(data);
    postMessage({ type: READY });
  } else if (type === QUERY) {
    postMessage({ type: RESULT, data: answer(data) });
  }
});
