// What the list below the search box shows: the error messages in the question, each with its meaning, its
// fix and links to what explains it, then the pages that were found, with the words of the question marked. Of
// a name, its home comes first, and of a question in plain words what answers it.
"use strict";

const MOST_MESSAGES = 3;
const SHORTEST_PART = 3; // words of a message,
const SHORTEST_CHINESE_PART = 6; // or Chinese characters, that are taken for a part of it,
const MOST_MEANT = 6; // unless more messages have them
const MOST_PAGES = 30;
const MOST_PLACES = 8; // of a page
const MOST_BLOCKS = 2; // paragraphs, lists or pieces of code that are shown of a place
const MOST_LINES = 8; // of a piece of code
let messages; // the error messages, each with the address of its own heading
let diagnosis; // the page that looks at whole texts
let shown; // by address, the title and text of each place, as HTML

function readMessages({ docs }) {
  messages = docs.filter((one) => one.message).map((one) => ({ ...one.message, heading: one.location }));
  diagnosis = docs.find((one) => one.location === "reference/diagnose/");
  shown = new Map(docs.map(({ location, title, text }) => [location, { location, title, text }]));
}

/** What the theme shows of a question: lists of places, one for each page, and how the word that is being
    typed may end. Whole tracebacks are looked at for messages; of a long text, only a part is searched for. */
function answer(typed) {
  const whole = foundIn(typed, messages);
  const found = (whole.length ? whole : withPart(typed)).slice(0, MOST_MESSAGES);
  const question = shortened(typed, found);
  const concepts = conceptsOf(question);
  const asked = concepts.map((concept, index) => waysOf(concept, index === concepts.length - 1));
  const marks = patternOf(asked.flat());
  const home = homeOf(typed) ?? titled(typed);
  const said = pagesOn(question, homesIn(question));
  const pages = home === undefined ? said : withHome(said, home);
  const best = said.length ? said[0][0].score : 0;
  const items = found.map((one, index) => ofMessage(one, best + 1 / (index + 1)));
  if (home !== undefined) {
    pages[0][0].score = best + 2; // before a message that has the same words
    items.unshift(pages.shift().slice(0, MOST_PLACES).map((place) => ofPlace(place, concepts, asked, marks)));
  }
  if (typed.length > LONGEST_QUESTION && diagnosis) {
    const { location, title, about } = diagnosis;
    items.push([{ location, title, text: escaped(about ?? ""), score: best, terms: {} }]);
  }
  for (const page of pages.slice(0, MOST_PAGES)) {
    const first = page.slice(0, MOST_PLACES);
    const itself = page.slice(MOST_PLACES).filter(({ location }) => !location.includes("#"));
    items.push([...first, ...itself].map((place) => ofPlace(place, concepts, asked, marks)));
  }
  return { items, suggest: endings(question, pages) };
}

/** The messages of which the question is a part, as of those that somebody types and does not paste:
    the frequent ones first. Of a part that many messages have, those of which it is the larger half.
    Who types leaves out quotes and colons, misspells words, and begins with what every error begins with. */
function withPart(question) {
  if (question.length > LONGEST_QUESTION) return [];
  const typed = bare(plain(question)).replace(/[\s…]+$/, "");
  const part = typed.replace(/\w{4,}/g, (word) => meant(word)[0] ?? word);
  const tail = part.replace(/^.*(?:error|exception) /, "");
  for (const one of new Set([part, tail])) {
    const found = withWords(one);
    if (found.length) return found;
  }
  return [];
}

function withWords(part) {
  const those = (test) => {
    const found = messages.filter((one) => (one.bare ??= one.says.map((wording) => pieces(wording).map(bare))).some(test));
    return found.sort((one, other) => one.rank - other.rank);
  };
  const whole = those((wording) => wording.length === 1 && wording[0] === part);
  const chinese = HAN.test(part);
  const short = chinese ? part.length < SHORTEST_CHINESE_PART : part.split(/[^\w.]+/).length < SHORTEST_PART; // torch.cuda.init is one word
  if (whole.length || short) return whole;
  const before = chinese ? "" : " ";
  const has = (piece) => (before + piece).includes(before + part);
  const isMostOf = (piece) => has(piece) && piece.length < 2 * part.length;
  const all = those((wording) => wording.some(has));
  const found = all.length > MOST_MEANT ? those((wording) => wording.some(isMostOf)) : all;
  return found.length > MOST_MEANT ? [] : found;
}

