// Which places of the site say the most on a question, best first, by page.
//
// A place, which is a page or a section, is one that has at least one of the question's words. Those that
// name the rarer words come first: in their title, in their description, or at least in one place of
// their text, and the more so where words stand side by side as in the question.
"use strict";

// What counts how much, where a word of a text that stands there as it was typed counts 1.
const PAGE_TITLE = 3;
const TITLE = 2.5;
const ABOUT = 2;
const FILLS_TITLE = 0.3; // how much more, where the title has no other word
const OF_SYNONYMS = 0.7;
const OF_BEGINNINGS = 0.7;
const LESS = [
  [/^(?:reference\/(?!stand-in).*)?$/, 0.35], // lists of what others explain, and the home page
  [/^labs\//, 0.7], // exercises
];
const OF_HOME = 2; // the home of a name that is asked about with other words
const OFTEN = 6; // times that a word has to stand in a text to count half as much again
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
    let end = text.length - 1;
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

/** The places that have a concept of the question, as lists of { location, score }, one for each page.
    The page itself is in its list, whether or not it has one. `asked` are the ways of each concept. */
function pagesOn(asked, pairs, homesNamed, near) {
  const pages = new Map();
  const counts = asked.map(() => 0);
  for (const [location, place] of places) {
    let has = false;
    for (const [index, ways] of asked.entries()) {
      if (!ways.some((way) => way.places.has(place))) continue;
      counts[index]++;
      has = true;
    }
    if (!has) continue;
    const page = location.split("#")[0];
    if (!pages.has(page)) pages.set(page, [{ location: page }]);
    if (location !== page) pages.get(page).push({ location });
  }
  // The fewer places have a concept, the more it tells.
  const rarities = counts.map((count) => Math.log(1 + places.size / (1 + count)));
  const found = [...pages.values()];
  order(found, asked, rarities, pairs, homesNamed, near);
  return found;
}

/** Put pages, and the places on a page, in the order of what they say on the concepts of the question. */
function order(pages, asked, rarities, pairs, homesNamed, near) {
  for (const here of pages) {
    const page = here[0].location;
    const inPage = asked.map((ways) => strength(ways, places.get(page), PAGE_TITLE));
    const inPlaces = here.map(({ location }) => asked.map((ways) => strength(ways, places.get(location), TITLE)));
    for (const [number, place] of here.entries()) {
      const texts = places.get(place.location);
      if (pairs.length) texts.dense ??= dense(texts.all);
      const share = pairs.filter((pair) => texts.dense.includes(pair)).length / (pairs.length || 1);
      place.score = sum(inPlaces[number].map((one, index) => one * rarities[index])) * (1 + share) ** 2;
    }
    const best = inPage.map((one, index) => Math.max(one, ...inPlaces.map((place) => place[index])));
    const whole = sum(inPage.map((one, index) => (one + best[index] / 2) * rarities[index]));
    const top = Math.max(...here.map((place) => place.score));
    const scale = (1 + whole / (top || 1)) * (LESS.find(([pages]) => pages.test(page))?.[1] ?? 1);
    for (const place of here) {
      const likely = 1 + OF_NEARLY * (near.get(place.location) ?? 0);
      place.score *= scale * likely * (homesNamed.has(place.location) ? OF_HOME : 1);
    }
    here.sort((one, other) => other.score - one.score);
  }
  pages.sort(([one], [other]) => other.score - one.score);
}

function sum(numbers) {
  return numbers.reduce((all, one) => all + one, 0);
}

/** How a concept may stand in a text, where it does, and how much each way counts. The last may be half typed. */
function waysOf(concept, isLast) {
  const way = (text, weight) => ({ text, weight, places: placesWith(text) });
  return concept.flatMap((word, index) => {
    const weight = index ? OF_SYNONYMS : 1;
    const whole = spaced(word);
    if (!whole.trim()) return []; // letters of a script in which the guide has no word
    if (HAN.test(word) || (word.length < 3 && !(isLast && !index))) return [way(whole, weight)];
    const begun = way(spaced(beginning(word)).trimEnd(), weight * OF_BEGINNINGS);
    return [way(whole, weight), begun];
  });
}

/** How strongly a place speaks of a concept: in its title or only in its text, as typed or otherwise. */
function strength(ways, place, ofTitle) {
  const { title, words, about, text } = place;
  let best = 0;
  for (const way of ways) {
    if (best >= way.weight * ofTitle * (1 + FILLS_TITLE) || !way.places.has(place)) continue;
    const named = Math.max(...[title, words].map((one) => (one.includes(way.text) ? way.text.length / one.length : 0)));
    const told = () => (about.includes(way.text) ? ABOUT : 1) + times(way.text, text) / (2 * OFTEN);
    best = Math.max(best, way.weight * (named ? ofTitle * (1 + FILLS_TITLE * named) : told()));
  }
  return best;
}

/** How many times it stands in the text, counted as far as it counts. */
function times(part, text) {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0 && count < OFTEN; at = text.indexOf(part, at + part.length - 1)) count++;
  return count;
}
