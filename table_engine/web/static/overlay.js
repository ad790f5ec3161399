// The overlay of one table for a stream. Everything is chosen in the address; secrecy and delay are the server's, by the key.
//
//   /overlay/table-1#key=…            the key; `?key=` works too, but addresses end up in logs
//   ?show=match,ponds,melds,hands,waits,scores,clocks,dora,wall,splash,names     what is shown (all)
//   ?theme=felt  ?lang=ja  ?layout=sides|bottom|tall  ?offset=250  ?debug=1

import { effectsOf, melds, pointsOf, seatName, tile, wind } from "/static/board.js";
import { at, fill, h } from "/static/kit.js";
import { Boards, listen, tableNow, useKey } from "/static/link.js";
import { minutes, named, start, t } from "/static/words.js";

const ALL = ["match", "names", "ponds", "melds", "hands", "waits", "scores", "clocks", "dora", "wall", "splash"];
const SPLASH_MS = { ready: 3500, win: 8000, foul: 6000 };
const STALE_MS = 15000;
const query = new URLSearchParams(location.search);
const secret = new URLSearchParams(location.hash.slice(1));
const shown = new Set((query.get("show") ?? ALL.join(",")).split(",").filter(Boolean));
const offset = Math.min(Math.max(Number(query.get("offset")) || 0, 0), 60000);
const table = decodeURIComponent(location.pathname.replace(/^\/overlay\//, ""));
const tall = innerHeight > innerWidth;
const layout = query.get("layout") ?? (tall ? "tall" : "sides");
const boards = new Boards();
let heard = 0;
let state = "wait";

useKey(secret.get("key") ?? query.get("key"));
document.documentElement.dataset.layout = layout;
const theme = query.get("theme");
if (theme && /^[\w-]+$/.test(theme)) document.head.append(h("link", { rel: "stylesheet", href: `/themes/${theme}.css` }));

// The canvas is 1920 wide (or 1080 in tall layouts) whatever size the source has: everything scales with the window.
const scale = () => document.documentElement.style.setProperty("--u", `${innerWidth / (layout === "tall" ? 1080 : 1920)}px`);
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

const player = (view, seat, hand, ledger) => {
  const effects = effectsOf(seat);
  return h("article", { class: ["o-seat", view.turn === seat.seat ? "turn" : "", seat.ready ? "ready" : ""].join(" "), data: { seat: seat.seat } },
    shown.has("names") ? h("header", {},
      seat.wind ? h("span", { class: `o-wind${seat.dealer ? " dealer" : ""}`, text: wind(seat) }) : null,
      h("b", { text: seatName(seat) }),
      seat.ready ? h("span", { class: "o-ready", text: t("ready") }) : null,
      effects ? h("span", { class: "o-effect", text: effects }) : null,
      shown.has("scores") && pointsOf(ledger, seat.seat) !== null ? h("span", { class: "o-points", text: pointsOf(ledger, seat.seat).toLocaleString() }) : null) : null,
    h("div", { class: "o-tiles" },
      shown.has("hands") || seat.open.length ? rack(seat, hand) : null,
      shown.has("melds") ? h("div", { class: "o-melds" }, melds(seat), seat.flowers.map((code) => tile(code, "flower"))) : null),
    h("div", { class: "o-under" },
      shown.has("ponds") ? pond(seat, view) : null,
      shown.has("waits") ? waits(hand) : null));
};

const match = (view) => h("div", { class: "o-match" },
  h("b", { text: named("ruleset", view.ruleset) }), h("span", { text: t("hand.n", { n: view.hand }) }),
  shown.has("wall") && view.wall_left !== null ? h("span", { class: "o-wall" }, h("b", { text: view.wall_left }), ` ${t("tiles.left")}`) : null,
  shown.has("dora") && view.dora.length ? h("span", { class: "o-dora" }, view.dora.map((code) => tile(code))) : null,
  shown.has("clocks") ? h("span", { class: "o-clock", id: "clock" }) : null);

const tick = () => {
  const board = boards.all.get(table);
  const clock = board?.clocks;
  const now = clock?.paused ? clock.now_ms : tableNow(board);
  const ends = clock?.match_ends_ms ?? null;
  if (at("clock")) at("clock").textContent = ends === null ? "" : minutes((ends - now) / 1000);
  const quiet = heard ? performance.now() - heard : 0;
  if (query.get("debug") === "1") {
    at("debug").hidden = false;
    at("debug").className = state !== "live" || quiet > STALE_MS ? "stale" : "";
    at("debug").textContent = `${table} · ${t(`link.${state}`)} · ${Math.round(quiet / 1000)} s · seq ${board?.view?.state_seq ?? "–"} · offset ${offset} ms`;
  }
};
setInterval(tick, 250);

// Moments that were there when we came are old; one that is taken back is taken off the screen at once.
let known = null;
const celebrate = (moments, view, ledger) => {
  const fresh = known === null ? [] : moments.filter((moment) => !moment.undone && !known.has(moment.id));
  known = new Map(moments.map((moment) => [moment.id, moment.undone]));
  for (const splash of [...at("splash").children]) if (known.get(splash.dataset.id) !== false) splash.remove();
  if (!shown.has("splash")) return;
  for (const moment of fresh) {
    const splash = h("div", { class: `o-splash ${moment.what}`, data: { id: moment.id } },
      h("strong", { text: t(`splash.${moment.what}`) }),
      h("span", { text: seatName(view.seats[moment.seat]) }),
      moment.what === "win" ? h("small", { text: ledger?.hands?.at(-1)?.wins?.find((win) => win.seat === moment.seat)?.says ?? "" }) : null,
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
  fill(at("match"), [view.hand, view.wall_left, view.dora, view.ruleset], () => (shown.has("match") ? match(view) : ""));
  const players = at("players");
  if (players.children.length !== 4) players.replaceChildren(...view.seats.map(() => h("div")));
  view.seats.forEach((seat, n) => fill(players.children[n], [seat, view.turn, board.ledger?.standings, board.hands?.seats?.[n]], () => player(view, seat, board.hands?.seats?.[n], board.ledger)));
  if (board.moments || known === null) celebrate(board.moments ?? [], view, board.ledger);
  tick();
};

const later = offset ? (what) => setTimeout(what, offset) : (what) => what();

await start();
listen({ tables: [table], parts: ["view", "moments", "hands", "ledger", "clocks"] }, {
  board: (event) => later(() => { heard = performance.now(); boards.take(event); draw(); }),
  state: (now) => { state = now; tick(); },
});