/** A text without quotes, brackets and the marks at the end of words. */
function bare(text) {
  return text.replace(/['"`()[\]]|[.,:;!?]+(?= |$)/g, "");
}

/** A message as the theme shows a page: the message leads to what explains it, and below stand what it
    means and what to do, which lead to the message's own heading. Enter opens what has the best score. */
function ofMessage({ says, page, heading, told }, score) {
  const list = shown.get(heading.split("#")[0]).title;
  // The theme shows as the page what has no # in its address, or else what is last.
  return [
    { location: heading, title: list, text: told, score: 0, terms: {} },
    { location: page, title: escaped(says[0]), text: "", score, terms: {} },
  ];
}

function escaped(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => names[character]);
}

/** A place as the theme shows it. By `terms` it lists the words that are missing, and marks on the page
    itself those that are not. */
function ofPlace({ location, score }, concepts, asked, marks) {
  const { title, text } = shown.get(location);
  const place = places.get(location);
  const terms = {};
  for (const [index, ways] of asked.entries()) {
    const way = ways.find((one) => one.places.has(place));
    terms[way ? wordsOf(way).join(HAN.test(way.text) ? "" : " ") : concepts[index][0]] = way !== undefined;
  }
  return { location, score, terms, title: marked(title, marks), text: marked(blocksWith(text, marks), marks) };
}

function wordsOf({ text }) {
  return text.trim().split(" ");
}

/** What finds the words in HTML, and passes by tags and the names of characters. */
function patternOf(ways) {
  const letter = "[\\p{Script=Latin}\\p{N}_]";
  const words = ways.map((way) => {
    // Between two words stands anything; between two Chinese characters, where a word may end.
    const pattern = wordsOf(way).join(HAN.test(way.text) ? "\\u200b?" : `(?:(?!${letter})[^<>&])+`);
    if (HAN.test(way.text)) return pattern;
    return `(?<!${letter})${pattern}${way.text.endsWith(" ") ? `(?!${letter})` : `${letter}*`}`;
  });
  words.sort((one, other) => other.length - one.length);
  return new RegExp(`<[^>]*>|&#?\\w+;|(${words.join("|") || "(?!)"})`, "giu");
}

function marked(html, marks) {
  return html.replace(marks, (all, word) => (word ? `<mark>${word}</mark>` : all));
}

/** The blocks of the text in which most of the words stand, or its first if none does. */
function blocksWith(html, marks) {
  const blocks = blocksOf(html).map((block) => {
    const words = [...block.matchAll(marks)].flatMap(([, word]) => word?.toLowerCase() ?? []);
    return { block, count: new Set(words).size };
  });
  const best = [...blocks].sort((one, other) => other.count - one.count).slice(0, MOST_BLOCKS);
  const kept = best[0]?.count ? blocks.filter((one) => one.count && best.includes(one)) : blocks.slice(0, 1);
  return kept.map(({ block }) => (block.startsWith("<pre") ? linesAround(block, marks) : block)).join("");
}

/** Of a piece of code the lines from shortly before the first that has a word. */
function linesAround(block, marks) {
  const [, open, code, close] = block.match(/^((?:<[^>]*>)*)([^]*?)((?:<[^>]*>)*)$/);
  const lines = code.split("\n");
  const first = lines.findIndex((line) => [...line.matchAll(marks)].some(([, word]) => word));
  const from = Math.max(0, Math.min(first - 2, lines.length - MOST_LINES));
  return open + lines.slice(from, from + MOST_LINES).join("\n") + close;
}

/** The elements of a text, without those inside them, and what stands between them. */
function blocksOf(html) {
  const blocks = [];
  let depth = 0;
  let start = 0;
  for (const { 0: tag, index } of html.matchAll(/<[^>]*>/g)) {
    if (depth === 0) {
      blocks.push(html.slice(start, index));
      start = index;
    }
    if (tag.startsWith("</")) depth--;
    else if (!tag.endsWith("/>")) depth++;
    if (depth === 0) {
      blocks.push(html.slice(start, index + tag.length));
      start = index + tag.length;
    }
  }
  return [...blocks, html.slice(start)].filter((block) => block.trim());
}

/** How the word that is being typed ends in the title of the first place that has it. */
function endings(question, pages) {
  const typed = question.toLowerCase().split(/[\s-]+/).pop();
  if (!typed) return [];
  for (const { location } of pages.flat()) {
    const words = shown.get(location).title.replace(/<[^>]*>/g, " ").toLowerCase().split(separator);
    const longer = words.find((word) => word.startsWith(typed) && word !== typed);
    if (longer) return [longer];
  }
  return [];
}
