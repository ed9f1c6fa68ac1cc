// In which order sections answer. People ask in words that no page has (is my gpu used; 炸显存), so each section
// is found by what it says and by how people ask for it (data/questions.yml). How well a section fits is told by
// a dozen numbers, each at most about 1, and their weights are no opinion: whoever runs
// `python tests/data/queries/fit.py SITE --write` on a fresh build gets this table, whatever is in it before. It is
// learnt from queries of which is known what answers them, and never from those that are held out.
"use strict";

const WEIGHTS = {
  says: 1.51, // what the section says,
  page: 0.15, // and all of its page;
  named: 1.15, // its title, and how people ask for it: in words,
  letters: 3.59, // and in threes of letters, because words have endings, and slips;
  phrase: 2.09, // one phrase as a whole is in the question,
  same: 1.87, // and is all of it;
  near: 2.89, // the nearest phrase of the page, in letters
  covers: 2.79, // how much of the question is anywhere in it
  title: 0.62, // how much of its title is in the question
  pageTitle: 0.64,
  quotes: 1.75, // the question is in its text as it was typed
  isAsked: 0.47, // people ask for it at all
  isHome: 1.49, // a name among the words is at home there
  isLess: -2.07, // an exercise, what has changed, and the home page
  isList: -0.76, // lists of what others explain
  isMistakes: -3.02,
  isAnswer: -0.82, // one of many on a page, with its own question as title
  isMessage: -2.32,
};
// What of a section counts how much where all of it is one text, and where only what it is about is.
const IN_ALL = { title: 5, page: 2, about: 3, words: 3, text: 1 };
const IN_NAMED = { title: 3, words: 2, about: 1 };
const SATURATION = 1.2; // a word counts less the second time,
const BY_LENGTH = 0.6; // and less in a long text: BM25F, https://doi.org/10.1561/1500000019
const OF_CHARACTER = 0.5; // a single Chinese character says less than a pair
const SAME = 0.95;
const FILLERS =
  "a an the is are am be been do does did i you it my me of to in on at and or by as so this that there what how why when please help for with if can could should would will has have had from its " +
  "way ways any some just about into up your we our their " +
  "请问一下 请问 进行 有没有人 有人 大佬 怎么办 怎么样 怎么回事 怎么 如何 怎样 为什么 为啥 是不是 是什么 什么 有没有 能不能 可不可以 可以 应该 一下 自己 这个 那个 的时候 时候 起来 里面 " +
  "的 了 吗 呢 啊 呀 么 吧 我 你 他 它 们 在 是 里 上 中 把 被 给 和 与 跟 就 都 也 又 还 很 会 让 到 从 来 去";
let sections; // their addresses, by number
let pageOf; // the number of each section's page
let readings; // by the first word, what stands for a run of words: [words, code], the longest first
let collect; // makes the collections, which takes a moment: not before something is asked
let collections; // what the sections say, the words of their pages, and so on

function readRanking({ config, docs }) {
  const { same = [], questions = [] } = config.asked ?? {};
  const runs = same.flatMap((group, number) => group.map((word) => [word, `~${number}`]));
  runs.push(...FILLERS.split(" ").map((word) => [word, ""]));
  readings = new Map();
  for (const [text, code] of runs) {
    const words = spaced(text).trim().split(" ");
    readings.set(words[0], [...(readings.get(words[0]) ?? []), [words, code]]);
  }
  for (const found of readings.values()) found.sort(([one], [other]) => other.length - one.length);
  sections = docs.map((one) => one.location);
  const numbers = new Map(sections.map((location, number) => [location, number]));
  pageOf = sections.map((location, number) => numbers.get(location.split("#")[0]) ?? number);
  collections = undefined;
  collect = () => collectionsOf(new Map(questions));
}

function collectionsOf(asked) {
  const texts = sections.map((location) => {
    const { title, about, words, text } = places.get(location);
    return { title: partsOf(title), about: partsOf(about), words: partsOf(words), text: partsOf(text) };
  });
  const phrases = sections.map((location) => asked.get(location) ?? []);
  const parted = phrases.map((some) => some.map((phrase) => partsOf(spaced(phrase))));
  const weighted = (fields, of) => Object.entries(of).map(([field, weight]) => [weight, fields[field] ?? []]);
  const pages = sections.map(() => []);
  for (const [number, page] of pageOf.entries()) pages[page].push(...weighted(texts[number], { ...IN_ALL, page: 0 }));
  const titles = texts.map((_, number) => texts[pageOf[number]].title);
  return {
    says: collectionOf(texts.map((one, number) => weighted({ ...one, page: titles[number] }, IN_ALL))),
    page: collectionOf(pages),
    pageTitle: collectionOf(titles.map((title) => [[1, title]])),
    named: collectionOf(texts.map((one, number) => [...weighted(one, IN_NAMED), [1, parted[number].flat()]])),
    letters: collectionOf(phrases.map((some, number) => [[1, [...some.map(spaced), places.get(sections[number]).title].flatMap(lettersOf)]])),
    phrases: phrasesOf(parted),
    titles: phrasesOf(texts.map(({ title }) => [title])),
    phrasesInLetters: phrasesOf(phrases.map((some) => some.map((phrase) => lettersOf(spaced(phrase))))),
    asked: Float64Array.from(phrases, (some) => Number(some.length > 0)),
  };
}

