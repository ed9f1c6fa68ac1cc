// The places of the site, which are pages and sections, and in which of them a word of the question stands.
"use strict";

const MOST_KEPT = 400; // texts of which is remembered where they stand
let places; // by address, the texts of each place as `spaced` writes them
const standsIn = new Map(); // by text, the places that have it: of a question, most stood in the one typed before

function readPlaces({ docs }) {
  const bare = (html) => spaced((html ?? "").replace(/<[^>]+>/g, " "));
  places = new Map(
    docs.map((one) => {
      const [title, words, about, text] = [one.title, one.words, one.about, one.text].map(bare);
      return [one.location, { title, words, about, text, all: title + words + about + text }];
    }),
  );
  standsIn.clear();
  meanings.clear();
}

/** The places in which the text stands, looked for where its beginning is known to stand. */
function placesWith(text) {
  if (!standsIn.has(text)) {
    let end = Math.max(0, text.length - 1);
    while (end && !standsIn.has(text.slice(0, end))) end--;
    const among = standsIn.get(text.slice(0, end)) ?? places.values();
    if (standsIn.size >= MOST_KEPT) standsIn.delete(standsIn.keys().next().value);
    standsIn.set(text, new Set([...among].filter(({ all }) => all.includes(text))));
  }
  return standsIn.get(text);
}

/** The page of which the question is the title. */
function titled(question) {
  const typed = spaced(question);
  for (const [location, { title }] of places) if (title === typed && typed.trim() && !location.includes("#")) return location;
}

function sum(numbers) {
  return numbers.reduce((all, one) => all + one, 0);
}

/** How a concept may stand in a text, and where it does. The last may be half typed. */
function waysOf(concept, isLast) {
  const way = (text) => ({ text, places: placesWith(text) });
  return concept.flatMap((word, index) => {
    const whole = spaced(word);
    if (!whole.trim()) return []; // letters of a script in which the guide has no word
    if (HAN.test(word) || (word.length < 3 && !(isLast && !index))) return [way(whole)];
    return [way(whole), way(spaced(beginning(word)).trimEnd())];
  });
}
