// The messages of data/errors in what a reader has typed or pasted. gpu_guide/data/errors.py has the
// same rule for what is run in Python; tests hold the two against each other. The search worker and the
// page that diagnoses load it: `var`, because a page may run it again.
"use strict";

var GAP = 200; // characters where a message varies
var LONGEST = 200_000; // characters that are looked at, half of them from the beginning
var TERMINAL = /\x1b\[[0-9;?]*[ -/]*[@-~]/g;
// What Python's str.split() takes for a blank.
var BLANKS = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** The text without what lies between its first and last 100,000 characters, as Python counts them. */
function bounded(text) {
  if (text.length <= LONGEST) return text;
  const enough = text.length > 4 * LONGEST ? text.slice(0, 2 * LONGEST) + text.slice(-2 * LONGEST) : text;
  // To JavaScript, an emoji is two characters. No message has any.
  const single = enough.replace(/[\u{10000}-\u{10ffff}]/gu, "\ufffd");
  if (single.length <= LONGEST) return single;
  return `${single.slice(0, LONGEST / 2)}\n${single.slice(-LONGEST / 2)}`;
}

/** The text in lower case with single blanks and straight quotes, without the colours of a terminal. */
function plain(text) {
  const single = text.replace(/[\u{10000}-\u{10ffff}]/gu, "\ufffd").replace(TERMINAL, "");
  const straight = single.toLowerCase().replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"');
  return straight.split(BLANKS).filter((word) => word).join(" ");
}

/** A wording of a message as the pieces that follow one another, with what varies between them. */
function pieces(wording) {
  return wording.split("…").map(plain).filter((piece) => piece);
}

/** From where to where the pieces follow one another in the text, each at most `GAP` behind the one
    before; undefined where they do not. */
function place(text, [first, ...others]) {
  for (let start = text.indexOf(first); start >= 0; start = text.indexOf(first, start + 1)) {
    let end = start + first.length;
    const all = others.every((piece) => {
      const at = text.slice(end, end + GAP + piece.length).indexOf(piece);
      end += at + piece.length;
      return at >= 0;
    });
    if (all) return [start, end];
  }
}

/** The messages in the text, of {says, rank, ...}: those of which it has most first, then the frequent ones. */
function foundIn(text, messages) {
  const looked = plain(bounded(text));
  return messages
    .map((message) => {
      const said = message.says.filter((wording) => place(looked, pieces(wording)));
      return { message, length: Math.max(0, ...said.map((wording) => [...wording].length)) };
    })
    .filter(({ length }) => length)
    .sort((one, other) => other.length - one.length || one.message.rank - other.message.rank)
    .map(({ message }) => message);
}
