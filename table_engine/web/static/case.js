// One case: what was seen, by which rule, what follows, how sure, on what evidence; and the referee's decisions.

import { board as drawn, effectsOf, seatName, tile, wind } from "/static/board.js";
import { act } from "/static/deeds.js";
import { evidence } from "/static/evidence.js";
import { ask, h } from "/static/kit.js";
import { get, tableNow } from "/static/link.js";
import { alertTexts, clockTime, named, t } from "/static/words.js";

const OLD_MS = 60000;  // a camera that has not told its pictures by then has none

const fact = (text, kind = "") => h("span", { class: `tag ${kind}`, text });

const pays = (view, points) => points?.some(Boolean)
  ? h("div", { class: "pays" }, points.map((n, seat) => (n ? h("span", {}, `${seatName(view.seats[seat])} `, h("b", { class: n > 0 ? "plus" : "minus", text: `${n > 0 ? "+" : "−"}${Math.abs(n).toLocaleString()}` })) : null)))
  : null;

const law = (rows) => h("dl", { class: "law" }, rows.filter(([, what]) => what && (!Array.isArray(what) || what.length)).map(([word, what]) =>
  [h("dt", { text: t(word) }), h("dd", {}, what)]));

const REASONS = ["reason.sensor", "reason.seen", "reason.allowed", "reason.corrected"];
const reasonField = () => {
  const field = h("textarea", { name: "reason", required: true, maxlength: "2000", "aria-label": t("reason") });
  return [h("div", { class: "row" }, REASONS.map((key) => h("button", { type: "button", text: t(key), onclick: () => { field.value = t(key); field.focus(); } }))),
    h("label", {}, t("reason"), field)];
};

const confirmIt = async ({ table, alert }) => {
  const fields = [];
  if (alert.choices?.length) {
    fields.push(h("label", {}, t("points.choose"), h("select", { name: "points" }, alert.choices.map((n) => h("option", { value: n, text: n })))));
  }
  if (alert.choices?.length) {
    fields.push(h("label", {}, t("note"), h("input", { name: "note", maxlength: "2000" })));
    const given = await ask(t("confirm.title"), [h("p", { text: alertTexts(alert).penalty }), ...fields], { yes: t("confirm"), no: t("cancel") });
    if (!given) return;
    await act(table, { act: "confirm", alert: alert.id, points: Number(given.points), note: given.note ?? "" }, t("done.confirmed"));
    return;
  }
  await act(table, { act: "confirm", alert: alert.id }, t("done.confirmed"));
};

const withReason = async ({ table, alert }, deed, danger) => {
  const given = await ask(t(`${deed}.title`), [h("p", { text: alertTexts(alert).says }), ...reasonField()], { yes: t(deed), no: t("cancel"), danger });
  if (given) await act(table, { act: deed, alert: alert.id, reason: given.reason }, t(`done.${deed}`));
};

const appealIt = async ({ table, alert, board }) => {
  const seats = board.view.seats.map((seat) => h("option", { value: seat.seat, text: seatName(seat) }));
  const given = await ask(t("appeal.title"), [h("label", {}, t("appeal.by"), h("select", { name: "seat" }, seats)), h("label", {}, t("note"), h("textarea", { name: "text" }))], { yes: t("appeal"), no: t("cancel") });
  if (given) await act(table, { act: "appeal", alert: alert.id, seat: Number(given.seat), text: given.text }, t("done.appeal"));
};

const button = (name, kind, key, onclick) => h("button", { class: kind, data: { act: name, key: name }, onclick: async (event) => {
  event.currentTarget.disabled = true;
  const pressed = event.currentTarget;
  try { await onclick(); } finally { pressed.disabled = false; }
} }, t(name), key ? h("kbd", { text: key }) : null);

const deeds = (one) => {
  const { table, alert } = one;
  const print = button("print", "", "P", () => window.open(`/ruling/${encodeURIComponent(table)}/${encodeURIComponent(alert.id)}`, "_blank", "noopener"));
  switch (alert.state) {
    case "open": return [button("acknowledge", "", "A", () => act(table, { act: "acknowledge", alert: alert.id }, t("done.acknowledged"))),
      button("confirm", "primary", "C", () => confirmIt(one)), button("dismiss", "", "D", () => withReason(one, "dismiss"))];
    case "acknowledged": return [button("confirm", "primary", "C", () => confirmIt(one)), button("dismiss", "", "D", () => withReason(one, "dismiss"))];
    case "confirmed": case "dismissed": case "overturned": return [
      button("overturn", "danger", "O", () => withReason(one, "overturn", true)),
      alert.appeal === "open" ? button("uphold", "primary", "", () => withReason(one, "uphold")) : button("appeal", "", "", () => appealIt(one)), print];
    default: return [print];
  }
};

