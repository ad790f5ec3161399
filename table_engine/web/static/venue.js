// The venue at a glance: every table, what needs a person now, and how often referees agreed with the alerts.

import { handLine, pointsOf, seatName } from "/static/board.js";
import { act } from "/static/deeds.js";
import { frame, mark } from "/static/frame.js";
import { ask, at, download, fill, h, keep, say } from "/static/kit.js";
import { Boards, get, listen, send, tableNow, text } from "/static/link.js";
import { minutes, named, t, told } from "/static/words.js";

// What can be taken away: its name here, the words before its form, where it is asked for, what the file is called.
const FORMS = [
  ["results.html", "results", "HTML", "sheet?what=results&to=html", "results.html"], ["results.csv", "results", "CSV", "sheet?what=results&to=csv", "results.csv"],
  ["ruling.html", "ruling.sheet", "HTML", "sheet?what=ruling&to=html", "ruling.html"], ["ruling.csv", "ruling.sheet", "CSV", "sheet?what=ruling&to=csv", "ruling.csv"],
  ["mjai", "", "mjai", "record?to=mjai", "mjai.json"], ["tenhou6", "", "tenhou.net/6", "record?to=tenhou6", "tenhou6.json"],
];
const PRECISION_MS = 15000;
const boards = new Boards();
await frame({ needs: "venue", title: "venue" });

const troubles = (board) => [...(board.faults ?? []).map((f) => `${f.source}: ${told(f.phrase ?? f.says)}`), ...(board.view?.phrases?.length ? board.view.phrases : board.view?.degraded ?? []).map(told),
  ...Object.entries(board.view?.sensors ?? {}).filter(([, how]) => how !== "online").map(([src, how]) => `${src}: ${how}`)];
const level = (board) => !board.view ? "off" : board.alerts?.some((a) => a.severity === "foul") ? "foul" : board.alerts?.length || troubles(board).length ? "check" : "";

const assign = async (table, board) => {
  const given = await ask(t("players"), board.view.seats.map((seat) => h("label", {}, t("seat.number", { n: seat.seat + 1 }), h("input", { name: `n${seat.seat}`, value: seat.name, maxlength: "60" }))), { yes: t("save"), no: t("cancel") });
  if (given) await act(table, { act: "players", names: [given.n0, given.n1, given.n2, given.n3] }, t("done.saved"));
};
const begin = async (table) => { if (await ask(t("match.start"), [h("p", { text: t("match.start.hint") })], { yes: t("match.start"), no: t("cancel") })) await act(table, { act: "match_start" }, t("done.saved")); };
const finish = async (table) => { if (await ask(t("match.end"), [h("p", { text: t("match.end.hint") })], { yes: t("match.end"), no: t("cancel"), danger: true })) await act(table, { act: "match_end" }, t("done.saved")); };
const take = async (table) => {
  const given = await ask(t("export"), [h("label", {}, t("export.form"), h("select", { name: "to" }, FORMS.map(([value, word, form]) => h("option", { value, text: word ? `${t(word)} · ${form}` : form }))))], { yes: t("export"), no: t("cancel") });
  if (!given) return;
  const [, , , path, file] = FORMS.find(([value]) => value === given.to);
  try { download(`${table}.${file}`, await text(`/api/tables/${encodeURIComponent(table)}/${path}`)); } catch (error) { say(error.message, "bad"); }
};
const change = async (table, board) => {
  let sets;
  try { sets = await get("/api/rulesets"); } catch (error) { say(error.message, "bad"); return; }
  const now = board.view?.ruleset;
  const given = await ask(t("ruleset.word"), [h("label", {}, t("ruleset.word"), h("select", { name: "ruleset" }, sets.map((one) => h("option", { value: one.id, text: named("ruleset", one.id), selected: one.id === now })))), h("p", { class: "soft", text: t("rules.change.hint") })], { yes: t("save"), no: t("cancel") });
  if (!given || given.ruleset === now) return;
  try {
    const answer = await send(`/api/tables/${encodeURIComponent(table)}/ruleset`, { ruleset: given.ruleset }, "PUT");
    say(answer.ok ? t("done.saved") : answer.error, answer.ok ? "" : "bad");
  } catch (error) { say(error.message, "bad"); }
};

const ends = (board, at) => minutes((at - (board.clocks.paused ? board.clocks.now_ms : tableNow(board))) / 1000);
const clock = (table, board, at, who) => (at ?? null) === null ? null
  : h("span", { class: "tag" }, who ? `${who} ` : "", h("b", { data: { table, ends: at }, text: ends(board, at) }));

// Hands and penalties behind a line that unfolds.
const standings = (view, ledger) => view && ledger?.hands.length ? [h("summary", { text: t("results") }), h("div", { class: "scroll", tabindex: "0", "aria-label": t("results") }, h("table", {},
  h("thead", {}, h("tr", {}, h("th", { text: t("hand") }), view.seats.map((seat) => h("th", { class: "number", scope: "col", text: seatName(seat) })))),
  h("tbody", {}, ledger.hands.map((hand) => h("tr", {}, h("td", { text: hand.number }), [0, 1, 2, 3].map((n) => h("td", { class: "number", text: hand.total?.[n] ?? "–" })))),
    h("tr", {}, h("th", { text: t("sum") }), [0, 1, 2, 3].map((n) => h("td", { class: "number" }, h("b", { text: pointsOf(ledger, n)?.toLocaleString() ?? "" })))))))] : [];

