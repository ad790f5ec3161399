// Stills before and after an alert's moment, and the pictures between as a clip one can step through.

import { h } from "/static/kit.js";
import { get } from "/static/link.js";
import { named, t } from "/static/words.js";

const AGAIN_MS = 2500;
const TRIES = 6;
const FRAME_MS = 160;

const address = (table, alert, camera, at) => `/api/tables/${encodeURIComponent(table)}/alerts/${encodeURIComponent(alert)}/evidence/${camera}/${at}.jpg`;

const still = (word, url, alt) => h("figure", { class: "still" }, h("img", { src: url, alt, loading: "lazy" }), h("figcaption", { text: word }),
  h("button", { type: "button", "aria-label": t("enlarge", { what: word }), onclick: () => enlarge(url, alt) }));

const enlarge = (url, alt) => {
  const dialog = h("dialog", { class: "big", "aria-label": alt, onclose: () => dialog.remove() },
    h("form", { method: "dialog" }, h("img", { src: url, alt, class: "fit" }), h("div", { class: "row end" }, h("button", { class: "primary", text: t("close") }))));
  document.body.append(dialog);
  dialog.showModal();
};

const player = (table, alert, at, clip) => {
  const image = h("img", { alt: t("clip") });
  const caption = h("figcaption");
  const slider = h("input", { type: "range", min: "0", max: String(clip.at_ms.length - 1), "aria-label": t("clip") });
  let n = 0, timer = null;
  const show = (to) => {
    n = (to + clip.at_ms.length) % clip.at_ms.length;
    slider.value = n;
    image.src = address(table, alert, clip.camera, clip.at_ms[n]);
    const off = (clip.at_ms[n] - at) / 1000;
    caption.textContent = `${off >= 0 ? "+" : "−"}${Math.abs(off).toFixed(1)} s`;
  };
  const stop = () => { clearInterval(timer); timer = null; play.textContent = `▶ ${t("play")}`; };
  const play = h("button", { type: "button", onclick: () => {
    if (timer) return stop();
    play.textContent = `❚❚ ${t("stop")}`;
    timer = setInterval(() => (play.isConnected ? show(n + 1) : stop()), FRAME_MS);
  } });
  const step = (by, word) => h("button", { type: "button", text: by < 0 ? "◀" : "▶▏", "aria-label": t(word), onclick: () => { stop(); show(n + by); } });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  stop();
  const first = clip.at_ms.findIndex((ms) => ms >= at);
  show(first < 0 ? clip.at_ms.length - 1 : first);
  return h("div", { class: "player" }, h("figure", { class: "still" }, image, caption), h("div", { class: "row" }, play, step(-1, "step.back"), step(1, "step.on"), slider,
    h("a", { class: "button", href: `/api/tables/${encodeURIComponent(table)}/alerts/${encodeURIComponent(alert)}/evidence/${clip.camera}.webp`, download: "", text: t("clip.save") })));
};

// Fills `box` with what there is, and looks again while pictures still come.
export const evidence = async (box, table, alert) => {
  let shown = "";
  for (let n = 0; n < TRIES && (n === 0 || box.isConnected); n++) {
    let found = null;
    try { found = await get(`/api/tables/${encodeURIComponent(table)}/alerts/${encodeURIComponent(alert)}/evidence`); } catch { /* asked again */ }
    const clips = found?.clips.filter((clip) => clip.at_ms.length) ?? [];
    const news = shown !== JSON.stringify(clips);
    shown = JSON.stringify(clips);
    if (clips.length && news) {
      box.replaceChildren(...clips.map((clip) => h("div", { class: "stack" },
        clips.length > 1 ? h("h3", { text: clip.camera }) : null,
        h("div", { class: "twin" }, [["before", clip.before], ["after", clip.after]].filter(([, at]) => at !== null)
          .map(([word, at]) => still(t(`still.${word}`), address(table, alert, clip.camera, at), `${t(`still.${word}`)} · ${named("camera", clip.camera)}`))),
        clip.at_ms.length > 2 ? player(table, alert, found.at_ms, clip) : null)));
      if (clips.every((clip) => clip.after !== null)) return;
    } else if (!clips.length && n === 0) box.replaceChildren(h("p", { class: "soft", text: t("evidence.wait") }));
    else if (!clips.length && n === TRIES - 1) box.replaceChildren(h("p", { class: "soft", text: t("evidence.none") }));
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
};
