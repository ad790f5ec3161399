// Guided set-up of a table in five steps: cameras, calibration, tile set, serial ports, a test hand.

import { board as drawn, tile } from "/static/board.js";
import { frame, mark } from "/static/frame.js";
import { at, fill, h, say } from "/static/kit.js";
import { Boards, get, listen } from "/static/link.js";
import { corners, drag, overlayOf } from "/static/calibration.js";
import { named, t } from "/static/words.js";

const PICTURE_MS = 1000;
const STEPS = ["cameras", "calibration", "tileset", "ports", "test"];
const boards = new Boards();
await frame({ needs: "setup", title: "setup" });
const { tables } = await get("/api/tables");
let table = new URLSearchParams(location.search).get("table") ?? tables[0].id;
let step = STEPS.includes(location.hash.slice(1)) ? location.hash.slice(1) : "cameras";
let facts = null;
let timer = null;

const base = () => `/api/tables/${encodeURIComponent(table)}`;
const toml = (text) => h("pre", { class: "toml", tabindex: "0", text });
const copy = (text) => h("button", { text: t("copy"), onclick: () => navigator.clipboard?.writeText(text).then(() => say(t("copied"))) });

// A camera's picture that is fetched again every second while it is on the page, with what vision reads drawn over it.
const live = (camera, { onread = null, zones = false, readings = false } = {}) => {
  const image = h("img", { alt: t("camera.picture", { camera: camera.id }), hidden: true });
  const over = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const none = h("p", { class: "empty", text: t("picture.wait") });
  const box = h("figure", { class: "shot" }, image, over, none);
  const look = async () => {
    if (!box.isConnected) return;
    const url = `${base()}/cameras/${camera.id}/picture.jpg?${Date.now()}`;
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) {
      const old = image.src;
      image.src = URL.createObjectURL(await answer.blob());
      if (old.startsWith("blob:")) URL.revokeObjectURL(old);
      image.hidden = false;
      none.hidden = true;
      const read = await get(`${base()}/cameras/${camera.id}/picture.json`).catch(() => null);
      if (read) { overlayOf(over, read, facts, { zones, readings }); onread?.(read); }
    }
    setTimeout(look, PICTURE_MS);
  };
  setTimeout(look);
  return box;
};

