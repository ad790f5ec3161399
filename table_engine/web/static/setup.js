// Guided set-up of a table in five steps: cameras, calibration, tile set, serial ports, a test hand.

import { board as drawn } from "/static/board.js";
import { frame, mark } from "/static/frame.js";
import { at, fill, h, say } from "/static/kit.js";
import { Boards, get, listen, send } from "/static/link.js";
import { corners, drag, overlayOf } from "/static/calibration.js";
import { printMarkers } from "/static/markers.js";
import { newTable } from "/static/newtable.js";
import { sets, tileset } from "/static/tileset.js";
import { named, t } from "/static/words.js";
import { zonePanel } from "/static/zones.js";

const PICTURE_MS = 1000;
const STEPS = ["cameras", "calibration", "tileset", "ports", "test"];
const boards = new Boards();
await frame({ needs: "setup", title: "setup" });
const { tables } = await get("/api/tables");
let table = new URLSearchParams(location.search).get("table") ?? tables[0].id;
let step = STEPS.includes(location.hash.slice(1)) ? location.hash.slice(1) : "cameras";
let facts = null;
const anew = {};  // cameras that begin anew, with when the program they had before began
let timer = null;

const base = () => `/api/tables/${encodeURIComponent(table)}`;
// Saves what was set and says where; the sensor's own program takes it at once, and the step is busy until it is back.
// → whether it was saved and the step is still the one it was asked at
const keep = async (path, change) => {
  const asked = step;
  at("step").setAttribute("aria-busy", "true");
  try {
    const told = await send(`${base()}/${path}`, change, "PUT");
    say(told.taken ? t("kept.taken", { file: told.file }) : t("kept.later", { file: told.file, why: told.says }), told.taken ? "" : "bad");
    facts = await get(`${base()}/equipment`);
    return step === asked;
  } catch (error) { say(error.message, "bad"); return false; } finally { at("step").removeAttribute("aria-busy"); }
};
const suggested = (id, all) => h("datalist", { id }, all.map((value) => h("option", { value })));

// A camera's picture that is fetched again every second while it is on the page, with what vision reads drawn over it.
// `before`: what was known when the settings were changed; until the camera has begun anew nothing older is shown.
const live = (camera, { onread = null, zones = false, readings = false, moves = () => null, before = null } = {}) => {
  const image = h("img", { alt: t("camera.picture", { camera: camera.id }), hidden: true });
  const over = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const none = h("p", { class: "empty", text: t(before ? "picture.anew" : "picture.wait") });
  const box = h("figure", { class: "shot" }, image, over, none);
  const look = async () => {
    if (!box.isConnected) return;
    const read = await get(`${base()}/cameras/${camera.id}/picture.json`).catch(() => null);
    const url = `${base()}/cameras/${camera.id}/picture.jpg?${Date.now()}`;
    const answer = read && read.born_ms !== before ? await fetch(url).catch(() => null) : null;
    const picture = answer?.ok ? await answer.blob().catch(() => null) : null;
    if (picture) {
      const old = image.src;
      image.src = URL.createObjectURL(picture);
      if (old.startsWith("blob:")) URL.revokeObjectURL(old);
      image.hidden = false;
      none.hidden = true;
      overlayOf(over, read, facts, { zones, readings, moves: moves() });
      box.redraw = () => overlayOf(over, read, facts, { zones, readings, moves: moves() });
      onread?.(read);
    }
    setTimeout(look, PICTURE_MS);
  };
  setTimeout(look);
  return box;
};

