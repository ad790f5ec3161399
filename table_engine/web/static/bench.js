// The tools of one table: its board with one-tap corrections, manual fouls, counts, clocks, calls and wins.

import { board as drawn, handLine, seatName, tile } from "/static/board.js";
import { act } from "/static/deeds.js";
import { ask, fill, h, say } from "/static/kit.js";
import { get, tableNow } from "/static/link.js";
import { lastWords, moveWords } from "/static/moves.js";
import { palette } from "/static/palette.js";
import { clockTime, minutes, named, t, told } from "/static/words.js";

const COUNT_S = 5;
const books = new Map();
const book = async (table) => {
  if (!books.has(table)) books.set(table, await get(`/api/tables/${encodeURIComponent(table)}/rules`));
  return books.get(table);
};
const tilesOf = (view) => (view.ruleset === "riichi" ? 136 : 144);

const seatPicker = (view, name, { none = "" } = {}) => h("fieldset", {}, h("div", { class: "seats" },
  none ? h("label", { class: "tick" }, h("input", { type: "radio", name, value: "", checked: true }), none) : null,
  view.seats.map((seat, n) => h("label", { class: "tick" }, h("input", { type: "radio", name, value: seat.seat, required: !none, checked: !none && n === (view.turn ?? 0) }), seatName(seat)))));

// A dialog in which tiles are chosen; gives the codes, or null.
const tileField = (name, view, limit = 14) => {
  const value = h("input", { type: "hidden", name });
  const chosen = h("div", { class: "chosen", "aria-live": "polite" });
  const codes = [];
  const show = () => {
    value.value = codes.join(",");
    chosen.replaceChildren(...codes.map((code, n) => tile(code, "", () => { codes.splice(n, 1); show(); })));
  };
  return h("div", { class: "stack" }, value, chosen, palette((code) => { if (codes.length < limit) { codes.push(code); show(); } }, { tiles: tilesOf(view) }));
};
const split = (text) => (text ? text.split(",") : []);

const correct = (table, view) => (seat, zone, index, code) => async () => {
  const close = () => document.querySelector("dialog[open]")?.close();
  const send = (to) => { close(); act(table, { act: "correct_tile", seat, zone, index, tile: to }, t("done.corrected", { was: named("tile", code), is: named("tile", to) })); };
  const dialog = h("dialog", { "aria-label": t("correct.tile"), onclose: () => dialog.remove() }, h("form", { method: "dialog" },
    h("h2", {}, `${t("correct.tile")} `, h("span", { class: "soft", text: `${seatName(view.seats[seat])} · ${t(`zone.${zone}`)} ${index + 1}` })),
    palette(send, { instead: code, view, tiles: tilesOf(view) }), h("div", { class: "row end" }, h("button", { text: t("cancel") }))));
  document.body.append(dialog);
  dialog.showModal();
};

