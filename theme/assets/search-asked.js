// Questions in plain words: which of the phrases of data/questions.yml a question is nearest to. People ask
// in words that no page has (is my gpu used; 炸显存), and words that every page has decide nothing by
// themselves. So a question is compared as a whole: by the share of what it and a phrase have in common,
// where the rarer words, and in Chinese pairs of characters, weigh more.
"use strict";

const NEAR = 0.7; // so much in common makes it the same question, whose answer comes first;
const NEAR_IN_CHINESE = 0.55; // in pairs of characters, the same question has less in common,
const SHORTEST_IN_CHINESE = 8; // unless it is so short that it may be the name of a subject;
const NEARLY = 0.3; // with less, the more so what else is found counts more,
const OF_NEARLY = 3; // up to so many times more
const MOST_ASKED = 3; // sections that are shown for one question
const LONGEST_ASKED = 80; // characters; what is longer is a text
const FILLERS = new Set(
  ("a an the is are am be been do does did i you it my me of to in on at and or by as so this that there what how why when please help for with if can could should would will has have had from its " +
    "way ways any some just about into up your we our their").split(" "),
);
const HAN_FILLERS = /请问一下|请问|进行|有没有人|有人|大佬|怎么办|怎么样|怎么回事|怎么|如何|怎样|为什么|为啥|是不是|是什么|什么|有没有|能不能|可不可以|可以|应该|一下|自己|这个|那个|的时候|时候|起来|里面|[的了吗呢啊呀么吧我你他它们在是里上中把被给和与跟就都也又还很会让到从来去]/g;
let asked; // phrases: { location, parts, length }
let partCounts; // of a part, how many phrases have it
let sameWords; // a word, and what stands for it and all that mean the same

function readAsked({ config }) {
  const { same = [], questions = [] } = config.asked ?? {};
  const pairs = same.flatMap((group, number) => group.map((word) => [word.toLowerCase(), `~${number}`]));
  pairs.sort(([one], [other]) => other.length - one.length);
  sameWords = pairs.map(([word, code]) => [HAN.test(word) ? new RegExp(escapedPattern(word), "g") : new RegExp(`(?<![a-z0-9_~])${escapedPattern(word)}(?![a-z0-9_])`, "g"), ` ${code} `]);
  asked = questions.flatMap(([location, phrases]) => phrases.map((phrase) => ({ location, parts: partsOf(phrase) })));
  partCounts = new Map();
  for (const { parts } of asked) for (const part of parts.keys()) partCounts.set(part, (partCounts.get(part) ?? 0) + 1);
  for (const one of asked) one.length = lengthOf(one.parts);
}

function escapedPattern(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The parts of a question, each with how much it counts besides its rarity. */
function partsOf(question) {
  let text = question.toLowerCase().replace(/[’]/g, "'");
  for (const [pattern, code] of sameWords) text = text.replace(pattern, code);
  const parts = new Map();
  const add = (part, weight) => parts.set(part, Math.max(weight, parts.get(part) ?? 0));
  for (const word of text.match(/~\d+|[a-z0-9_][a-z0-9_.+-]*|[\u3400-\u9fff]+/g) ?? []) {
    if (HAN.test(word)) {
      for (const run of word.replace(HAN_FILLERS, " ").split(" ")) {
        for (let at = 0; at < run.length; at++) {
          add(run[at], 0.5);
          if (at) add(run.slice(at - 1, at + 1), 1);
        }
      }
    } else if (!FILLERS.has(word)) add(beginning(word.replace(/\.+$/, "")), 1);
  }
  return parts;
}

function weightOf(part, weight) {
  return weight * Math.log(1 + asked.length / (partCounts.get(part) ?? 1));
}

function lengthOf(parts) {
  return Math.sqrt(sum([...parts].map(([part, weight]) => weightOf(part, weight) ** 2)));
}

/** By section, how near the question is to one of its phrases, the nearest first. */
function nearTo(question) {
  if (!asked.length || question.length > LONGEST_ASKED) return new Map();
  const parts = partsOf(question.toLowerCase().replace(/[a-z][a-z0-9_]{3,}/g, (word) => meant(word)[0] ?? word));
  const length = lengthOf(parts);
  if (!length) return new Map();
  const best = new Map();
  for (const one of asked) {
    let common = 0;
    for (const [part, weight] of parts) if (one.parts.has(part)) common += weightOf(part, weight) * weightOf(part, one.parts.get(part));
    const near = common / (length * one.length);
    if (parts.size === 1 && near < 0.99) continue; // a word is no question
    if (near >= NEARLY && near > (best.get(one.location) ?? 0)) best.set(one.location, near);
  }
  return new Map([...best].sort(([, one], [, other]) => other - one));
}

/** The sections that answer the question; the nearest first. */
function answersTo(near, question) {
  const isChinese = HAN.test(question) && question.length >= SHORTEST_IN_CHINESE;
  const least = isChinese ? NEAR_IN_CHINESE : NEAR;
  return [...near].filter(([, share]) => share >= least).slice(0, MOST_ASKED).map(([location]) => location);
}
