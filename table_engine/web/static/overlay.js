// The overlay of one table for a stream. Everything is chosen in the address; secrecy and delay are the server's, by the key.
//
//   /overlay/table-1#key=…            the key; `?key=` works too, but addresses end up in logs
//   ?show=match,ponds,melds,hands,waits,scores,clocks,dora,wall,splash,names     what is shown (all)
//   ?theme=felt  ?lang=ja  ?layout=sides|bottom|tall  ?offset=250  ?debug=1

import { effectsOf, melds, pointsOf, seatName, tile, wind } from "/static/board.js";
import { at, fill, h } from "/static/kit.js";
import { Boards, listen, tableNow, useKey } from "/static/link.js";
import { minutes, named, start, t, told } from "/static/words.js";

const ALL = ["match", "names", "ponds", "melds", "hands", "waits", "scores", "clocks", "dora", "wall", "splash"];
const SPLASH_MS = { ready: 3500, win: 8000, foul: 6000 };
const STALE_MS = 15000;
const query = new URLSearchParams(location.search);
const secret = new URLSearchParams(location.hash.slice(1));
const shown = new Set((query.get("show") ?? ALL.join(",")).split(",").filter(Boolean));
const offset = Math.min(Math.max(Number(query.get("offset")) || 0, 0), 60000);
const table = decodeURIComponent(location.pathname.replace(/^\/overlay\//, ""));
const boards = new Boards();
let heard = performance.now();
let state = "wait";

useKey(secret.get("key") ?? query.get("key"));
const theme = query.get("theme");
if (theme && /^[\w-]+$/.test(theme)) document.head.append(h("link", { rel: "stylesheet", href: `/themes/${theme}.css` }));

// The canvas is 1920 wide (or 1080 in tall layouts) whatever size the source has: everything scales with the window.
const scale = () => {
  const layout = query.get("layout") ?? (innerHeight > innerWidth ? "tall" : "sides");
  document.documentElement.dataset.layout = layout;
  document.documentElement.style.setProperty("--u", `${innerWidth / (layout === "tall" ? 1080 : 1920)}px`);
};
addEventListener("resize", scale);
scale();

const ROWS = 6;
const pond = (seat, view) => h("div", { class: "o-pond" }, Array.from({ length: Math.ceil(seat.pond.length / ROWS) }, (_, n) =>
  h("div", { class: "lane" }, seat.pond.slice(n * ROWS, n * ROWS + ROWS).map((lying, k) =>
    tile(lying.tile, [lying.sideways ? "sideways" : "", n * ROWS + k === seat.pond.length - 1 && view.turn === (seat.seat + 1) % 4 ? "new" : ""].join(" "))))));

const rack = (seat, hand) => {
  const faces = seat.open.length ? seat.open : hand?.tiles;
  const box = h("div", { class: "o-rack" });
  if (faces?.length) {
    faces.forEach((code) => box.append(tile(code)));
    if (hand?.drawn && !seat.open.length) box.append(tile(hand.drawn, "drawn"));
  } else for (let n = 0; n < seat.concealed; n++) box.append(h("div", { class: "tile back" }));
  return box;
};

const waits = (hand) => hand?.waits?.length
  ? h("div", { class: "o-waits" }, h("span", { text: t("waits") }), hand.waits.map((wait) => h("span", { class: "wait" }, tile(wait.tile ?? wait), wait.left === undefined ? null : h("i", { text: wait.left }))))
  : hand?.distance > 0 ? h("div", { class: "o-waits soft", text: t("distance", { n: hand.distance }) }) : null;

// Which of some parts there are, in an element; nothing without any.
const some = (tag, kind, ...parts) => {
  const here = parts.flat().filter(Boolean);
  return here.length ? h(tag, { class: kind }, here) : null;
};
const on = (what, part) => (shown.has(what) ? part() : null);

const player = (view, seat, hand, ledger, clock) => {
  const effects = effectsOf(seat), points = pointsOf(ledger, seat.seat);
  return h("article", { class: ["o-seat", view.turn === seat.seat ? "turn" : "", seat.ready ? "ready" : ""].join(" "), data: { seat: seat.seat } },
    some("header", "", on("names", () => [
      seat.wind ? h("span", { class: `o-wind${seat.dealer ? " dealer" : ""}`, text: wind(seat) }) : null,
      h("b", { text: seatName(seat) }),
      seat.ready ? h("span", { class: "o-ready", text: t("ready") }) : null,
      effects ? h("span", { class: "o-effect", text: effects }) : null]),
    on("clocks", () => runs(clock, seat)),
    on("scores", () => points !== null && h("span", { class: "o-points", text: points.toLocaleString() }))),
    some("div", "o-tiles", on("hands", () => rack(seat, hand)),
      on("melds", () => h("div", { class: "o-melds" }, melds(seat), seat.flowers.map((code) => tile(code, "flower"))))),
    some("div", "o-under", on("ponds", () => pond(seat, view)), on("waits", () => waits(hand))));
};

// What runs against a seat: a referee's count goes before the clock of the turn.
const runs = (clock, { seat }) => {
  const ends = clock?.counted === seat ? clock.count_ends_ms : clock?.turn === seat ? clock.turn_ends_ms : null;
  return ends === null ? null : h("span", { class: `o-clock${clock.counted === seat ? " counted" : ""}`, data: { ends } });
};

const match = (view, clock) => some("div", "o-match",
  on("match", () => [h("b", { text: named("ruleset", view.ruleset) }), h("span", { text: t("hand.n", { n: view.hand }) })]),
  on("wall", () => view.wall_left !== null && h("span", { class: "o-wall" }, h("b", { text: view.wall_left }), ` ${t("tiles.left")}`)),
  on("dora", () => view.dora.length > 0 && h("span", { class: "o-dora" }, view.dora.map((code) => tile(code)))),
  on("clocks", () => (clock?.match_ends_ms ?? null) !== null && h("span", { class: "o-clock", data: { ends: clock.match_ends_ms } })));

const tick = () => {
  const board = boards.all.get(table);
  const clock = board?.clocks;
  const now = clock?.paused ? clock.now_ms : tableNow(board);
  for (const one of document.querySelectorAll(".o-clock")) {
    one.textContent = minutes((one.dataset.ends - now) / 1000);
    one.classList.toggle("out", one.dataset.ends < now);
  }
  if (query.get("debug") !== "1") return;
  const quiet = performance.now() - heard;
  at("debug").hidden = false;
  at("debug").className = state !== "live" || quiet > STALE_MS ? "stale" : "";
  const strange = [...shown].filter((what) => !ALL.includes(what));
  at("debug").textContent = [table, t(`link.${state}`), `${Math.round(quiet / 1000)} s`, `seq ${board?.view?.state_seq ?? "–"}`, `offset ${offset} ms`,
    strange.length ? `show=… ${strange.join(",")}?` : ""].filter(Boolean).join(" · ");
};
setInterval(tick, 250);

const wonWith = (win) => told(win?.phrase ?? win?.says ?? "");

// Moments that were there when we came, or before the server was started anew, are old; one that is taken back is taken off
// the screen at once.
let known = null;
const celebrate = (moments, view, ledger) => {
  const fresh = known === null ? [] : moments.filter((moment) => !moment.undone && !known.has(moment.id));
  known = new Map([...(known ?? []), ...moments.map((moment) => [moment.id, moment.undone])]);
  for (const splash of [...at("splash").children]) if (known.get(splash.dataset.id) !== false) splash.remove();
  if (!shown.has("splash")) return;
  for (const moment of fresh) {
    const splash = h("div", { class: `o-splash ${moment.what}`, data: { id: moment.id } },
      h("strong", { text: t(`splash.${moment.what}`) }),
      h("span", { text: seatName(view.seats[moment.seat]) }),
      moment.what === "win" ? h("small", { text: wonWith(ledger?.hands?.at(-1)?.wins?.find((win) => win.seat === moment.seat)) }) : null,
      moment.what === "foul" ? h("small", { text: `${named("foul", moment.code)} · ${moment.rule}` }) : null);
    at("splash").append(splash);
    setTimeout(() => splash.remove(), SPLASH_MS[moment.what]);
  }
};

const draw = () => {
  const board = boards.all.get(table);
  const view = board?.view;
  at("stage").hidden = !view;
  if (!view) return;
  const clock = board.clocks;
  fill(at("match"), [view.hand, view.wall_left, view.dora, view.ruleset, clock?.match_ends_ms], () => match(view, clock));
  const players = at("players");
  if (players.children.length !== 4) players.replaceChildren(...view.seats.map(() => h("div")));
  view.seats.forEach((seat, n) => fill(players.children[n], [seat, view.turn, board.ledger?.standings, board.hands?.seats?.[n], clock?.counted, clock?.count_ends_ms, clock?.turn_ends_ms], () => player(view, seat, board.hands?.seats?.[n], board.ledger, clock)));
  if (board.moments || known === null) celebrate(board.moments ?? [], view, board.ledger);
  tick();
};

const later = offset ? (what) => setTimeout(what, offset) : (what) => what();

await start();
listen({ tables: [table], parts: ["view", "moments", "hands", "ledger", "clocks"] }, {
  board: (event) => later(() => { boards.take(event); draw(); }),
  alive: () => { heard = performance.now(); },
  state: (now) => { state = now; tick(); },
});
