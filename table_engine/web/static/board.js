// Draws one table's board from the engine's public view. Pure: gives elements, asks nothing.

import { h } from "/static/kit.js";
import { alertTexts, named, t } from "/static/words.js";

const FACES = new Set([..."mps"].flatMap((suit) => [..."0123456789"].map((rank) => rank + suit)));
for (let n = 1; n <= 7; n++) FACES.add(`${n}z`);
for (let n = 1; n <= 8; n++) FACES.add(`${n}f`);

// A tile's picture. With `onpick` it is a button.
export const tile = (code, extra = "", onpick = null) => {
  const tag = onpick ? "button" : "div";
  const props = { data: { code }, type: onpick ? "button" : null, onclick: onpick };
  if (code === "b") return h(tag, { ...props, class: `tile back ${extra}`, "aria-label": onpick ? t("tile.back") : null });
  if (!FACES.has(code)) return h(tag, { ...props, class: `tile unknown ${extra}`, text: "?" });
  const face = h(tag, { ...props, class: `tile ${extra}`, title: named("tile", code), "aria-label": onpick ? named("tile", code) : null });
  face.style.backgroundImage = `url(/static/tiles/${code}.png)`;
  return face;
};

const ROW = 6;

// Rows of six; `rows` limits how many there are, the last one then goes on. `pick(zone, index, code)` makes tiles buttons.
const pond = (seat, rows, pick) => {
  const box = h("div", { class: "pond" });
  seat.pond.forEach((lying, n) => {
    if (n % ROW === 0 && n / ROW < rows) box.append(h("div", { class: "lane" }));
    box.lastChild.append(tile(lying.tile, lying.sideways ? "sideways" : "", pick?.(seat.seat, "pond", lying.index ?? n, lying.tile)));
  });
  return box;
};

export const melds = (seat, pick = null) => {
  const strip = h("div", { class: "strip" });
  let index = 0;
  for (const set of seat.melds) {
    const box = h("div", { class: "meld" });
    set.tiles.forEach((code, n) => {
      box.append(tile(code, n === set.turned ? "sideways" : "", pick?.(seat.seat, "meld", set.indices?.[n] ?? index, code)));
      index += 1;
    });
    strip.append(box);
  }
  return strip;
};

const handOf = (hand) => (hand?.tiles.length ? [...hand.tiles, ...(hand.drawn ? [hand.drawn] : [])] : null);

const flowers = (seat, pick) => h("div", { class: "flowers" },
  seat.flowers.map((code, n) => tile(code, "", pick?.(seat.seat, "flower", n, code))));

const rack = (seat, hand, pick, recount) => {
  const press = recount && !seat.open.length ? () => recount(seat) : null;
  const label = [press ? `${t("correct.count")}: ${seatName(seat)}` : "", t("seat.holds", { n: seat.concealed })].filter(Boolean).join(", ");
  const box = h(press ? "button" : "div", { class: "rack", role: press ? null : "img", onclick: press, "aria-label": label, title: press ? label : null });
  const faces = seat.open.length ? seat.open : hand;
  if (faces?.length) faces.forEach((code, n) => box.append(tile(code, "", seat.open.length ? pick?.(seat.seat, "open", n, code) : null)));
  else for (let n = 0; n < seat.concealed; n++) box.append(h("div", { class: "standing" }));
  if (pick && !press) box.setAttribute("role", "group");
  return box;
};

export const seatName = (seat) => seat.name || t("seat.number", { n: seat.seat + 1 });
export const wind = (seat) => (seat.wind ? t(`wind.${seat.wind}`) : "");

const name = (seat, points) => {
  const words = h("span", {}, h("b", { text: seatName(seat) }),
    h("span", { text: [wind(seat), seat.dealer ? t("dealer") : "", t("seat.holds", { n: seat.concealed })].filter(Boolean).join(" · ") }));
  if (points !== null) words.append(h("span", { class: "points", text: points.toLocaleString() }));
  const effects = effectsOf(seat);
  if (effects) words.append(h("span", { class: "effects", text: effects }));
  return h("div", { class: "name" }, words);
};

export const effectsOf = (seat) => [...new Set(seat.effects)].map((code) => named("effect", code)).join(", ");

// A seat's points by the ledger; null while none is kept.
export const pointsOf = (ledger, seat) => ledger?.standings?.find((line) => line.seat === seat)?.points ?? null;

const centre = (view, pick) => h("div", { class: "centre" },
  view.wall_left !== null ? [h("span", { class: "wall", text: view.wall_left }), h("span", { text: t("tiles.left") })] : null,
  view.dora.length ? h("div", { class: "dora" }, view.dora.map((code, n) => tile(code, "", pick?.(0, "dora", n, code)))) : null,
  view.dice.length ? h("span", { text: t("dice", { dice: view.dice.join(" ") }) }) : null);

// The whole board. `hands`: by seat the concealed tiles where they may be shown; `recount(seat)` makes racks buttons.
export const board = (view, { pick = null, recount = null, hands = null, ledger = null } = {}) => {
  const parts = h("div", { class: "board" }, centre(view, pick));
  for (const seat of view.seats) {
    const box = h("div", { class: `seat${view.turn === seat.seat ? " turn" : ""}`, data: { seat: seat.seat } },
      pond(seat, view.ruleset === "riichi" ? 3 : 4, pick), melds(seat, pick), flowers(seat, pick), rack(seat, handOf(hands?.[seat.seat]), pick, recount), name(seat, pointsOf(ledger, seat.seat)));
    box.style.setProperty("--n", seat.seat);
    if (seat.ready) box.append(h("div", { class: "stick" }));
    parts.append(box);
  }
  return parts;
};

export const handLine = (view, last = view.last) => {
  const phase = t(`phase.${view.phase}`, { n: view.turns });
  return [named("ruleset", view.ruleset), t("hand.n", { n: view.hand }), phase, last].filter(Boolean).join(" · ");
};

export const alert = (said, ended = false) => {
  const { says, citation, penalty, reason, missing } = alertTexts(said);
  return h("li", { class: `alert ${said.severity}${ended ? " ended" : ""}`, data: { code: said.code, rule: said.rule } },
    h("strong", { text: says }),
    h("span", { class: "penalty", text: ended ? `${t(`state.${said.state}`)}: ${reason}` : penalty }),
    h("small", { text: `${said.rule} · ${citation}` }),
    h("small", { text: [t("hand.n", { n: said.hand }), t("turn.n", { n: said.turn }), t("sure", { n: Math.round(said.confidence * 100) }),
      missing.length ? t("missing", { what: missing.join(", ") }) : ""].filter(Boolean).join(" · ") }));
};

export const line = (text) => h("li", { text });