/** What a text that `spaced` wrote consists of: words, and in Chinese pairs of characters. What means the
    same is written in the same way, and words that every sentence has are left out. */
function partsOf(text) {
  const words = text.trim().split(" ");
  const parts = [];
  let before = ""; // the Chinese character before
  for (let at = 0; at < words.length; at++) {
    const run = readings.get(words[at])?.find(([one]) => one.every((word, index) => words[at + index] === word));
    const word = run ? run[1] : words[at];
    if (run) at += run[0].length - 1;
    const isHan = !run && HAN.test(word);
    if (word) parts.push(isHan ? word : beginning(word));
    if (run?.[1] && run[0].length === 1 && /\d/.test(run[0][0])) parts.push(run[0][0]); // one card is not another
    if (isHan && before) parts.push(before + word);
    before = isHan ? word : "";
  }
  return parts;
}

/** Each three letters of a text that `spaced` wrote, blanks between words among them. */
function lettersOf(text) {
  const isFiller = (word) => readings.get(word)?.some(([words, code]) => words.length === 1 && !code);
  const kept = ` ${text.trim().split(" ").filter((word) => !isFiller(word)).join(" ")} `;
  return Array.from({ length: Math.max(0, kept.length - 2) }, (_, at) => kept.slice(at, at + 3));
}

/** By part, the texts that have it and how much it counts there. A text is a list of [weight, parts]. */
function collectionOf(texts) {
  const counted = texts.map((fields) => {
    const counts = new Map();
    for (const [weight, parts] of fields) if (weight) for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + weight);
    return counts;
  });
  const lengths = counted.map((counts) => sum([...counts.values()]));
  const size = lengths.filter(Boolean).length;
  const found = new Map();
  for (const [number, counts] of counted.entries()) {
    const least = SATURATION * (1 - BY_LENGTH + (BY_LENGTH * lengths[number] * size) / (sum(lengths) || 1));
    for (const [part, count] of counts) {
      if (!found.has(part)) found.set(part, []);
      found.get(part).push([number, (count * (SATURATION + 1)) / (count + least)]);
    }
  }
  return { found, size };
}

/** The phrases of each section, by part those that have it, and how rare each part is. */
function phrasesOf(parted) {
  const all = parted.flatMap((some, number) => some.map((parts) => ({ number, parts: new Set(parts) })));
  const having = new Map();
  for (const one of all) {
    for (const part of one.parts) {
      if (!having.has(part)) having.set(part, []);
      having.get(part).push(one);
    }
  }
  const rarity = (part) => weighed(part, Math.log(1 + all.length / (having.get(part)?.length ?? 1)));
  for (const one of all) {
    one.sum = sum([...one.parts].map(rarity));
    one.length = Math.hypot(...[...one.parts].map(rarity));
  }
  return { having, rarity };
}

function weighed(part, rarity) {
  return HAN.test(part) && part.length === 1 ? rarity * OF_CHARACTER : rarity;
}

/** How rare the part is in the collection: the fewer have it, the more it tells. */
function rarityIn({ found, size }, part) {
  const having = found.get(part)?.length ?? 0;
  return weighed(part, Math.log(1 + (size - having + 0.5) / (having + 0.5)));
}

/** By number, which share of what the question says is in the text; `once` for how much of it is there at all. */
function fitsIn(collection, parts, once) {
  const fits = new Float64Array(sections.length);
  const all = sum(parts.map((part) => rarityIn(once ?? collection, part))) || 1;
  for (const part of parts) {
    const rarity = rarityIn(once ?? collection, part) / all;
    for (const [number, count] of collection.found.get(part) ?? []) fits[number] += once ? rarity : rarity * count;
  }
  return fits;
}

/** What a phrase and the question have in common, added up: by phrase, and of the question itself. */
function commonIn({ having, rarity }, parts, power) {
  const common = new Map();
  let all = 0;
  for (const part of parts) {
    const much = rarity(part) ** power;
    all += much;
    for (const one of having.get(part) ?? []) common.set(one, (common.get(one) ?? 0) + much);
  }
  return [common, all];
}

