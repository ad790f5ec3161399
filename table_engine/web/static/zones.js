// Where the zones of a table lie: pushed outwards or inwards over the live picture, for seats that sit otherwise turned.

import { h } from "/static/kit.js";
import { t } from "/static/words.js";

export const ZONES = [["pond_mm", "pond", -40, 30], ["pond_wide_mm", "pond", -40, 60], ["wall_mm", "wall", -40, 30], ["meld_mm", "meld", -40, 30], ["rack_mm", "rack", -40, 30]];
const OUT = [[0, -1], [1, 0], [0, 1], [-1, 0]];

// The zones as they would lie with other moves: those of `facts` are drawn with the moves that hold now.
export const moved = (facts, moves) => facts.zones.map((zone) => {
  const name = zone.zone === "flower" ? "meld" : zone.zone;
  const by = (key) => (moves[key] ?? 0) - (facts.moves[key] ?? 0);
  const out = by(`${name}_mm`), wide = name === "pond" ? by("pond_wide_mm") : 0;
  const [x, y] = OUT[zone.seat];
  const corners = zone.corners.map(([cx, cy], n) => {
    const side = (n === 0 || n === 3 ? -1 : 1) * wide;  // u runs to the player's right: a quarter turn from outwards
    return [cx + x * out - y * side, cy + y * out + x * side];
  });
  return { ...zone, corners };
});

// Sliders for every zone; `onmove` is told while one is pushed, `onsave` when they are to stay.
export const zonePanel = ({ facts, onmove, onsave }) => {
  const now = { ...facts.moves };
  const save = h("button", { class: "primary", text: t("save"), disabled: true, data: { do: "keep-zones" }, onclick: () => onsave(now) });
  const sliders = ZONES.map(([key, zone, min, max]) => {
    const value = h("output", { text: `${now[key]} mm` });
    const slider = h("input", { type: "range", min: String(min), max: String(max), step: "1", value: String(now[key]), data: { zone: key }, "aria-label": t(`zones.${key}`), oninput: () => {
      now[key] = Number(slider.value);
      value.textContent = `${now[key]} mm`;
      save.disabled = false;
      onmove(now);
    } });
    return h("label", { class: `slider l-${zone}` }, h("span", { text: t(`zones.${key}`) }), slider, value);
  });
  const usual = h("button", { text: t("zones.usual"), onclick: () => onsave(Object.fromEntries(ZONES.map(([key]) => [key, 0]))) });
  return h("details", { class: "zonepanel" }, h("summary", { text: t("zones") }), h("p", { class: "soft", text: t("zones.hint") }), h("div", { class: "sliders" }, sliders), h("div", { class: "row" }, save, usual));
};
