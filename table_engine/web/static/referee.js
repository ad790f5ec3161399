// The referee's console: one queue over all tables by severity and age, the case that is open, and the tables' tools.

import { seatName, wind } from "/static/board.js";
import { caseOf } from "/static/case.js";
import { act } from "/static/deeds.js";
import { frame, mark } from "/static/frame.js";
import { ask, at, fill, h, keep } from "/static/kit.js";
import { Boards, listen, tableNow } from "/static/link.js";
import { bench } from "/static/bench.js";
import { Bell } from "/static/bell.js";
import { lastWords } from "/static/moves.js";
import { alertTexts, known, minutes, named, t } from "/static/words.js";

const boards = new Boards();
const site = await frame({ needs: "rule", title: "referee" });
const bell = new Bell();
let tab = "open";
let chosen = null;  // { table, alert } or { table }
const heard = new Set();

const byName = (a, b) => a.localeCompare(b, undefined, { numeric: true });
const RANK = { foul: 0, check: 1 };
const every = (part) => [...boards.all].flatMap(([table, board]) => (board[part] ?? []).map((alert) => ({ table, board, alert })));
const urgency = (a, b) => RANK[a.alert.severity] - RANK[b.alert.severity] || age(b) - age(a) || a.alert.id.localeCompare(b.alert.id);
// By severity and age; alerts of one incident stand together behind the most urgent of them.
const open = () => {
  const incidents = new Map();
  for (const one of every("alerts").sort(urgency)) {
    const key = `${one.table}/${one.alert.incident || one.alert.id}`;
    incidents.set(key, [...(incidents.get(key) ?? []), { ...one, follows: incidents.has(key) }]);
  }
  return [...incidents.values()].flat();
};
const decided = () => every("ended").sort((a, b) => (b.alert.appeal === "open") - (a.alert.appeal === "open") || b.alert.at_ms - a.alert.at_ms);
const age = ({ board, alert }) => tableNow(board) - alert.at_ms;
export const find = (table, id) => every("alerts").concat(every("ended")).find((one) => one.table === table && one.alert.id === id);

const who = ({ board, alert }) => {
  const seat = board.view?.seats[alert.seat];
  return seat ? [seatName(seat), wind(seat)].filter(Boolean).join(" · ") : t("seat.number", { n: alert.seat + 1 });
};

// How long appeals are still heard: after the match an alert belongs to, where its rules say so.
const leftWords = (board, until) => { const ms = until - tableNow(board); return ms > 0 ? t("appeal.left", { time: minutes(ms / 1000) }) : t("appeal.over"); };
const appealsLeft = ({ table, board, alert }) => {
  const { appeals_until_ms: until, hands } = board.ledger ?? {};
  return until && alert.hand >= (hands[0]?.number ?? 0) ? h("span", { class: "tag", data: { table, until }, text: leftWords(board, until) }) : null;
};

const keyOf = ({ table, alert }) => `${table}/${alert.id}`;
const newItem = ({ table, alert }) => h("li", {},
  h("button", { class: "item", data: { key: `${table}/${alert.id}`, code: alert.code }, onclick: () => choose({ table, alert: alert.id }) }),
  h("button", { class: "take", text: "✓", title: t("acknowledge"), "aria-label": `${t("acknowledge")}: ${table}, ${named("foul", alert.code)}`,
    onclick: () => act(table, { act: "acknowledge", alert: alert.id }, t("done.acknowledged")) }));

const drawItem = (done) => (row, one) => {
  const { table, alert, board } = one;
  const [button, take] = row.children;
  const bundled = one.follows || (alert.incident && alert.incident !== alert.id);
  row.className = [alert.state === "open" ? "open" : "", one.follows ? "follows" : ""].join(" ");
  take.hidden = alert.state !== "open";
  button.className = `item ${alert.severity}${done ? " done" : ""}${!done && alert.state === "open" && age(one) < 5000 ? " fresh" : ""}`;
  button.dataset.state = alert.state;
  button.toggleAttribute("aria-current", false);
  if (chosen?.alert === alert.id && chosen.table === table) button.setAttribute("aria-current", "true");
  const appeals = board.ledger?.appeals_until_ms;
  fill(button, [done, alert, board.view?.seats[alert.seat].name, board.view?.seats[alert.seat].wind, bundled, done && [appeals, board.ledger?.match]], () => [
    h("b", { text: named("foul", alert.code) }), h("span", { class: "age", data: { table, at: alert.at_ms }, text: done ? "" : minutes(age(one) / 1000) }),
    h("span", { class: "who", text: `${table} · ${who(one)}` }),
    h("span", { class: "says", text: alertTexts(alert).says }),
    h("span", { class: "tags" },
      h("span", { class: `tag ${alert.severity}`, text: t(`severity.${alert.severity}`) }),
      h("span", { class: "tag", text: alert.rule }),
      alert.state !== "open" ? h("span", { class: `tag${alert.state === "confirmed" ? " ok" : ""}`, text: [t(`state.${alert.state}`), alert.by].filter(Boolean).join(" · ") }) : null,
      done && !alert.appeal ? appealsLeft(one) : null,
      alert.appeal === "open" ? h("span", { class: "tag check", text: t("appeal.open") }) : null,
      bundled ? h("span", { class: "tag", text: t("incident.part") }) : null)]);
};

