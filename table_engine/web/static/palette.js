// Choosing a tile: first the ones a reading is likely to be, then all.

import { tile } from "/static/board.js";
import { h } from "/static/kit.js";
import { t } from "/static/words.js";

const FLOWERS = Array.from({ length: 8 }, (_, n) => `${n + 1}f`);
const SETS = (tiles) => [
  ..."mps".split("").map((suit) => Array.from({ length: 9 }, (_, n) => `${n + 1}${suit}`)),
  Array.from({ length: 7 }, (_, n) => `${n + 1}z`), ...(tiles === 144 ? [FLOWERS] : [["0m", "0p", "0s"]]),
];
// Faces that cameras and people mistake for one another.
const ALIKE = [["1z", "3z"], ["2z", "4z"], ["5z", "b"], ["6z", "7z"], ["1s", "1f"], ["8s", "6s"], ["6p", "9p"], ["4p", "5p"], ["7p", "8p"], ["2s", "3s"], ["1m", "2m"], ["2m", "3m"], ["4m", "6m"], ["6m", "9m"], ["8m", "9m"], ["9s", "6s"]];
const plain = (code) => (code[0] === "0" ? `5${code[1]}` : code);

// How many of each kind lie open on the table.
const seen = (view) => {
  const counts = new Map();
  const count = (code) => counts.set(plain(code), (counts.get(plain(code)) ?? 0) + 1);
  for (const seat of view?.seats ?? []) {
    for (const lying of seat.pond) count(lying.tile);
    for (const meld of seat.melds) meld.tiles.forEach(count);
    [...seat.flowers, ...seat.open].forEach(count);
  }
  view?.dora.forEach(count);
  return counts;
};

export const likely = (code, view) => {
  const counts = seen(view);
  const left = (one) => (one.endsWith("f") ? 1 : 4) - (counts.get(plain(one)) ?? 0);
  const scores = new Map();
  const vote = (one, score) => { if (one !== code) scores.set(one, (scores.get(one) ?? 0) + score); };
  for (const [a, b] of ALIKE) { if (a === code) vote(b, 4); if (b === code) vote(a, 4); }
  const [rank, suit] = [Number(code[0]), code[1]];
  if ("mps".includes(suit)) {
    if (rank === 5 || rank === 0) vote(rank ? `0${suit}` : `5${suit}`, 5);
    for (const by of [-1, 1, -2, 2]) { const to = (rank || 5) + by; if (to >= 1 && to <= 9) vote(`${to}${suit}`, 3 - Math.abs(by)); }
    for (const other of "mps") vote(`${rank || 5}${other}`, 1);
  } else if (suit === "z") for (let n = 1; n <= 7; n++) vote(`${n}z`, 2);
  else if (suit === "f") FLOWERS.forEach((one) => vote(one, 2));
  return [...scores].filter(([one]) => one !== "b" && left(one) > 0).sort((a, b) => b[1] - a[1]).slice(0, 6).map(([one]) => one);
};

// `pick(code)` is called with the tile chosen.
export const palette = (pick, { instead = null, view = null, tiles = 136 } = {}) => h("div", { class: "palette" },
  instead ? [h("h3", { text: t("likely") }), h("div", { class: "set likely" }, likely(instead, view).map((code) => tile(code, "", () => pick(code))))] : null,
  h("h3", { text: t("all.tiles") }),
  SETS(tiles).map((set) => h("div", { class: "set" }, set.map((code) => tile(code, "", () => pick(code))))));