const nothing = (word) => h("p", { class: "card empty", text: t(word) });
const health = () => Object.entries(boards.all.get(table)?.view?.sensors ?? {});
const sourceOf = (camera) => {
  const source = h("input", { value: camera.source, list: `devices-${camera.id}`, size: "40", "aria-label": t("camera.source") });
  return h("form", { class: "row", onsubmit: async (event) => { event.preventDefault(); if (await keep(`cameras/${camera.id}`, { source: source.value })) draw(); } },
    h("label", { class: "row" }, t("camera.source"), source), suggested(`devices-${camera.id}`, facts.devices), h("button", { text: t("save") }));
};
const portOf = (bridge) => {
  const port = h("input", { value: bridge.port, list: `ports-${bridge.id}`, size: "36", "aria-label": t("bridge.port") });
  const device = h("select", { "aria-label": t("bridge.device") }, ["reference", "ascii-line", "modbus"].map((name) => h("option", { value: name, text: name, selected: name === bridge.device })));
  return h("form", { class: "row", onsubmit: async (event) => { event.preventDefault(); if (await keep(`bridges/${bridge.id}`, { port: port.value, device: device.value })) draw(); } },
    h("label", { class: "row" }, t("bridge.port"), port), suggested(`ports-${bridge.id}`, facts.ports), device, h("button", { text: t("save") }));
};
// One camera's calibration: the live check over its picture, corners by hand or markers, seats turned, zones pushed.
const calibration = (camera) => {
  let last = null, moves = null;
  const told = h("p", { class: "soft", text: t("calibration.wait") });
  const deeds = h("div", { class: "row" });
  const shot = live(camera, { zones: true, readings: true, before: anew[camera.id], moves: () => moves, onread: (read) => {
    last = read;
    const fits = read.error_mm !== undefined && read.error_mm !== null;
    told.textContent = fits ? t("calibration.error", { mm: read.error_mm.toFixed(1) }) : read.trouble || t("calibration.none");
    told.className = fits && read.error_mm <= 4 ? "tag ok" : "tag foul";
    told.dataset.check = fits ? "fits" : "none";
  } });
  const change = async (path, what) => {
    anew[camera.id] = last?.born_ms;
    if (await keep(path, what)) draw();
    else delete anew[camera.id];
  };
  const tune = h("button", { text: t("calibration.corners"), data: { do: "corners" }, onclick: () => {
    if (!last) { say(t("picture.wait"), "bad"); return; }
    let placed = null;
    const read = last;
    deeds.replaceChildren(h("span", { class: "soft", text: t("calibration.drag") }),
      h("button", { class: "primary", text: t("save"), data: { do: "keep-corners" }, onclick: () => placed && change(`cameras/${camera.id}`, { corners_px: corners(read, placed) }) }),
      h("button", { text: t("cancel"), onclick: draw }));
    drag(shot, read, (points) => { placed = points; });
  } });
  const marked = camera.calibration === "markers" ? null : h("button", { text: t("calibration.use_markers"), onclick: () => change(`cameras/${camera.id}`, { calibration: "markers", turned: 0 }) });
  const turn = h("button", { text: t("calibration.turn"), data: { do: "turn" }, onclick: () => change(`cameras/${camera.id}`, { turned: (camera.turned + 1) % 4 }) });
  const panel = zonePanel({ facts, onmove: (now) => { moves = now; shot.redraw?.(); }, onsave: (now) => change("zones", now) });
  return h("article", { class: "card stack", data: { camera: camera.id } }, h("div", { class: "row" }, h("h2", { text: camera.id }), h("span", { class: "tag", text: t(`calibration.by.${camera.calibration}`) }), told), h("p", { class: "soft", text: t("calibration.hint") }), shot, h("div", { class: "row" }, tune, marked, turn, h("button", { text: t("markers.print"), data: { do: "print" }, onclick: () => printMarkers(facts.marker_mm) })), deeds, panel);
};
const PAGES = {
  cameras: () => facts.cameras.length ? facts.cameras.map((camera) => h("article", { class: "card stack" },
    h("div", { class: "row" }, h("h2", { text: camera.id }), h("span", { class: "tag", text: camera.source }), h("span", { class: "tag", data: { health: camera.id } })),
    sourceOf(camera), live(camera))) : nothing("cameras.none"),
  calibration: () => facts.cameras.filter((camera) => camera.role === "overhead").length ? facts.cameras.filter((camera) => camera.role === "overhead").map(calibration) : nothing("cameras.none"),
  tileset: () => facts.cameras.length ? facts.cameras.filter((camera) => camera.role === "overhead").flatMap((camera) => {
    const at_ = { base: base(), facts, camera, onsaved: open };
    return [sets(at_), tileset(at_)];
  }) : nothing("cameras.none"),
  ports: () => [h("article", { class: "card stack" }, h("h2", { text: t("ports") }), h("p", { class: "soft", text: t("ports.hint") }),
    facts.bridges.length ? h("div", { class: "stack" }, facts.bridges.map((bridge) => h("div", { class: "stack" }, h("div", { class: "row" }, h("b", { text: bridge.id }), h("span", { class: "tag", data: { health: bridge.id } })), portOf(bridge), h("div", { class: "meters", data: { counters: bridge.id } })))) : h("p", { class: "empty", text: t("bridges.none") }),
    h("h3", { text: t("ports.found") }), facts.ports.length ? h("ul", {}, facts.ports.map((port) => h("li", {}, h("code", { text: port })))) : h("p", { class: "soft", text: t("ports.none") }))],
  test: () => [h("article", { class: "card stack" }, h("h2", { text: t("test") }), h("p", { class: "soft", text: t("trial.hint") }),
    h("ul", { class: "checks", id: "checks" }), h("h3", { text: t("trial.heard") }), h("ul", { id: "heard", class: "soft" }), h("div", { class: "row top" }, h("div", { id: "testboard" }), h("ol", { id: "testlog", class: "soft" })))],
};