const newTable = ([table]) => h("li", {}, h("button", { class: "item", data: { key: table }, onclick: () => choose({ table }) }));
const drawTable = (row, [table, board]) => {
  const waiting = board.alerts?.length ?? 0, [button] = row.children;
  button.className = `item ${waiting ? "foul" : "done"}`;
  button.toggleAttribute("aria-current", false);
  if (chosen?.table === table && !chosen.alert) button.setAttribute("aria-current", "true");
  fill(button, [waiting, board.view?.seats.map(seatName), board.view?.hand, board.view && lastWords(board)], () => [
    h("b", { text: table }), h("span", { class: "age", text: waiting || "" }),
    h("span", { class: "who", text: board.view ? board.view.seats.map(seatName).join(" · ") : "" }),
    h("span", { class: "says", text: board.view ? `${t("hand.n", { n: board.view.hand })} · ${lastWords(board)}` : "" })]);
};

const draw = () => {
  const waiting = open();
  const counts = { open: waiting.length, decided: every("ended").filter(({ alert }) => alert.appeal === "open").length };
  fill(at("tabs"), [tab, counts], () => ["open", "decided", "tables"].map((name) => h("button", {
    role: "tab", "aria-selected": tab === name ? "true" : "false", data: { key: name }, onclick: () => { tab = name; draw(); },
  }, t(`tab.${name}`), counts[name] ? h("span", { class: "count", text: counts[name], title: name === "decided" ? t("appeal.open") : null }) : null)));
  const rows = tab === "open" ? waiting : tab === "decided" ? decided() : [...boards.all].sort(([a], [b]) => byName(a, b));
  keep(at("list"), rows, tab === "tables" ? { name: ([table]) => table, make: newTable, draw: drawTable } : { name: keyOf, make: newItem, draw: drawItem(tab === "decided") });
  at("none").hidden = rows.length > 0;
  at("none").textContent = t(`none.${tab}`);
  document.title = `${waiting.length ? `(${waiting.length}) ` : ""}${t("referee")} · Jantaku`;
  drawCase();
};

const drawCase = () => {
  at("console").classList.toggle("open", Boolean(chosen));
  const back = () => h("button", { class: "back", text: `← ${t("back")}`, onclick: () => choose(null) });
  if (!chosen) {
    fill(at("case"), "nothing", () => h("p", { class: "empty", text: t("case.choose") }));
    return;
  }
  const board = boards.all.get(chosen.table);
  const one = chosen.alert ? find(chosen.table, chosen.alert) : null;
  if (one) {
    const bundle = every("alerts").concat(every("ended")).filter((other) => other.table === one.table && other.alert.id !== one.alert.id
      && (other.alert.incident || other.alert.id) === (one.alert.incident || one.alert.id));
    fill(at("case"), ["case", one.alert, (board?.docket?.acts ?? []).filter((did) => did.did.alert === one.alert.id), bundle.map(({ alert }) => [alert.id, alert.state])], () => [back(), ...caseOf(one, { site, bundle, choose })]);
  } else if (board?.view) {
    bench(at("case"), { table: chosen.table, board, site, back });
  } else fill(at("case"), "gone", () => [back(), h("p", { class: "empty", text: t("case.gone") })]);
};

const choose = (what) => {
  chosen = what;
  history.replaceState(null, "", what ? `#${encodeURIComponent(what.table)}${what.alert ? `/${encodeURIComponent(what.alert)}` : ""}` : location.pathname);
  draw();
  if (what) { at("case").scrollTop = 0; if (innerWidth <= 820) scrollTo(0, 0); }
};