const manualFoul = async (table, view) => {
  const rules = await book(table);
  const list = h("div", { class: "rows", role: "radiogroup", "aria-label": t("rule") });
  const row = h("input", { type: "hidden", name: "row" });
  const kinds = h("div", { class: "row" });
  const pick = (one) => {
    row.value = one.id;
    for (const button of list.children) button.setAttribute("aria-pressed", button.dataset.row === one.id ? "true" : "false");
    kinds.replaceChildren(...(one.rulings.length > 1 ? [h("label", {}, t("kind"), h("select", { name: "kind" },
      one.rulings.map((ruling) => h("option", { value: ruling.kind, text: `${named("foul", ruling.code)} · ${ruling.kind.replaceAll("_", " ")}` }))))] : []));
  };
  const search = h("input", { type: "search", placeholder: t("search"), "aria-label": t("search"), oninput: () => show() });
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = rules.rows.filter((one) => /-(F|R)/.test(one.id) || words.length).filter((one) => {
      const text = [one.id, one.text, told(one.text), told(one.follows), one.cite, ...one.rulings.flatMap((r) => [r.code, named("foul", r.code), told(r.penalty)])].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    list.replaceChildren(...found.slice(0, 60).map((one) => h("button", { type: "button", data: { row: one.id }, "aria-pressed": row.value === one.id ? "true" : "false", onclick: () => pick(one) },
      h("span", {}, h("b", { text: one.id }), ` ${told(one.text)}`), h("small", { text: told(one.follows || one.rulings[0]?.penalty || "") }))));
  };
  show();
  const given = await ask(t("manual.foul"), [search, list, row, kinds, h("h3", { text: t("against") }), seatPicker(view, "seat"),
    h("details", {}, h("summary", { text: t("more") }), h("div", { class: "stack" },
      h("h3", { text: t("harmed") }), seatPicker(view, "other", { none: t("nobody") }),
      h("label", {}, t("points"), h("input", { name: "points", type: "number", min: "-1000000", max: "1000000" })),
      h("h3", { text: t("tiles") }), tileField("tiles", view), h("label", {}, t("note"), h("input", { name: "note", maxlength: "2000" }))))],
  { yes: t("record"), no: t("cancel") });
  if (!given) return;
  if (!given.row) { say(t("choose.rule"), "bad"); return; }
  await act(table, { act: "row", row: given.row, seat: Number(given.seat), kind: given.kind ?? "", tiles: split(given.tiles),
    other: given.other === "" || given.other === undefined ? null : Number(given.other), points: given.points ? Number(given.points) : null, note: given.note ?? "" }, t("done.recorded"));
};

const five = async (table, view) => {
  const given = await ask(t("five"), [h("p", { text: t("five.hint") }), seatPicker(view, "seat")], { yes: t("five.start"), no: t("cancel") });
  if (!given) return;
  const answer = act(table, { act: "count", seat: Number(given.seat) });
  const number = h("div", { class: "five", text: COUNT_S, "aria-live": "assertive" });
  const dialog = h("dialog", { "aria-label": t("five"), onclose: () => { clearInterval(timer); dialog.remove(); } }, h("form", { method: "dialog" }, h("h2", { text: seatName(view.seats[given.seat]) }), number, h("div", { class: "row end" }, h("button", { class: "primary", text: t("close") }))));
  const begin = performance.now();
  const timer = setInterval(() => {
    const left = COUNT_S - (performance.now() - begin) / 1000;
    number.textContent = left > 0 ? Math.ceil(left) : t("five.over");
    number.classList.toggle("over", left <= 0);
  }, 100);
  document.body.append(dialog);
  dialog.showModal();
  await answer;
};

const extra = async (table) => {
  const given = await ask(t("extra"), [h("label", {}, t("extra.minutes"), h("input", { name: "minutes", type: "number", value: "5", min: "-600", max: "600", step: "0.5", required: true })), h("label", {}, t("reason"), h("input", { name: "reason" }))], { yes: t("extra"), no: t("cancel") });
  if (given) await act(table, { act: "extra_time", seconds: Math.round(Number(given.minutes) * 60), reason: given.reason }, t("done.extra"));
};

// How many tiles may stand before a seat: first what is right before and after drawing, then every number.
const whole = (view, seat) => (view.ruleset === "taiwan16" ? 16 : 13) - 3 * seat.melds.length;
const recount = (table, view) => (seat) => {
  const right = whole(view, seat);
  const button = (n) => h("button", { type: "button", class: "number", text: n, data: { count: n }, "aria-pressed": n === seat.concealed ? "true" : "false",
    onclick: () => { dialog.close(); act(table, { act: "correct_count", seat: seat.seat, concealed: n }, t("done.saved")); } });
  const dialog = h("dialog", { "aria-label": t("correct.count"), onclose: () => dialog.remove() }, h("form", { method: "dialog" },
    h("h2", {}, `${t("correct.count")} `, h("span", { class: "soft", text: `${seatName(seat)} · ${t("seat.holds", { n: seat.concealed })}` })),
    h("h3", { text: t("likely") }), h("div", { class: "row numbers" }, [right, right + 1].map(button)),
    h("h3", { text: t("standing.tiles") }), h("div", { class: "row numbers" }, Array.from({ length: right + 4 }, (_, n) => n).filter((n) => n !== right && n !== right + 1).map(button)),
    h("div", { class: "row end" }, h("button", { text: t("cancel") }))));
  document.body.append(dialog);
  dialog.showModal();
};

const count = async (table, view) => {
  const given = await ask(t("correct.count"), [seatPicker(view, "seat")], { yes: t("next"), no: t("cancel") });
  if (given) recount(table, view)(view.seats[given.seat]);
};

const turn = async (table, view) => {
  const given = await ask(t("correct.turn"), [seatPicker(view, "seat"), h("label", {}, t("phase"), h("select", { name: "phase" }, h("option", { value: "draw", text: t("to.draw") }), h("option", { value: "discard", text: t("to.discard") })))], { yes: t("save"), no: t("cancel") });
  if (given) await act(table, { act: "correct_turn", seat: Number(given.seat), phase: given.phase }, t("done.saved"));
};

const call = async (table, view) => {
  const given = await ask(t("announce"), [seatPicker(view, "seat"), h("label", {}, t("call"), h("select", { name: "call" }, ["chow", "pung", "kong", "win", "ready"].map((name) => h("option", { value: name, text: t(`call.${name}`) }))))], { yes: t("save"), no: t("cancel") });
  if (given) await act(table, { act: "announce", seat: Number(given.seat), call: given.call }, t("done.saved"));
};

const win = async (table, view) => {
  const given = await ask(t("win"), [h("h3", { text: t("winner") }), seatPicker(view, "seat"), h("h3", { text: t("from") }), seatPicker(view, "source", { none: t("self.draw") }),
    h("h3", { text: t("win.tile") }), tileField("tile", view, 1), h("h3", { text: t("win.hand") }), tileField("hand", view, 17)], { yes: t("win.check"), no: t("cancel") });
  if (!given) return;
  if (!given.tile) { say(t("choose.tile"), "bad"); return; }
  await act(table, { act: "win", seat: Number(given.seat), source: given.source === "" ? null : Number(given.source), tile: given.tile, hand: split(given.hand) }, t("done.saved"));
};

const validWin = async (table, view) => {
  const given = await ask(t("win.valid"), [seatPicker(view, "seat"), h("label", {}, t("note"), h("input", { name: "says" }))], { yes: t("confirm"), no: t("cancel") });
  if (given) await act(table, { act: "win_confirmed", seat: Number(given.seat), says: given.says }, t("done.saved"));
};

const ENDS = ["exhaustive", "nine_terminals", "four_winds", "four_kongs", "four_ready", "three_winners", "ruling", "time"];
const endHand = async (table, view) => {
  const given = await ask(t("end.hand"), [h("label", {}, t("how"), h("select", { name: "how" }, ENDS.map((name) => h("option", { value: name, text: named("end", name) })))),
    h("h3", { text: t("who.ready") }), h("div", { class: "seats" }, view.seats.map((seat) => h("label", { class: "tick" }, h("input", { type: "checkbox", name: `ready${seat.seat}` }), seatName(seat))))], { yes: t("end.hand"), no: t("cancel") });
  if (given) await act(table, { act: "hand_ended", how: given.how, ready: [0, 1, 2, 3].filter((n) => given[`ready${n}`]) }, t("done.saved"));
};

const moves = (table, list, view) => h("ol", { class: "moves", tabindex: "0", "aria-label": t("moves") }, list.map((move) => h("li", {}, h("span", { text: moveWords(move, view) }),
  h("button", { text: t("move.remove"), data: { key: `m${move.move}` }, onclick: async () => {
    if (await ask(t("move.remove"), [h("p", { text: moveWords(move, view) })], { yes: t("move.remove"), no: t("cancel"), danger: true })) await act(table, { act: "remove_move", move: move.move }, t("done.corrected.move"));
  } }))).reverse());

const clocks = (board) => {
  const clock = board.clocks;
  if (!clock) return null;
  const now = clock.paused ? clock.now_ms : tableNow(board);
  const left = (word, ends, who = "") => (ends === null || ends === undefined ? null : h("span", { class: `tag${ends < now ? " foul" : ""}` }, `${t(word)} ${who} `, h("b", { text: minutes((ends - now) / 1000) })));
  const seat = (n) => (n === null ? "" : seatName(board.view.seats[n]));
  return h("div", { class: "row" }, clock.paused ? h("span", { class: "tag check", text: t("paused") }) : null, left("clock.match", clock.match_ends_ms), left("clock.turn", clock.turn_ends_ms, seat(clock.turn)),
    left("clock.count", clock.count_ends_ms, seat(clock.counted)), clock.hand_limit_ms ? clock.hand_used_ms.map((used, n) => left("clock.hand", now + clock.hand_limit_ms - used, seat(n))) : null);
};

// A win as the engine has checked and scored it, for the referee to agree with.
const winCard = (table, win, view) => h("div", { class: "stack" },
  h("h2", { text: `${t("win.of", { who: seatName(view.seats[win.seat]) })} · ${win.source === null ? t("self.draw") : `${t("from")} ${seatName(view.seats[win.source])}`}` }),
  h("div", { class: "chosen" }, win.concealed.map((code) => tile(code)), win.melds.flatMap((meld) => meld.tiles.map((code) => tile(code))), tile(win.tile, "new")),
  h("p", {}, win.valid === null ? null : h("span", { class: `tag ${win.valid ? "ok" : "foul"}`, text: t(win.valid ? "win.good" : "win.bad") }), ` ${told(win.phrases?.says ?? win.says)}`),
  win.objections.length ? h("ul", {}, (win.phrases?.objections ?? win.objections).map((one) => h("li", { text: told(one) }))) : null,
  win.items.length ? h("div", { class: "pays" }, win.items.map((item) => h("span", {}, `${item.name} `, h("b", { text: item.value })))) : null,
  win.payments.some(Boolean) ? h("div", { class: "pays" }, win.payments.map((n, seat) => h("span", {}, `${seatName(view.seats[seat])} `, h("b", { class: n >= 0 ? "plus" : "minus", text: `${n > 0 ? "+" : n < 0 ? "−" : ""}${Math.abs(n).toLocaleString()}` })))) : null,
  h("button", { class: "primary", text: t("win.valid"), onclick: () => act(table, { act: "win_confirmed", seat: win.seat }, t("done.saved")) }));

// Draws the tools once and keeps board, clocks and moves up to date, so that nothing moves under a finger.
export const bench = (box, { table, board, back }) => {
  const view = () => box.now.view;
  box.now = board;
  const tools = [["manual.foul", () => manualFoul(table, view()), "primary"], ["five", () => five(table, view())], ["pause", () => act(table, { act: "pause" }, t("done.paused"))],
    ["resume", () => act(table, { act: "resume" }, t("done.resumed"))], ["extra", () => extra(table)], ["announce", () => call(table, view())], ["win", () => win(table, view())], ["win.valid", () => validWin(table, view())],
    ["correct.count", () => count(table, view())], ["correct.turn", () => turn(table, view())], ["end.hand", () => endHand(table, view())]];
  fill(box, ["bench", table], () => [back(),
    h("div", {}, h("h1", { text: table }), h("p", { class: "soft", data: { part: "line" } })), h("div", { data: { part: "clocks" } }),
    h("div", { class: "two" },
      h("div", { class: "stack" }, h("div", { data: { part: "board" } }), h("small", { text: t("correct.hint") })),
      h("div", { class: "tools-grid" }, h("div", { class: "card", data: { part: "wins" } }), h("div", { class: "row" }, tools.map(([word, onclick, kind]) => h("button", { class: kind ?? "", text: t(word), data: { key: word, tool: word }, onclick }))),
        h("div", { class: "card", data: { part: "moves" } }), h("div", { class: "card", data: { part: "acts" } })))]);
  const part = (name) => box.querySelector(`[data-part="${name}"]`);
  const { at_ms: _, state_seq: __, ...picture } = board.view;
  part("line").textContent = handLine(board.view, lastWords(board));
  part("clocks").replaceChildren(clocks(board) ?? "");
  fill(part("board"), [picture, board.ledger?.standings], () => drawn(board.view, { pick: correct(table, board.view), recount: recount(table, board.view), ledger: board.ledger }));
  const made = board.moves?.moves ?? [];
  part("moves").hidden = !made.length;
  fill(part("moves"), made, () => [h("h2", { text: t("moves") }), moves(table, made, board.view)]);
  const wins = board.result?.wins ?? [];
  part("wins").hidden = !wins.length;
  fill(part("wins"), wins, () => wins.map((win) => winCard(table, win, board.view)));
  const acts = (board.docket?.acts ?? []).slice(-12);
  part("acts").hidden = !acts.length;
  fill(part("acts"), acts, () => [h("h2", { text: t("acts") }), h("ol", { class: "moves", tabindex: "0", "aria-label": t("acts") }, acts.map((one) => h("li", {},
    h("span", { class: one.undone ? "undone" : "", text: [clockTime(one.at_ms), one.by, named("act", one.act)].filter(Boolean).join(" · ") }),
    one.undone || one.act === "undo" ? null : h("button", { text: t("undo"), data: { key: `u${one.id}` }, onclick: () => act(table, { act: "undo", of: one.id }, t("done.undone")) }))).reverse())]);
};