// What a referee is looking at goes on while the case around it is drawn anew: the same elements as long as the case is open.
let kept = { key: "", pictures: null };
const looked = ({ table, alert, board }) => {
  const key = `${table}/${alert.id}`;
  if (kept.key === key && kept.pictures.isConnected) return kept;
  const states = h("details", { class: "card", ontoggle: () => { if (states.open) statesOf(states.lastChild, table, alert.id); } }, h("summary", { text: t("states") }), h("div", { class: "twin" }));
  kept = { key, states, pictures: evidence(table, alert.id, tableNow(board) - alert.at_ms > OLD_MS) };
  return kept;
};

export const caseOf = (one, { bundle = [], choose = null } = {}) => {
  const { table, alert, board } = one;
  const view = board.view, seat = view?.seats[alert.seat];
  const done = !["open", "acknowledged"].includes(alert.state), texts = alertTexts(alert);
  const { pictures, states } = looked(one);
  return [
    h("div", { class: `verdict ${alert.severity}${done ? " done" : ""}` },
      h("div", { class: "facts" },
        fact(t(`severity.${alert.severity}`), alert.severity), fact(table), seat ? fact([seatName(seat), wind(seat)].filter(Boolean).join(" · ")) : null,
        fact(t("hand.n", { n: alert.hand })), fact(t("turn.n", { n: alert.turn })), fact(clockTime(alert.at_ms)),
        alert.state !== "open" ? fact([t(`state.${alert.state}`), alert.by].filter(Boolean).join(" · "), alert.state === "confirmed" ? "ok" : "") : null),
      h("h1", { text: named("foul", alert.code) }),
      h("p", { text: texts.says })),
    h("div", { class: "card" }, law([
      ["rule", [h("b", { text: alert.rule }), " ", texts.citation]],
      ["penalty", [texts.penalty, alert.warning ? h("span", { class: "tag", text: t("warning") }) : null]],
      ["pays", pays(view, alert.points)],
      ["foul.points", alert.foul_points ? String(alert.foul_points) : null],
      ["effect", texts.effects.join(", ")],
      ["tiles", alert.tiles?.length ? h("span", { class: "chosen" }, alert.tiles.map((code) => tile(code))) : null],
      ["sureness", [h("span", { class: "meter" }, bar(alert.confidence)), ` ${Math.round(alert.confidence * 100)} %`]],
      ["missing.evidence", texts.missing.length ? h("ul", {}, texts.missing.map((text) => h("li", { text }))) : null],
      ["standing", seat ? effectsOf(seat) || null : null],
      ["reason", texts.reason || null],
    ])),
    pictures,
    states,
    history(board.docket, alert.id),
    bundle.length ? h("div", { class: "card" }, h("h2", { text: t("incident") }), h("ul", {}, bundle.map((other) =>
      h("li", {}, h("button", { class: "quiet", onclick: () => choose?.({ table, alert: other.alert.id }) }, named("foul", other.alert.code), h("span", { class: "tag", text: t(`state.${other.alert.state}`) })))))) : null,
    h("p", {}, h("a", { href: `#${encodeURIComponent(table)}`, text: t("to.table", { table }), onclick: (event) => { event.preventDefault(); choose?.({ table }); } })),
    h("div", { class: "acts" }, deeds(one)),
  ].filter(Boolean);
};

const history = (docket, ident) => {
  const acts = (docket?.acts ?? []).filter((one) => one.did.alert === ident);
  return acts.length ? h("ol", { class: "history" }, acts.map((one) => h("li", { class: one.undone ? "undone" : "", text: [clockTime(one.at_ms), one.by, named("act", one.act), one.did.reason].filter(Boolean).join(" · ") }))) : null;
};

// The table just before and after the moment, as the journal tells it.
const statesOf = async (box, table, ident) => {
  if (box.children.length) return;
  box.replaceChildren(h("p", { class: "soft", text: t("evidence.wait") }));
  try {
    const found = await get(`/api/tables/${encodeURIComponent(table)}/alerts/${encodeURIComponent(ident)}/states`);
    box.replaceChildren(...["before", "after"].filter((word) => found[word]).map((word) => h("figure", {}, h("figcaption", { text: `${t(`still.${word}`)} · ${found[word].last}` }), drawn(found[word]))));
  } catch (error) { box.replaceChildren(h("p", { class: "soft", text: error.message })); }
};

const bar = (share) => { const i = h("i"); i.style.width = `${Math.round(share * 100)}%`; return i; };
