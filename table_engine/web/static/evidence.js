// Stills before and after an alert's moment, and the pictures between as a clip one can play and step through.

import { h } from "/static/kit.js";
import { get } from "/static/link.js";
import { named, t } from "/static/words.js";

const AGAIN_MS = 1500;
const QUICK = 20;  // looks, then one every so often: a camera that was away may tell its pictures late
const SELDOM_MS = 10000;
const SHORTEST_MS = 40, LONGEST_MS = 1000;

const address = (table, alert, camera, at) => `/api/tables/${encodeURIComponent(table)}/alerts/${encodeURIComponent(alert)}/evidence/${camera}/${at}.jpg`;

const still = (word, url, alt) => h("figure", { class: "still" }, h("img", { src: url, alt, loading: "lazy" }), h("figcaption", { text: word }),
  h("button", { type: "button", "aria-label": t("enlarge", { what: word }), onclick: () => enlarge(url, alt) }));

const enlarge = (url, alt) => {
  const dialog = h("dialog", { class: "big", "aria-label": alt, onclose: () => dialog.remove() },
    h("form", { method: "dialog" }, h("img", { src: url, alt, class: "fit" }), h("div", { class: "row end" }, h("button", { class: "primary", text: t("close") }))));
  document.body.append(dialog);
  dialog.showModal();
};

// Pictures of one camera; `more(times)` adds those that came since. A picture is shown once it is decoded, so that a slow
// line makes the clip slow and never leaves pictures out.
const player = (table, alert, at, camera) => {
  const figure = h("figure", { class: "still" }, h("img", { alt: t("clip") }), h("figcaption"));
  const slider = h("input", { type: "range", min: "0", "aria-label": t("clip") });
  const loaded = new Map();
  let times = [], n = 0, timer = null;
  const picture = (ms) => {
    if (!loaded.has(ms)) {
      const image = h("img", { alt: t("clip"), src: address(table, alert, camera, ms) });
      loaded.set(ms, image.decode().then(() => image));
      loaded.get(ms).catch(() => loaded.delete(ms));  // asked for again when it is its turn
    }
    return loaded.get(ms);
  };
  const show = async (to) => {
    n = (to + times.length) % times.length;
    const ms = times[n];
    slider.value = n;
    const off = (ms - at) / 1000;
    figure.lastChild.textContent = `${off >= 0 ? "+" : "−"}${Math.abs(off).toFixed(1)} s`;
    try {
      const image = await picture(ms);
      if (times[n] === ms) figure.firstChild.replaceWith(image);
    } catch { /* the picture before it stays */ }
  };
  const stop = () => { clearTimeout(timer); timer = null; play.textContent = `▶ ${t("play")}`; };
  const go = () => {
    const lasts = n + 1 < times.length ? times[n + 1] - times[n] : LONGEST_MS;
    timer = setTimeout(async () => {
      const mine = timer;
      await show(n + 1);
      if (timer === mine) figure.isConnected ? go() : stop();
    }, Math.min(Math.max(lasts, SHORTEST_MS), LONGEST_MS));
  };
  const play = h("button", { type: "button", onclick: () => {
    if (timer) return stop();
    play.textContent = `❚❚ ${t("stop")}`;
    times.forEach((ms) => picture(ms).catch(() => {}));
    go();
  } });
  const step = (by, word) => h("button", { type: "button", text: by < 0 ? "◀" : "▶▏", "aria-label": t(word), onclick: () => { stop(); show(n + by); } });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  stop();
  const box = h("div", { class: "player" }, figure, h("div", { class: "row" }, play, step(-1, "step.back"), step(1, "step.on"), slider,
    h("a", { class: "button", href: address(table, alert, camera, 0).replace(/\/0\.jpg$/, ".webp"), download: "", text: t("clip.save") })));
  return { box, more: (all) => {
    const was = times[n];
    times = all;
    slider.max = String(times.length - 1);
    const first = times.findIndex((ms) => ms >= at);
    const to = was === undefined ? (first < 0 ? times.length - 1 : first) : times.indexOf(was);
    if (was === undefined || to < 0) show(Math.max(to, 0)); else slider.value = n = to;
  } };
};

// One camera's stills and clip. What is there stays there; only what came since is added.
const camera = (table, alert, at, name) => {
  const twin = h("div", { class: "twin" });
  const clip = player(table, alert, at, name);
  const box = h("div", { class: "stack", data: { camera: name } }, h("h3", { text: name }), twin);
  let stills = "";
  return { box, more: ({ at_ms, before, after }) => {
    if (stills !== `${before} ${after}`) {
      stills = `${before} ${after}`;
      twin.replaceChildren(...[["before", before], ["after", after]].filter(([, ms]) => ms !== null)
        .map(([word, ms]) => still(t(`still.${word}`), address(table, alert, name, ms), `${t(`still.${word}`)} · ${named("camera", name)}`)));
    }
    clip.more(at_ms);
    if (at_ms.length > 1 && !clip.box.parentElement) box.append(clip.box);
  } };
};

const follow = async (box, table, alert, old) => {
  const cameras = new Map();
  let shown = "";
  for (let n = 0; n === 0 || box.isConnected; n++) {
    let found = null;
    try { found = await get(`/api/tables/${encodeURIComponent(table)}/alerts/${encodeURIComponent(alert)}/evidence`); } catch { /* asked again */ }
    const clips = found?.clips.filter((clip) => clip.at_ms.length) ?? [];
    if (clips.length && shown !== JSON.stringify(clips)) {
      shown = JSON.stringify(clips);
      const before = cameras.size;
      for (const clip of clips) {
        if (!cameras.has(clip.camera)) cameras.set(clip.camera, camera(table, alert, found.at_ms, clip.camera));
        cameras.get(clip.camera).more(clip);
      }
      if (!before) box.replaceChildren();
      box.append(...[...cameras.values()].slice(before).map((one) => one.box));
    } else if (!cameras.size) box.replaceChildren(h("p", { class: "soft", text: t(n < QUICK && !(old && found) ? "evidence.wait" : "evidence.none") }));
    await new Promise((resolve) => setTimeout(resolve, n < QUICK ? AGAIN_MS : SELDOM_MS));
  }
};

// Fills a box with the pictures of a case, and goes on looking for more as long as the box is shown. `old`: nothing is on its
// way any more.
export const evidence = (table, alert, old) => {
  const box = h("div", { class: "stack evidence" });
  follow(box, table, alert, old);
  return box;
};
