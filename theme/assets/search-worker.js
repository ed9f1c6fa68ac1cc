// The search worker that each page starts, in the place of the theme's, whose messages it understands.
// It is small, because most pages are read without a search. What answers is loaded along with the index:
// errors.js knows error messages, search-question.js finds out what the question is about,
// search-places.js where its words stand, search-names.js where a name is at home, search-ranking.js in
// which order sections answer, and search-results.js what the list shows.
//
// The theme's worker would spend its first second on an index of every word (lunr), and would then be
// asked for little more than which places have one. What search-ranking.js counts instead takes part of
// that, and it waits for the first question.
"use strict";

const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3]; // the theme's kinds of messages

let isReady = false;
const held = []; // what the box of the home page (door.js) has asked before the index was there

function tell({ question, number }) {
  postMessage({ type: "told", data: { number, items: answer(question).items } });
}

/** Load what answers, of which gpu_guide/site/search.py makes one file. From a folder on disk it stands above: gpu_guide/site/offline.py. */
function prepare() {
  if (!self.foundIn) importScripts("search-answers.js");
}

addEventListener("message", ({ data: { type, data } }) => {
  if (type === "prepare") {
    prepare(); // theme/partials/late-index.html asks for it
  } else if (type === SETUP) {
    prepare();
    readWords(data);
    readPlaces(data);
    readHomes(data);
    readRanking(data);
    readMessages(data);
    postMessage({ type: READY });
    isReady = true;
    held.splice(0).forEach(tell);
  } else if (type === QUERY) {
    postMessage({ type: RESULT, data: answer(data) });
  } else if (type === "ask") {
    if (isReady) tell(data);
    else held.splice(0, 1, data); // only the last question counts
  }
});
