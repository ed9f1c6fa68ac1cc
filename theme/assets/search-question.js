// What the search worker does besides searching: it looks for error messages in the question, prepares
// the question, and puts the answers in order.
//
// A message that the guide knows (errors.js) comes first, with its meaning, its fix, and links to what
// explains it. Whole tracebacks are looked at for that; of a long text, only a part is searched for.
//
// The theme looks for any of the words that were typed, and for all that begin like one. So of an
// error message that was pasted, "a", "to" and "is" find more than what the message is about, and its
// colons, quotes and brackets are operators to the theme, which may find nothing at all. Here the
// message becomes plain words, those of every sentence are left out, a word counts more than one that
// only begins like it, and a place counts more where words stand side by side as in the question.
"use strict";

const [SETUP, QUERY, RESULT] = [0, 2, 3]; // the theme's kinds of messages
const HAN = /\p{Script=Han}/u;
const WHOLE_WORD = 20; // how much more a word counts than one that only begins like it
const LONGEST_QUESTION = 400; // characters; of a longer one, what stands at its end, as in a traceback
const MOST_WORDS = 24;
const MOST_MESSAGES = 3;
const LEFT_OUT = new Set(
  ("a an and are as at be been but by can cannot could did do does for from get gets give gives had has have how i if " +
    "in into is it its like make makes may me my need no not of on or our please should so such than that the their " +
    "them then there these they this to too use used using want was way we were what when where which who why will " +
    "with without would you your 了 么 也 些 什么 会 何 你 几 和 哪 哪些 哪个 在 多少 如何 就 怎么 怎么办 怎样 我 把 是 是否 有 没 没有 为什么 的 着 里 要").split(" "),
);
let separator;
let hanWords; // the Chinese words of the index, in which nothing else says where a word ends
let longestHanWord;
let messages; // the error messages, each with the address of its own heading
let titles; // of each place of the site, as HTML
let found = []; // the messages in the question
let texts; // the text of each place of the site, as `spaced` writes it
let pairs = []; // what stands side by side in the question

addEventListener("message", ({ data: message }) => {
  if (message.type === SETUP) readIndex(message.data);
  if (message.type !== QUERY) return;
  found = foundIn(message.data, messages).slice(0, MOST_MESSAGES);
  const question = shortened(message.data);
  pairs = pairsOf(question);
  message.data = prepared(question); // the theme's worker hears of the message after this one
});

const send = self.postMessage;
self.postMessage = (message) => {
  if (message.type === RESULT) {
    order(message.data.items);
    const { items } = message.data;
    const best = items.length ? items[0][0].score : 0;
    items.unshift(...found.map((one, index) => shown(one, best + 1 / (index + 1))));
  }
  send.call(self, message);
};

function readIndex({ config, docs }) {
  const words = (one) => `${one.title} ${one.text} ${one.words ?? ""}`;
  separator = new RegExp(config.separator);
  hanWords = new Set(docs.flatMap((one) => words(one).match(/\p{Script=Han}+/gu) ?? []));
  longestHanWord = Math.max(0, ...[...hanWords].map((word) => word.length));
  messages = docs.filter((one) => one.message).map((one) => ({ ...one.message, heading: one.location }));
  titles = new Map(docs.map((one) => [one.location, one.title]));
  texts = new Map(docs.map((one) => [one.location, spaced(words(one).replace(/<[^>]+>/g, " "))]));
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

/** What was typed, as words in the theme's language of questions: `word^20 begin*`. */
function prepared(query) {
  const words = query
    .replace(/\btorch(?:\.\w+)*\.(\w)/gi, "$1") // of torch.cuda.device_count, device_count tells
    .toLowerCase()
    .split(separator)
    .map((word) => word.replace(/^[^\p{L}\p{N}_]+|['’].*$|[^\p{L}\p{N}_]+$/gu, ""))
    .flatMap((word) => (HAN.test(word) ? cut(word) : [word]))
    .filter((word) => word);
  const telling = words.filter((word) => !LEFT_OUT.has(word) && !/^\d+\.\d+$/.test(word));
  const kept = [...new Set(telling.length ? telling : words)].slice(0, MOST_WORDS);
  return kept.map((word, index) => clause(word, index === kept.length - 1)).join(" ");
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
  // The theme cuts up Chinese in a way of its own, but not where a backslash stands between.
  const uncut = HAN.test(word) ? [...word].join("\\") : word;
  const whole = `${uncut}^${WHOLE_WORD}`;
  // The last word may be half typed.
  return isLast || word.length > 2 ? `${whole} ${beginning(uncut)}*` : whole;
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

function pairsOf(query) {
  const words = spaced(query).trim().split(" ");
  return words.slice(1).map((word, index) => ` ${words[index]} ${word} `);
}

/** Put pages, and the places on a page, in the order of what they score with the pairs in them. */
function order(pages) {
  for (const places of pages) {
    for (const place of places) {
      const share = pairs.filter((pair) => texts.get(place.location).includes(pair)).length / (pairs.length || 1);
      place.score *= (1 + share) ** 2;
    }
    places.sort((one, other) => other.score - one.score);
  }
  pages.sort(([one], [other]) => other.score - one.score);
}