const take = (event) => {
  const { table, board, before } = boards.take(event);
  if (event.alerts) {
    const name = (alert) => `${table}/${alert.id}/${alert.severity}`;  // a check that becomes a foul is news
    const fresh = board.alerts.filter((alert) => alert.state === "open" && !heard.has(name(alert)));
    for (const alert of board.alerts) heard.add(name(alert));
    const loud = fresh.filter((alert) => !bell.muted(table, alert.code));
    if (before && loud.length) bell.ring(loud.some((alert) => alert.severity === "foul") ? "foul" : "check");
  }
  soon();
};

let due = false;
const soon = () => { if (!due) { due = true; requestAnimationFrame(() => { due = false; draw(); }); } };

setInterval(() => {
  for (const age of document.querySelectorAll(".age[data-at]")) {
    const board = boards.all.get(age.dataset.table);
    if (board && age.textContent) age.textContent = minutes((tableNow(board) - Number(age.dataset.at)) / 1000);
  }
  if (chosen && !chosen.alert) drawCase();
  for (const left of document.querySelectorAll("[data-until]")) left.textContent = leftWords(boards.all.get(left.dataset.table), Number(left.dataset.until));
}, 1000);

const soundButton = () => {
  at("sound").textContent = bell.on ? t("sound.on") : t("sound.off");
  at("sound").setAttribute("aria-pressed", bell.on ? "true" : "false");
  at("mutes").textContent = bell.mutes.size ? `${t("mute")} (${bell.mutes.size})` : t("mute");
};
bell.onchange = soundButton;
at("sound").onclick = () => { bell.toggle(); soundButton(); };
at("mutes").onclick = async () => {
  const codes = [...new Set([...every("alerts"), ...every("ended")].map(({ alert }) => alert.code).concat(known("foul")))].sort((a, b) => named("foul", a).localeCompare(named("foul", b)));
  const box = (group, name, label) => h("label", { class: "tick" }, h("input", { type: "checkbox", name: `${group}:${name}`, checked: bell.mutes.has(`${group}:${name}`) }), label);
  const answer = await ask(t("mute.title"), [
    h("h3", { text: t("tab.tables") }), h("div", { class: "row" }, [...boards.all.keys()].sort(byName).map((table) => box("table", table, table))),
    h("h3", { text: t("fouls") }), h("div", { class: "row" }, codes.map((code) => box("code", code, named("foul", code)))),
  ], { yes: t("save"), no: t("cancel") });
  if (answer) { bell.setMutes(Object.keys(answer)); soundButton(); }
};
at("keys").onclick = () => ask(t("keys.help"), [h("dl", { class: "law" }, [["↑ ↓ / J K", "keys.move"], ["A", "acknowledge"], ["C", "confirm"], ["D", "dismiss"], ["O", "overturn"], ["P", "print"], ["Esc", "back"]]
  .map(([key, word]) => [h("dt", { text: key }), h("dd", { text: t(word) })]))], { yes: t("close"), no: t("cancel") });

const KEYS = { a: "acknowledge", c: "confirm", d: "dismiss", o: "overturn", p: "print" };
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const items = [...at("list").querySelectorAll(".item")];
  const here = items.findIndex((one) => one.getAttribute("aria-current"));
  if (["ArrowDown", "j", "ArrowUp", "k"].includes(event.key) && items.length) {
    event.preventDefault();
    const by = ["ArrowDown", "j"].includes(event.key) ? 1 : -1;
    items[Math.min(Math.max(here < 0 ? 0 : here + by, 0), items.length - 1)].click();
    at("list").querySelector("[aria-current]")?.focus();
  } else if (event.key === "Escape") choose(null);
  else if (KEYS[event.key]) document.querySelector(`.acts [data-act="${KEYS[event.key]}"]`)?.click();
});

soundButton();
// The address names the case or table that is open, so that a link leads to it.
const go = () => {
  const [table, alert] = location.hash.slice(1).split("/").map(decodeURIComponent);
  chosen = table ? (alert ? { table, alert } : { table }) : null;
  if (chosen && !chosen.alert) tab = "tables";
  draw();
};
addEventListener("hashchange", go);
go();
listen({ parts: ["view", "alerts", "ended", "moves", "clocks", "ledger", "docket", "result"] }, { board: take, state: mark });
