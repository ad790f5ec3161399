// A tile set is learnt before a table's own camera: looks at what lies there, kept looks, doubtful tiles to tap, a name.

import { tile } from "/static/board.js";
import { svg } from "/static/calibration.js";
import { ask, h, say } from "/static/kit.js";
import { get, send } from "/static/link.js";
import { dateTime, t } from "/static/words.js";

const PAUSE_MS = 400;
const AGAIN_MS = 1000;
const path = (points) => points.map((point) => point.join(",")).join(" ");

// A tile cut out of its picture, upright and large.
const cutout = (image, one) => {
  const [a, b, , d] = one.quad_px;
  const centre = [0, 1].map((k) => one.quad_px.reduce((sum, p) => sum + p[k] / 4, 0));
  const turn = Math.atan2(b[1] - a[1], b[0] - a[0]) * 180 / Math.PI;
  const half = Math.max(Math.hypot(b[0] - a[0], b[1] - a[1]), Math.hypot(d[0] - a[0], d[1] - a[1])) * 0.62;
  const view = svg("svg", { viewBox: `${centre[0] - half} ${centre[1] - half} ${2 * half} ${2 * half}`, class: "cutout", role: "img", "aria-label": one.code || "?" });
  view.append(svg("image", { href: image.url, width: image.width, height: image.height, transform: `rotate(${-turn} ${centre[0]} ${centre[1]})` }));
  return view;
};

