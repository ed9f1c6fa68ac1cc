// What the search worker does besides searching: it looks for error messages in the question, prepares
// the question, and puts the answers in order.
//
// A message that the guide knows (errors.js) comes first, with its meaning, its fix, and links to what
// explains it. Whole tracebacks are looked at for that; of a long text, only a part is searched for.
//
// The theme looks for any of the words that were typed, and for all that begin like one. So of an
// error message that was pasted, "a", "to" and "is" find more than what the message is about, and its
// colons, quotes and brackets are operators to the theme, which may find nothing at all. Here the
// message becomes plain words, those of every sentence are left out, and words that mean the same are
// looked for, too (data/search_synonyms.yml). Of what the theme finds, the pages that name the rarer words
// come first: in their title, in their description, or at least in one place of their text, and the more
// so where words stand side by side as in the question.
"use strict";

const [SETUP, QUERY, RESULT] = [0, 2, 3]; // the theme's kinds of messages
const HAN = /\p{Script=Han}/u;
const WHOLE_WORD = 20; // how much more a word counts than one that only begins like it
const LONGEST_QUESTION = 400; // characters; of a longer one, what stands at its end, as in a traceback
const MOST_WORDS = 24;
const MOST_MESSAGES = 3;
// What counts how much, where a word of a text that stands there as it was typed counts 1.
const PAGE_TITLE = 3;
const TITLE = 2.5;
const ABOUT = 2;
const OF_SYNONYMS = 0.7;
const OF_BEGINNINGS = 0.7;
const LESS = [
  [/^(?:reference\/(?!stand-in).*)?$/, 0.35], // lists of what others explain, and the home page
  [/^labs\//, 0.7], // exercises
];
const OFTEN = 6; // times that a word has to stand in a text to count half as much again
const LEFT_OUT = new Set(
  ("a an and are as at be been but by can cannot could did do does for from get gets give gives had has have how i if " +
    "in into is it its like make makes may me my need no not of on or our please should so such than that the their " +
    "them then there these they this to too use used using want was way we were what when where which who why will " +
    "with without would you your 了 么 也 些 什么 会 何 你 几 和 哪 哪些 哪个 在 多少 如何 就 怎么 怎么办 怎样 我 把 是 是否 有 没 没有 为什么 的 着 里 要 用 用上 有用 没用 没有用 有没有").split(" "),
);
let separator;
let hanWords; // the Chinese words of the index, in which nothing else says where a word ends
let longestHanWord;
let messages; // the error messages, each with the address of its own heading
let titles; // of each place of the site, as HTML
let found = []; // the messages in the question
let diagnosis; // the page that looks at whole texts
let long = false; // whether the question is such a text
let texts; // the text of each place of the site, as `spaced` writes it
let synonyms; // of a word, the words that mean the same
let concepts = []; // what the question is about
let pairs = []; // what stands side by side in the question

addEventListener("message", ({ data: message }) => {
  if (message.type === SETUP) readIndex(message.data);
  if (message.type !== QUERY) return;
  found = foundIn(message.data, messages).slice(0, MOST_MESSAGES);
  long = message.data.length > LONGEST_QUESTION;
  const question = shortened(message.data);
  pairs = pairsOf(question);
  concepts = conceptsOf(question);
  message.data = prepared(concepts); // the theme's worker hears of the message after this one
});

const send = self.postMessage;
self.postMessage = (message) => {
  if (message.type === RESULT) {
    order(message.data.items);
    const { items } = message.data;
    const best = items.length ? items[0][0].score : 0;
    const first = found.map((one, index) => shown(one, best + 1 / (index + 1)));
    if (long && diagnosis) {
      const { location, title, about } = diagnosis;
      first.push([{ location, title, text: escaped(about ?? ""), score: best, terms: {} }]);
    }
    items.unshift(...first);
  }
  send.call(self, message);
};

function readIndex({ config, docs }) {
  const words = (one) => `${one.title} ${one.text} ${one.words ?? ""}`;
  separator = new RegExp(config.separator);
  synonyms = new Map();
  for (const group of config.synonyms) {
    for (const word of group) {
      synonyms.set(word, [...(synonyms.get(word) ?? []), ...group.filter((other) => other !== word)]);
    }
  }
  const known = [...docs.map(words), ...synonyms.keys()];
  hanWords = new Set(known.flatMap((text) => text.match(/\p{Script=Han}+/gu) ?? []));
  longestHanWord = Math.max(0, ...[...hanWords].map((word) => word.length));
  messages = docs.filter((one) => one.message).map((one) => ({ ...one.message, heading: one.location }));
  diagnosis = docs.find((one) => one.location === "reference/diagnose/");
  titles = new Map(docs.map((one) => [one.location, one.title]));
  const bare = (html) => spaced((html ?? "").replace(/<[^>]+>/g, " "));
  texts = new Map(
    docs.map((one) => {
      const [title, words, about, text] = [one.title, one.words, one.about, one.text].map(bare);
      return [one.location, { title, words, about, text, all: title + words + about + text, dense: dense(title + words + about + text) }];
    }),
  );
}

/** A message as the theme shows a page: the message leads to what explains it, and below stand what it
    means and what to do, which lead to the message's own heading. Enter opens what has the best score. */
function shown({ says, page, heading, means, fix }, score) {
  const list = titles.get(heading.split("#")[0]);
  const text = `${escaped(means)} ${escaped(fix)}`;
  // The theme shows as the page what has no # in its address, or else what is last.
  return [
    { location: heading, title: list, text, score: 0, terms: {} },
    { location: page, title: escaped(says[0]), text: "", score, terms: {} },
  ];
}

function escaped(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => names[character]);
}