// One table. What can be pressed or unfolded is made once, so that nothing moves under a finger while the table plays.
const PARTS = [["header", ""], ["p", "soft line"], ["div", "four"], ["div", "row tags"], ["details", ""], ["ul", "troubles"]];
const newPlace = ([table]) => h("div", { data: { cell: table } }, h("article", { data: { table } }, PARTS.map(([tag, kind]) => h(tag, { class: kind })),
  h("div", { class: "row" }, h("a", { class: "button", href: `/table/${encodeURIComponent(table)}`, text: t("watch") }),
    h("button", { class: "seated", text: t("players"), onclick: () => assign(table, boards.all.get(table)) }),
    h("button", { text: t("ruleset.word"), onclick: () => change(table, boards.all.get(table)) }),
    h("button", { text: t("match.start"), onclick: () => begin(table) }), h("button", { text: t("match.end"), onclick: () => finish(table) }), h("button", { text: t("export"), onclick: () => take(table) }))));

const drawPlace = (cell, [table, board]) => {
  const { view, clocks, ledger } = board, waiting = board.alerts?.length ?? 0, how = level(board), ill = troubles(board).slice(0, 3);
  const [article] = cell.children, [head, line, four, tags, results, list, acts] = article.children;
  article.className = `place ${how}`;
  acts.querySelector(".seated").hidden = !view;
  fill(head, [table, view?.wall_left], () => [h("b", { text: table }), view && view.wall_left !== null ? h("span", {}, h("span", { class: "wall", text: view.wall_left }), ` ${t("tiles.left")}`) : null]);
  line.textContent = view ? handLine(view, "") : t("table.silent");
  fill(four, [view?.turn, view?.seats.map(({ name, dealer }) => [name, dealer]), ledger?.standings], () => view?.seats.map((seat) =>
    h("span", { class: view.turn === seat.seat ? "turn" : "" }, h("i", { text: `${seatName(seat)}${seat.dealer ? " ●" : ""}` }), h("b", { text: pointsOf(ledger, seat.seat)?.toLocaleString() ?? "" }))) ?? []);
  fill(tags, [how, waiting, clocks, ledger?.over], () => [
    h("span", { class: `tag ${waiting ? how : "ok"}`, text: waiting ? t("alerts.n", { n: waiting }) : t("alerts.none") }),
    clocks ? clock(table, board, clocks.match_ends_ms, t("clock.match")) : null,
    clocks && view && clocks.turn !== null ? clock(table, board, clocks.turn_ends_ms, seatName(view.seats[clocks.turn])) : null,
    clocks?.paused ? h("span", { class: "tag check", text: t("paused") }) : null, ledger?.over ? h("span", { class: "tag ok", text: t("match.over") }) : null]);
  results.hidden = !(view && ledger?.hands.length);
  fill(results, [ledger, view?.seats.map(({ name }) => name)], () => standings(view, ledger));
  list.hidden = !ill.length;
  fill(list, ill, () => ill.map((says) => h("li", { text: says })));
};

const draw = () => {
  const all = [...boards.all].sort((a, b) => a[0].localeCompare(b[0], undefined, { numeric: true }));
  const playing = all.filter(([, b]) => b.view?.phase === "playing").length, waiting = all.reduce((n, [, b]) => n + (b.alerts?.length ?? 0), 0), ill = all.filter(([, b]) => troubles(b).length).length;
  fill(at("summary"), [all.length, playing, waiting, ill], () => [[all.length, "sum.tables", ""], [playing, "sum.playing", ""], [waiting, "sum.alerts", waiting ? "bad" : ""], [ill, "sum.care", ill ? "warn" : ""]].map(([n, word, kind]) => h("div", { class: kind }, h("b", { text: n }), h("span", { class: "soft", text: t(word) }))));
  keep(at("grid"), all, { name: ([table]) => table, make: newPlace, draw: drawPlace });
  const cares = all.flatMap(([table, board]) => troubles(board).map((says) => [table, says]));
  at("care").hidden = cares.length === 0;
  fill(at("cares"), cares, () => cares.map(([table, says]) => h("li", {}, h("b", { text: table }), says)));
};
setInterval(() => {
  for (const one of document.querySelectorAll("[data-ends]")) one.textContent = ends(boards.all.get(one.dataset.table), Number(one.dataset.ends));
}, 1000);

const STATES = ["open", "confirmed", "dismissed", "overturned", "withdrawn"];
let counted = [];
at("take-counts").onclick = () => download("agreement.csv", [["code", ...STATES], ...counted.map((row) => [row.code, ...STATES.map((state) => row[state])])].map((cells) => `${cells.join(",")}\r\n`).join(""));
const precision = async () => {
  try {
    const rows = counted = await get("/api/precision");
    fill(at("heads"), "heads", () => h("tr", {}, ["fouls", "state.open", "state.confirmed", "state.dismissed", "state.overturned", "state.withdrawn", "agreed"].map((word) => h("th", { scope: "col", text: t(word) }))));
    fill(at("counts"), rows, () => rows.length ? rows.map((row) => {
      const ruled = row.confirmed + row.dismissed + row.overturned, share = ruled ? row.confirmed / ruled : null;
      const bar = h("span", { class: "bar" });
      bar.style.width = `${Math.round((share ?? 0) * 100) / 20}rem`;
      return h("tr", {}, h("th", { scope: "row", text: named("foul", row.code) }), [row.open, row.confirmed, row.dismissed, row.overturned, row.withdrawn].map((n) => h("td", { text: n })), h("td", {}, share === null ? "–" : [bar, `${Math.round(share * 100)} %`]));
    }) : h("tr", {}, h("td", { colspan: "7", class: "empty", text: t("precision.none") })));
  } catch { /* asked again */ }
};
precision();
setInterval(precision, PRECISION_MS);
let due = false;
listen({ parts: ["view", "alerts", "faults", "clocks", "ledger"] }, { board: (event) => { boards.take(event); if (!due) { due = true; setTimeout(() => { due = false; draw(); }, 100); } }, state: mark });