/** The parts of the question, each once. Of a word that nobody has to the end, as of one that is being typed,
    what most have that begins so. */
function partsAsked(question) {
  const { found } = collections.says;
  const longest = (part) => {
    if (found.has(part) || !/^[a-z]\w+$/.test(part)) return part;
    let best = part;
    for (const [other, { length }] of found) if (length > (found.get(best)?.length ?? 0) && other.startsWith(part)) best = other;
    return best;
  };
  return [...new Set(partsOf(question).map(longest))];
}

/** By name, what is known of each section that has something of the question: the same names as WEIGHTS. */
function factsOf(question, homesNamed) {
  collections ??= collect();
  const short = question.replace(/\btorch(?:\.\w+)*\.(\w)/gi, "$1"); // of torch.cuda.device_count, device_count tells
  const isKnown = (word) => readings.has(word) || collections.named.found.has(beginning(word)); // cant is no slip
  const text = spaced(short.toLowerCase().replace(/[a-z][a-z0-9_]{3,}/g, (word) => (isKnown(word) ? word : meant(word)[0] ?? word)));
  const parts = partsAsked(text);
  const isQuestion = text.trim().split(" ").length > (HAN.test(text) ? 2 : 1); // one word is none
  const letters = isQuestion ? [...new Set(lettersOf(text))] : [];
  const { says, page, pageTitle, named, phrases, titles, phrasesInLetters, asked } = collections;
  const facts = {
    says: fitsIn(says, parts),
    page: fitsIn(page, parts),
    named: fitsIn(named, parts),
    letters: fitsIn(collections.letters, letters),
    pageTitle: fitsIn(pageTitle, parts, says),
    isAsked: asked,
  };
  const fresh = (name) => (facts[name] = new Float64Array(sections.length));
  const [phrase, same, near, covers, title] = ["phrase", "same", "near", "covers", "title"].map(fresh);
  const [common, all] = commonIn(phrases, parts, 1);
  for (const [{ number, parts: those, sum: whole }, much] of common) {
    if (those.size > 1) phrase[number] = Math.max(phrase[number], much / whole);
    if (isQuestion && much >= SAME * Math.max(whole, all)) same[number] = 1;
  }
  for (const [{ number, sum: whole }, much] of commonIn(titles, parts, 1)[0]) title[number] = much / whole;
  const [inLetters, square] = commonIn(phrasesInLetters, letters, 2);
  for (const [{ number, length }, much] of inLetters) near[pageOf[number]] = Math.max(near[pageOf[number]], much / (length * Math.sqrt(square)));
  for (const [number, itself] of pageOf.entries()) near[number] = near[itself];
  const total = sum(parts.map((part) => rarityIn(says, part))) || 1;
  for (const part of parts) {
    const having = new Set([says, named].flatMap(({ found }) => (found.get(part) ?? []).map(([number]) => number)));
    for (const number of having) covers[number] += rarityIn(says, part) / total;
  }
  const is = (test) => Float64Array.from(sections, (location) => Number(test(location)));
  const quoted = placesWith(spaced(short).trimEnd());
  facts.quotes = is((location) => quoted.has(places.get(location)));
  facts.isHome = is((location) => homesNamed.has(location));
  Object.assign(facts, (collections.kinds ??= {
    isLess: is((location) => /^(?:exercises\/|labs\/|changes\/|$)/.test(location)),
    isList: is((location) => /^reference\/(?!stand-in)/.test(location)),
    isMistakes: is((location) => location.endsWith("#common-mistakes")),
    isAnswer: is((location) => location.startsWith("answers/")),
    isMessage: is((location) => location.startsWith("reference/errors/")),
  }));
  return facts;
}

/** The places that answer the question, as lists of { location, score }, one for each page, the best first.
    The page itself is in its list, whether or not it has a word of the question. */
function pagesOn(question, homesNamed) {
  const facts = factsOf(question, homesNamed);
  const pages = new Map();
  for (const [number, location] of sections.entries()) {
    if (!facts.covers[number]) continue;
    const score = Math.exp(sum(Object.entries(WEIGHTS).map(([name, weight]) => weight * facts[name][number])));
    const page = location.split("#")[0];
    if (!pages.has(page)) pages.set(page, []);
    pages.get(page).push({ location, score });
  }
  for (const [page, here] of pages) {
    if (!here.some(({ location }) => location === page)) here.push({ location: page, score: 0 });
    here.sort((one, other) => other.score - one.score);
  }
  return [...pages.values()].sort(([one], [other]) => other.score - one.score);
}
