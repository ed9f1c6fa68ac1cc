// What a question is about: its concepts, each a word with those that mean the same
// (data/search_synonyms.yml).
//
// An error message that was pasted has words such as "a", "to" and "is", which are in every text, and
// colons, quotes and brackets, which are in no word. So the question becomes plain words, and those of
// every sentence are left out.
"use strict";

const HAN = /[\u3400-\u9fff]/;
// Ranges are looked for twice as fast as \p{Script=Han}, \p{Script=Latin} and \p{N}, of which the guide has no others.
const WORDS_AND_HAN = /[a-z0-9_\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\xd6\xd8-\xf6\xf8-\u024f\u2070-\u209c]+|[\u3400-\u9fff]/g;
const LONGEST_QUESTION = 400; // characters; of a longer one, what stands at its end, as in a traceback
const MOST_WORDS = 24;
const LONG_NAME = 10; // letters; so long a name may be misspelled in two places
const LEFT_OUT = new Set(
  ("a an and are as at be been but by can cannot could did do does for from get gets give gives had has have how i if " +
    "in into is it its like make makes may me my need needed needs no not of on or our please should so such than that the their " +
    "them then there these they this to too use used using want was way we were what when where which who why will " +
    "with without would you your 了 么 也 些 什么 会 何 你 几 吗 呢 该 应该 和 哪 哪些 哪个 在 多少 如何 就 怎么 怎么办 怎样 我 把 是 是否 有 没 没有 为什么 的 着 里 要 用 用上 有用 没用 没有用 有没有").split(" "),
);
let separator;
let chineseWords; // those of the index, because in Chinese nothing else says where a word ends
let longestChineseWord;
let synonyms; // of a word, the words that mean the same
let wordCounts; // of the guide's words, counted once one is misspelled
const meanings = new Map(); // of a misspelled word, what was meant: it is asked for with each letter that follows

function readWords({ config }) {
  separator = new RegExp(config.separator);
  synonyms = new Map();
  for (const group of config.synonyms) {
    for (const word of group) {
      synonyms.set(word, [...(synonyms.get(word) ?? []), ...group.filter((other) => other !== word)]);
    }
  }
  chineseWords = new Set(config.chinese_words);
  longestChineseWord = Math.max(0, ...config.chinese_words.map((word) => word.length));
}

/** What of the question is searched for, where the messages `found` are in it. */
function shortened(question, found) {
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
  return kept.map((word) => [word, ...(synonyms.get(word) ?? meant(word))]);
}

/** The word of the guide that was meant by one that is nowhere in it: of those that have a letter more,
    less, other, or two exchanged, the one that stands in the most places. Of a long name, twice. */
function meant(word) {
  if (!/^[a-z]{4,}$|^[a-z][a-z0-9]*_[a-z0-9_]+$/.test(word) || placesWith(` ${word}`).size) return [];
  if (!meanings.has(word)) meanings.set(word, nearest(word));
  return meanings.get(word);
}

function nearest(word) {
  wordCounts ??= countsOfWords();
  const digits = (text) => text.replace(/[^0-9]/g, "");
  let best = [];
  for (const slips of word.length < LONG_NAME ? [1] : [1, 2]) {
    for (const [other, count] of wordCounts) {
      if (count <= (wordCounts.get(best[0]) ?? 0) || !isNear(word, other, slips)) continue;
      if (digits(word) === digits(other)) best = [other]; // sm_121 is another name, and not a slip of the finger
    }
    if (best.length) break;
  }
  return best;
}

/** In how many places each longer Latin word stands. */
function countsOfWords() {
  const found = new Map();
  for (const { all } of places.values()) {
    for (const word of new Set(all.match(/[a-z][a-z0-9_]{3,}/g))) found.set(word, (found.get(word) ?? 0) + 1);
  }
  return found;
}

function isNear(one, other, slips) {
  if (Math.abs(one.length - other.length) > slips) return false;
  let begin = 0;
  while (begin < one.length && one[begin] === other[begin]) begin++;
  const [rest, others] = [one.slice(begin), other.slice(begin)];
  if (!slips || !rest || !others) return rest.length + others.length <= slips;
  const [shorter, shorterOther] = [rest.slice(1), others.slice(1)];
  if (isNear(shorter, others, slips - 1) || isNear(rest, shorterOther, slips - 1)) return true;
  if (isNear(shorter, shorterOther, slips - 1)) return true;
  return rest[0] === others[1] && rest[1] === others[0] && isNear(rest.slice(2), others.slice(2), slips - 1);
}

/** The words of the index in a run of Chinese, overlapping ones too, and characters in none. */
function cut(run) {
  const found = [];
  let end = 0;
  for (let from = 0; from < run.length; from++) {
    for (let to = Math.min(run.length, from + longestChineseWord); to > from + 1; to--) {
      if (!chineseWords.has(run.slice(from, to))) continue;
      found.push(run.slice(from, to));
      end = Math.max(end, to);
    }
    if (from >= end) found.push(run[from]);
  }
  return found;
}

/** What `move`, `moves`, `moved` and `moving` have in common. */
function beginning(word) {
  return /^[a-z]{4,}$/.test(word) ? word.replace(/(?:e|es|ed|ing|s)$/, "") : word;
}

/** Latin words and single Chinese characters, with a blank before and after each. */
function spaced(text) {
  const words = text.toLowerCase().match(WORDS_AND_HAN) ?? [];
  return ` ${words.join(" ")} `;
}