export const tileset = ({ base, facts, camera, onsaved }) => {
  const api = `${base}/cameras/${camera.id}`;
  let reds = facts.reds, looking = false, live = false, waiting = 0, asked = 0, adding = false, shown = "", line = Promise.resolve();
  const state = h("p", { class: "soft", role: "status", text: t("learn.idle") });
  const shots = h("div", { class: "stack" }), kinds = h("div", { class: "kinds" }), lacks = h("div", { class: "row" });
  const doubts = h("div", { class: "doubts" });
  const name = h("input", { value: "my-tiles", maxlength: "32", pattern: "[a-z0-9][a-z0-9\\-]*", "aria-label": t("learn.name") });
  const redChoice = h("select", { "aria-label": t("learn.reds"), onchange: () => { reds = Number(redChoice.value); step({ do: "look" }); } },
    [0, 3, 4].map((n) => h("option", { value: n, text: t("learn.reds.n", { n }), selected: n === reds })));

  const taken = async (task) => {
    try {
      const told = await send(`${api}/learn`, { ...task, flowers: facts.flowers, reds });
      if (told?.tiles && told.pictures) show(told);
      return told ?? {};
    } catch (error) { state.className = "tag foul"; state.textContent = error.message; return null; }
  };
  // One after the other: no answer is shown over that of a later step.
  const step = (task) => {
    waiting += 1;
    asked += 1;
    line = line.then(() => taken(task)).finally(() => { waiting -= 1; });
    return line;
  };
  // What somebody at another page has done, and what was done of which no answer came.
  const again = async () => {
    const before = asked;
    const told = waiting ? null : await get(`${api}/lesson.json`).catch(() => null);
    if (told && before === asked && JSON.stringify(told) !== shown) show(told);
    if (box.isConnected) setTimeout(again, AGAIN_MS);
  };
  const choose = (one, code) => step({ do: "name", picture: one.picture, tile: one.tile, code });
  const other = async (one, told) => {
    const picker = h("div", { class: "kinds picker" }, told.kinds.map(({ code }) => tile(code, "", () => { picker.closest("dialog").close(); choose(one, code); })));
    await ask(t("learn.which"), [picker], { yes: t("close"), no: t("back") });
  };
  const drawShot = (picture, told, n) => {
    const url = `${api}/lesson/${picture.number}.jpg?${picture.number || Date.now()}`;
    const over = svg("svg", { viewBox: `0 0 ${picture.width} ${picture.height}` });
    for (const one of told.tiles) {
      if (one.picture !== picture.number) continue;
      over.append(svg("polygon", { points: path(one.quad_px), class: one.doubtful ? "quad doubt" : "quad" }));
      const [x, y] = one.quad_px.reduce(([a, b], [c, d]) => [a + c / 4, b + d / 4], [0, 0]);
      over.append(svg("text", { x, y, class: "code", "font-size": picture.width / 110 }, one.code));
    }
    const caption = picture.number ? t("learn.picture", { n }) : t("learn.live");
    return [h("figure", { class: "shot learnt", data: { picture: picture.number } }, h("img", { src: url, alt: caption }), over),
      h("div", { class: "row" }, h("span", { class: "soft", text: caption }), picture.number ? h("button", { text: t("learn.drop"), onclick: () => step({ do: "drop", picture: picture.number }) }) : null)];
  };
  const show = (told) => {
    shown = JSON.stringify(told);
    const seen = told.tiles.length, doubtful = told.tiles.filter((one) => one.doubtful);
    const size = told.kinds.reduce((sum, kind) => sum + kind.holds, 0);
    state.className = told.trouble ? "tag foul" : "soft";
    state.textContent = told.trouble || t("learn.seen", { seen, size, doubtful: doubtful.length, backs: told.backs });
    shots.replaceChildren(...told.pictures.flatMap((picture, n) => drawShot(picture, told, n + 1)));
    kinds.replaceChildren(...told.kinds.map(({ code, seen: many, holds }) => h("div", { class: `kind${many < holds || many > holds * told.layouts ? " doubt" : ""}`, data: { kind: code } }, tile(code), h("b", { text: `${many} / ${holds * told.layouts}` }))));
    const missing = told.kinds.filter((kind) => kind.seen < kind.holds), twice = told.kinds.filter((kind) => kind.seen > kind.holds * told.layouts);
    const list = (word, which, of) => which.length ? h("p", { class: "row lack" }, h("span", { text: t(word) }), which.map((kind) => h("span", { class: "row" }, tile(kind.code), `× ${of(kind)}`))) : null;
    lacks.replaceChildren(...[list("learn.missing", missing, (kind) => kind.holds - kind.seen), list("learn.twice", twice, (kind) => kind.seen - kind.holds * told.layouts),
      !missing.length && !twice.length && seen ? h("p", { class: "tag ok", text: t("learn.whole") }) : null].filter(Boolean));
    const pictures = new Map(told.pictures.map((p) => [p.number, { ...p, url: `${api}/lesson/${p.number}.jpg?${p.number || Date.now()}` }]));
    doubts.replaceChildren(...doubtful.filter((one) => one.picture).map((one) => h("article", { class: "doubtful" }, cutout(pictures.get(one.picture), one),
      h("div", { class: "row" }, one.likely.map((code) => tile(code, "", () => choose(one, code))), h("button", { text: t("learn.other"), onclick: () => other(one, told) }), h("button", { text: t("learn.none"), onclick: () => choose(one, "") })))));
    add.disabled = adding || !told.pictures.some((picture) => !picture.number);
    kept = told.kept;
    save.disabled = !told.kept || Boolean(told.trouble);
  };
  let kept = 0;
  const lay = async (word) => {
    if (word !== "clear" && !await step({ do: "begin" })) return;  // what comes to lie there is no game
    try { say((await send("/api/demo", { act: "tiles", table: facts.table, lay: word !== "clear", turned: word === "turn" })).says); } catch (error) { say(error.message, "bad"); }
  };
  const away = async () => { if (facts.demo) await lay("clear"); };  // what lies there is taken for the game again once nothing is learnt
  const go = async () => {
    live = true;
    look.textContent = t("learn.stop");
    while (live && box.isConnected) {
      looking = true;
      state.className = "soft";
      const told = await step({ do: "look" });
      looking = false;
      if (!told) break;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    halt();
  };
  const halt = () => { live = false; look.textContent = t("learn.look"); };
  const look = h("button", { class: "primary", text: t("learn.look"), data: { do: "look" }, onclick: () => {
    if (live) return halt();
    if (!looking) { state.textContent = t("learn.looking"); go(); }
  } });
  const add = h("button", { text: t("learn.add"), disabled: true, data: { do: "add" }, onclick: async () => {
    halt();
    adding = add.disabled = true;  // one press, one picture
    const told = await step({ do: "add" });
    adding = false;
    shown = "";  // what was done is looked at before it may be pressed again
    if (told) say(t("learn.added"));
  } });
  const save = h("button", { class: "primary", text: t("learn.save"), disabled: true, data: { do: "save" }, onclick: async () => {
    halt();
    if (!name.reportValidity()) return;
    await away();
    const told = await step({ do: "save", name: name.value });
    if (!told) return;
    const beside = (camera.tile_set || "").split(",").filter((one) => one && one !== name.value).slice(0, 1);
    try {
      await send(`${api}`, { tile_set: [...beside, name.value].join(",") }, "PUT");
      say(t("learn.saved", { name: told.name, n: told.tiles }));
    } catch (error) { say(error.message, "bad"); }
    onsaved();
  } });
  const end = h("button", { text: t("learn.end"), data: { do: "end" }, onclick: async () => { halt(); await away(); await step({ do: "end" }); onsaved(); } });
  const box = h("article", { class: "card stack" }, h("h2", { text: `${t("tileset")} · ${camera.id}` }), h("p", { class: "soft", text: t("tileset.hint") }),
    facts.demo ? h("div", { class: "row" }, ["lay", "turn", "clear"].map((word) => h("button", { text: t(`demo.${word}`), data: { act: word }, onclick: async () => { await lay(word); if (word === "clear" && !kept) { halt(); await step({ do: "end" }); onsaved(); } } }))) : null,
    h("div", { class: "row" }, look, add, h("label", { class: "row" }, t("learn.reds"), redChoice)), state, lacks, doubts, shots, kinds,
    h("div", { class: "row" }, h("label", { class: "row" }, t("learn.name"), name), save, end));
  setTimeout(again);
  return box;
};

const swatch = (colour) => {
  const box = h("span", { class: "swatch", title: t("sets.back") });
  if (colour) box.style.background = colour;
  return box;
};

// The sets there are: which of them this camera sees, and away with one.
export const sets = ({ base, camera, onsaved }) => {
  const list = h("ul", { class: "sets" });
  const mine = () => (camera.tile_set || "").split(",").filter(Boolean);
  const use = async (names) => {
    try { const told = await send(`${base}/cameras/${camera.id}`, { tile_set: names.join(",") }, "PUT"); say(told.taken ? t("kept.taken", { file: told.file }) : told.says, told.taken ? "" : "bad"); } catch (error) { say(error.message, "bad"); }
    onsaved();
  };
  const draw = (all) => list.replaceChildren(...all.map((one) => h("li", { class: "row" },
    swatch(one.back), h("b", { text: one.name }),
    h("span", { class: "soft", text: `${dateTime(one.at_ms)} · ${t("sets.faces", { n: one.faces })}` }),
    one.complete ? null : h("span", { class: "tag foul", text: t("sets.part") }),
    h("label", { class: "row" }, h("input", { type: "checkbox", checked: mine().includes(one.name), onchange: (event) => use(event.target.checked ? [...mine(), one.name].slice(-2) : mine().filter((n) => n !== one.name)) }), t("sets.use")),
    h("button", { text: t("sets.delete"), disabled: one.used.length > 0, title: one.used.join(", "), onclick: async () => {
      if (await ask(t("sets.delete.ask", { name: one.name }), [], { yes: t("sets.delete"), no: t("back"), danger: true }) === null) return;
      try { draw((await send(`/api/sets/${one.name}`, null, "DELETE")).sets); } catch (error) { say(error.message, "bad"); }
    } }))));
  get("/api/sets").then((told) => draw(told.sets)).catch((error) => say(error.message, "bad"));
  return h("article", { class: "card stack" }, h("h2", { text: t("sets") }), h("p", { class: "soft", text: t("sets.hint") }), list);
};