// A short hand, step by step: what was seen once stays ticked, with what each sensor has told since the step was opened.
const TRIAL = {
  sensors: (view) => { const all = Object.values(view.sensors ?? {}); return all.length > 0 && all.every((how) => how === "online"); },
  deal: (view) => view.hand > 0 && view.seats.some((seat) => seat.concealed > 0),
  draw: (view) => view.turns > trial.turns,
  discard: (view) => count(view, "pond") > trial.ponds || view.hand > trial.hand,
  meld: (view) => count(view, "melds") > trial.melds,
  end: (view) => view.hand > trial.hand,
};
let trial = null;
const count = (view, what) => view.seats.reduce((sum, seat) => sum + seat[what].length, 0);
const tried = (board) => {
  const view = board.view;
  trial ??= { table, hand: view.hand, turns: view.turns, ponds: count(view, "pond"), melds: count(view, "melds"), devices: board.devices ?? {}, done: {} };
  for (const [word, holds] of Object.entries(TRIAL)) if (word === "sensors" || !trial.done[word]) trial.done[word] = holds(view);
  if (view.hand !== trial.now) Object.assign(trial, { now: view.hand, ...(view.hand > trial.hand ? { melds: 0, turns: 0 } : {}) });
  return trial.done;
};
const heard = (board) => Object.entries(board.devices ?? {}).map(([src, device]) => [src, device.state, Object.entries(device.counters ?? {})
  .map(([name, n]) => [name, n - (trial.devices[src]?.counters?.[name] ?? 0)]).filter(([name, n]) => n > 0 && name !== "ms")]);

const refresh = () => {
  const board = boards.all.get(table);
  for (const tag of document.querySelectorAll("[data-health]")) {
    const how = health().find(([src]) => src === tag.dataset.health)?.[1] ?? t("unheard");
    tag.textContent = how;
    tag.className = `tag ${how === "online" ? "ok" : "foul"}`;
  }
  for (const box of document.querySelectorAll("[data-counters]")) {
    const device = board?.devices?.[box.dataset.counters];
    fill(box, device, () => Object.entries(device?.counters ?? {}).map(([name, n]) => h("span", {}, h("small", { text: named("counter", name) }), h("b", { text: Math.round(n * 10) / 10 }))));
  }
  if (step === "test" && board?.view) {
    const done = tried(board), told = heard(board);
    fill(at("checks"), done, () => Object.entries(done).map(([word, good]) => h("li", { class: good ? "good" : "", data: { trial: word } }, h("span", { "aria-hidden": "true", text: good ? "✓" : "○" }), ` ${t(`trial.${word}`)}`)));
    fill(at("heard"), told, () => told.map(([src, state, list]) => h("li", {}, h("b", { text: src }), " ", h("span", { class: `tag ${state === "ok" ? "ok" : "foul"}`, text: named("health", state) }), " ",
      list.map(([name, n]) => `${named("counter", name)} +${Math.round(n * 10) / 10}`).join(" · "))));
    fill(at("testboard"), [board.view, board.hands], () => drawn(board.view));
    fill(at("testlog"), board.log, () => (board.log ?? []).slice(-14).reverse().map((text) => h("li", { text })));
  }
};

const draw = () => {
  fill(at("steps"), step, () => STEPS.map((name, n) => h("li", {}, h("button", { "aria-current": name === step ? "step" : null, onclick: () => { step = name; trial = null; location.hash = name; draw(); } }, h("b", { text: n + 1 }), t(`step.${name}`)))));
  at("step").replaceChildren(...[PAGES[step]()].flat(), h("div", { class: "row end" }, step !== "test" ? h("button", { class: "primary", text: t("next"), onclick: () => { step = STEPS[STEPS.indexOf(step) + 1]; location.hash = step; draw(); scrollTo(0, 0); } }) : null));
  refresh();
};

const open = async () => {
  facts = await get(`${base()}/equipment`);
  draw();
};
at("which").replaceChildren(...tables.map(({ id }) => h("option", { value: id, text: id })));
at("which").value = table;
const reopen = (there) => { history.replaceState(null, "", there ? `/setup?table=${encodeURIComponent(there)}#cameras` : "/setup"); location.reload(); };
at("add").onclick = async () => {
  try { at("adding").replaceChildren(await newTable({ done: reopen, leave: () => at("adding").replaceChildren() })); } catch (error) { say(error.message, "bad"); }
};
at("add").disabled = false;
at("which").onchange = () => { table = at("which").value; trial = null; history.replaceState(null, "", `?table=${encodeURIComponent(table)}${location.hash}`); open().catch((error) => say(error.message, "bad")); };
addEventListener("hashchange", () => {
  const wanted = location.hash.slice(1);
  if (STEPS.includes(wanted) && wanted !== step) { step = wanted; draw(); }
});
await open();
listen({ parts: ["view", "faults", "log", "devices"] }, { board: (event) => { boards.take(event); clearTimeout(timer); timer = setTimeout(refresh, 60); }, state: mark });