const nothing = (word) => h("p", { class: "card empty", text: t(word) });
const health = () => Object.entries(boards.all.get(table)?.view?.sensors ?? {});
const PAGES = {
  cameras: () => facts.cameras.length ? facts.cameras.map((camera) => h("article", { class: "card stack" },
    h("div", { class: "row" }, h("h2", { text: camera.id }), h("span", { class: "tag", text: camera.source }), h("span", { class: "tag", data: { health: camera.id } })),
    live(camera))) : nothing("cameras.none"),
  calibration: () => facts.cameras.length ? facts.cameras.map((camera) => {
    const told = h("p", { class: "soft", text: t("calibration.wait") });
    const code = h("div", { class: "stack" });
    const shot = live(camera, { zones: true, onread: (read) => {
      told.textContent = read.error_mm === undefined || read.error_mm === null ? t("calibration.none") : t("calibration.error", { mm: read.error_mm.toFixed(1) });
      told.className = read.error_mm > 4 ? "tag foul" : "tag ok";
    } });
    const tune = h("button", { text: t("calibration.corners"), onclick: async () => {
      const read = await get(`${base()}/cameras/${camera.id}/picture.json`).catch(() => null);
      if (!read) { say(t("picture.wait"), "bad"); return; }
      drag(shot, read, (points) => { const text = corners(camera.id, points); code.replaceChildren(h("p", { class: "soft", text: t("calibration.paste") }), toml(text), copy(text)); });
    } });
    return h("article", { class: "card stack" }, h("div", { class: "row" }, h("h2", { text: camera.id }), h("span", { class: "tag", text: t(`calibration.${camera.calibration}`) }), told), h("p", { class: "soft", text: t("calibration.hint") }), shot, h("div", { class: "row" }, tune), code);
  }) : nothing("cameras.none"),
  tileset: () => facts.cameras.length ? facts.cameras.map((camera) => {
    const summary = h("div", { class: "kinds" });
    return h("article", { class: "card stack" }, h("h2", { text: `${t("tileset")} · ${camera.id}` }), h("p", { class: "soft", text: t("tileset.hint") }),
      live(camera, { readings: true, onread: (read) => {
        const by = new Map();
        for (const one of read.tiles ?? []) by.set(one.code, [...(by.get(one.code) ?? []), one.confidence]);
        fill(summary, read.tiles, () => [...by].sort().map(([code, list]) => h("div", { class: `kind${list.some((c) => c < 0.8) ? " doubt" : ""}` }, tile(code), h("b", { text: `× ${list.length}` }), h("small", { text: `${Math.round(Math.min(...list) * 100)} %` }))));
      } }), summary, h("p", { class: "soft", text: t("tileset.enrol") }), toml("jantaku enrol my-tiles photo-1.jpg photo-2.jpg"));
  }) : nothing("cameras.none"),
  ports: () => [h("article", { class: "card stack" }, h("h2", { text: t("ports") }), h("p", { class: "soft", text: t("ports.hint") }),
    facts.bridges.length ? h("div", { class: "stack" }, facts.bridges.map((bridge) => h("div", { class: "stack" }, h("div", { class: "row" }, h("b", { text: bridge.id }), h("code", { text: bridge.port }), h("span", { class: "tag", text: bridge.device }), h("span", { class: "tag", data: { health: bridge.id } })), h("div", { class: "meters", data: { counters: bridge.id } })))) : h("p", { class: "empty", text: t("bridges.none") }),
    h("h3", { text: t("ports.found") }), facts.ports.length ? h("ul", {}, facts.ports.map((port) => h("li", {}, h("code", { text: port })))) : h("p", { class: "soft", text: t("ports.none") }))],
  test: () => [h("article", { class: "card stack" }, h("h2", { text: t("test") }), h("p", { class: "soft", text: t("test.hint") }),
    h("ul", { class: "checks", id: "checks" }), h("div", { class: "row top" }, h("div", { id: "testboard" }), h("ol", { id: "testlog", class: "soft" })))],
};

const checks = (board) => {
  const view = board?.view, all = Object.values(view?.sensors ?? {});
  return [["check.sensors", all.length > 0 && all.every((how) => how === "online")], ["check.wall", (view?.hand ?? 0) > 0], ["check.draws", (view?.turns ?? 0) > 0],
    ["check.ponds", view?.seats.every((seat) => seat.pond.length || seat.melds.length) ?? false], ["check.quiet", view ? !view.degraded.length : false]];
};

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
    fill(at("checks"), checks(board), () => checks(board).map(([word, good]) => h("li", { class: good ? "good" : "" }, h("span", { "aria-hidden": "true", text: good ? "✓" : "○" }), ` ${t(word)}`)));
    fill(at("testboard"), [board.view, board.hands], () => drawn(board.view));
    fill(at("testlog"), board.log, () => (board.log ?? []).slice(-14).reverse().map((text) => h("li", { text })));
  }
};

const draw = () => {
  fill(at("steps"), step, () => STEPS.map((name, n) => h("li", {}, h("button", { "aria-current": name === step ? "step" : null, onclick: () => { step = name; location.hash = name; draw(); } }, h("b", { text: n + 1 }), t(`step.${name}`)))));
  at("step").replaceChildren(...[PAGES[step]()].flat(), h("div", { class: "row end" }, step !== "test" ? h("button", { class: "primary", text: t("next"), onclick: () => { step = STEPS[STEPS.indexOf(step) + 1]; location.hash = step; draw(); scrollTo(0, 0); } }) : null));
  refresh();
};

const open = async () => {
  facts = await get(`${base()}/equipment`);
  draw();
};
at("which").replaceChildren(...tables.map(({ id }) => h("option", { value: id, text: id })));
at("which").value = table;
at("which").onchange = () => { table = at("which").value; open(); };
addEventListener("hashchange", () => {
  const wanted = location.hash.slice(1);
  if (STEPS.includes(wanted) && wanted !== step) { step = wanted; draw(); }
});
await open();
listen({ parts: ["view", "faults", "log", "devices"] }, { board: (event) => { boards.take(event); clearTimeout(timer); timer = setTimeout(refresh, 60); }, state: mark });