/** What of the question is searched for. */
function shortened(question) {
  if (question.length <= LONGEST_QUESTION) return question;
  return found.length ? found[0].says[0] : question.slice(-LONGEST_QUESTION);
}

/** What the question is about: for each word, how it may be written, itself first. */
function conceptsOf(question) {
  const words = question
    .replace(/\btorch(?:\.\w+)*\.(\w)/gi, "$1") // of torch.cuda.device_count, device_count tells
    .toLowerCase()
    .split(separator)
    .map((word) => word.replace(/^[^\p{L}\p{N}_]+|['’].*$|[^\p{L}\p{N}_]+$/gu, ""))
    .flatMap((word) => (HAN.test(word) ? cut(word) : [word]))
    .filter((word) => word);
  const telling = words.filter((word) => !LEFT_OUT.has(word) && !/^\d+\.\d+$/.test(word));
  const kept = [...new Set(telling.length ? telling : words)].slice(0, MOST_WORDS);
  return kept.map((word) => [word, ...(synonyms.get(word) ?? [])]);
}

/** The concepts as words in the theme's language of questions: `word^20 begin*`. */
function prepared(asked) {
  const clauses = asked.flatMap(([word, ...others], index) => [
    clause(word, index === asked.length - 1),
    ...others.flatMap((other) => other.split(separator)).map((other) => `${uncut(other)}^${WHOLE_WORD / 2}`),
  ]);
  return [...new Set(clauses)].join(" ");
}

/** The words of the index in a run of Chinese, overlapping ones too, and characters in none. */
function cut(run) {
  const found = [];
  let end = 0;
  for (let from = 0; from < run.length; from++) {
    for (let to = Math.min(run.length, from + longestHanWord); to > from + 1; to--) {
      if (!hanWords.has(run.slice(from, to))) continue;
      found.push(run.slice(from, to));
      end = Math.max(end, to);
    }
    if (from >= end) found.push(run[from]);
  }
  return found;
}

function clause(word, isLast) {
  const whole = `${uncut(word)}^${WHOLE_WORD}`;
  // The last word may be half typed.
  return isLast || word.length > 2 ? `${whole} ${beginning(uncut(word))}*` : whole;
}

/** The theme cuts up Chinese in a way of its own, but not where a backslash stands between. */
function uncut(word) {
  return HAN.test(word) ? [...word].join("\\") : word;
}

/** What `move`, `moves`, `moved` and `moving` have in common. */
function beginning(word) {
  return /^[a-z]{4,}$/.test(word) ? word.replace(/(?:e|es|ed|ing|s)$/, "") : word;
}

/** Latin words and single Chinese characters, with a blank before and after each. */
function spaced(text) {
  const words = text.toLowerCase().match(/[\p{Script=Latin}\p{N}_]+|\p{Script=Han}/gu) ?? [];
  return ` ${words.join(" ")} `;
}

/** What `spaced` writes, without the words of every sentence. */
function dense(text) {
  const words = text.split(" ").filter((word) => word && !LEFT_OUT.has(word));
  return ` ${words.join(" ")} `;
}

function pairsOf(query) {
  const words = dense(spaced(query)).trim().split(" ");
  return words.slice(1).map((word, index) => ` ${words[index]} ${word} `);
}

/** Put pages, and the places on a page, in the order of what they say on the concepts of the question. */
function order(pages) {
  const asked = concepts.map(waysOf);
  const rarities = asked.map(rarity);
  for (const places of pages) {
    const page = places[0].location.split("#")[0];
    const inPage = asked.map((ways) => strength(ways, texts.get(page), PAGE_TITLE));
    const inPlaces = places.map((place) => asked.map((ways) => strength(ways, texts.get(place.location), TITLE)));
    for (const [number, place] of places.entries()) {
      const here = texts.get(place.location).dense;
      const share = pairs.filter((pair) => here.includes(pair)).length / (pairs.length || 1);
      place.score = sum(inPlaces[number].map((one, index) => one * rarities[index])) * (1 + share) ** 2;
    }
    const best = inPage.map((one, index) => Math.max(one, ...inPlaces.map((place) => place[index])));
    const whole = sum(inPage.map((one, index) => (one + best[index] / 2) * rarities[index]));
    const top = Math.max(...places.map((place) => place.score));
    const scale = (1 + whole / (top || 1)) * (LESS.find(([pages]) => pages.test(page))?.[1] ?? 1);
    for (const place of places) place.score *= scale;
    places.sort((one, other) => other.score - one.score);
  }
  pages.sort(([one], [other]) => other.score - one.score);
}

function sum(numbers) {
  return numbers.reduce((all, one) => all + one, 0);
}

/** How a concept may stand in a text, and how much each way counts. */
function waysOf(concept) {
  return concept.flatMap((word, index) => {
    const weight = index ? OF_SYNONYMS : 1;
    const whole = { text: spaced(word), weight };
    if (HAN.test(word) || word.length < 3) return [whole];
    return [whole, { text: spaced(beginning(word)).trimEnd(), weight: weight * OF_BEGINNINGS }];
  });
}

/** How much a concept tells: the fewer places have it, the more. */
function rarity(ways) {
  let count = 0;
  for (const { all } of texts.values()) count += ways.some(({ text }) => all.includes(text));
  return Math.log(1 + texts.size / (1 + count));
}

/** How strongly a place speaks of a concept: in its title or only in its text, as typed or otherwise. */
function strength(ways, { title, words, about, text, all }, ofTitle) {
  let best = 0;
  for (const way of ways) {
    if (best >= way.weight * ofTitle || !all.includes(way.text)) continue;
    const named = title.includes(way.text) || words.includes(way.text);
    const often = Math.min(OFTEN, text.split(way.text).length - 1);
    const told = about.includes(way.text) ? ABOUT : 1;
    best = Math.max(best, way.weight * (named ? ofTitle : told + often / (2 * OFTEN)));
  }
  return best;
}
