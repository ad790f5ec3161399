// Draws the table's zones over a camera's picture, and lets people drag the four corners of the playing square.

import { t } from "/static/words.js";
import { moved } from "/static/zones.js";

const SVG = "http://www.w3.org/2000/svg";
export const svg = (tag, props, text) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

// The projective map that takes four points to four others, as a function. Direct solution of the eight equations.
export const homography = (from, to) => {
  const rows = [];
  from.forEach(([x, y], n) => {
    const [u, v] = to[n];
    rows.push([x, y, 1, 0, 0, 0, -u * x, -u * y, u], [0, 0, 0, x, y, 1, -v * x, -v * y, v]);
  });
  for (let c = 0; c < 8; c++) {
    const pivot = rows.slice(c).reduce((best, row, n) => (Math.abs(row[c]) > Math.abs(rows[best][c]) ? n + c : best), c);
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    for (let r = 0; r < 8; r++) {
      if (r === c) continue;
      const share = rows[r][c] / rows[c][c];
      for (let k = c; k < 9; k++) rows[r][k] -= share * rows[c][k];
    }
  }
  const m = rows.map((row, n) => row[8] / row[n]);
  return ([x, y]) => { const w = m[6] * x + m[7] * y + 1; return [(m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w]; };
};

const path = (points) => points.map((point) => point.map((n) => n.toFixed(1)).join(",")).join(" ");

// `read` is what vision says of the picture, `facts` the table's zones in millimetres.
export const overlayOf = (over, read, facts, { zones = false, readings = false, moves = null } = {}) => {
  if (over.closest(".shot")?.classList.contains("dragging")) return;
  over.setAttribute("viewBox", `0 0 ${read.width} ${read.height}`);
  over.replaceChildren();
  if (zones && read.corners_px?.length) zonesOver(over, read.corners_px, facts, moves);
  if (readings) for (const one of read.tiles ?? []) {
    if (!one.quad_px) continue;
    over.append(svg("polygon", { points: path(one.quad_px), class: one.confidence < 0.8 ? "quad doubt" : "quad" }));
    const [x, y] = one.quad_px.reduce(([a, b], [c, d]) => [a + c / 4, b + d / 4], [0, 0]);
    if (one.code !== "b") over.append(svg("text", { x, y, class: "code" }, one.code));
  }
};

const GRID_TILES = 4;

// The square, a grid of four tiles' width on the felt, every seat's zones, and the seats' names at their edges.
const zonesOver = (over, cornersPx, facts, moves) => {
  const half = facts.half_mm, width = over.viewBox.baseVal.width;
  const map = homography([[-half, -half], [half, -half], [half, half], [-half, half]], cornersPx);
  const step = GRID_TILES * facts.tile_width_mm;
  for (let at = -Math.floor(half / step) * step; at <= half; at += step) {
    over.append(svg("polyline", { points: path([map([at, -half]), map([at, half])]), class: "grid" }), svg("polyline", { points: path([map([-half, at]), map([half, at])]), class: "grid" }));
  }
  over.append(svg("polygon", { points: path(cornersPx), class: "square" }));
  const there = moves ? moved(facts, moves) : facts.zones;
  for (const zone of there) {
    if (zone.zone === "flower" || (zone.zone === "centre" && zone.seat)) continue;
    over.append(svg("polygon", { points: path(zone.corners.map(map)), class: `zone z-${zone.zone}`, "data-zone": zone.zone, "data-seat": zone.seat }));
  }
  for (let seat = 0; seat < 4; seat++) {
    const [x, y] = map([[0, -half], [half, 0], [0, half], [-half, 0]][seat].map((n) => n * 0.965));
    over.append(svg("text", { x, y, class: "code seat", "font-size": width / 50 }, t("seat.number", { n: seat + 1 })));
  }
};

export const drag = (shot, read, placed) => {
  const over = shot.querySelector("svg");
  shot.classList.add("dragging");
  const { width, height } = read;
  let points = read.corners_px?.length ? read.corners_px.map((p) => [...p]) : [[width * 0.2, height * 0.9], [width * 0.8, height * 0.9], [width * 0.75, height * 0.1], [width * 0.25, height * 0.1]];
  const draw = () => {
    over.setAttribute("viewBox", `0 0 ${width} ${height}`);
    over.replaceChildren(svg("polygon", { points: path(points), class: "square" }));
    points.forEach((point, n) => {
      const handle = svg("circle", { cx: point[0], cy: point[1], r: width / 70, class: "handle", tabindex: 0, role: "slider", "aria-label": String(n + 1), "aria-valuenow": Math.round(point[0]) });
      const set = (x, y) => { points[n] = [Math.min(Math.max(x, 0), width), Math.min(Math.max(y, 0), height)]; draw(); over.querySelectorAll("circle")[n].focus(); placed(points); };
      handle.addEventListener("pointerdown", (down) => {
        down.preventDefault();
        const box = over.getBoundingClientRect();
        const move = (event) => set((event.clientX - box.left) / box.width * width, (event.clientY - box.top) / box.height * height);
        addEventListener("pointermove", move);
        addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
      });
      handle.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (by) { event.preventDefault(); set(points[n][0] + by[0] * (event.shiftKey ? 10 : 1), points[n][1] + by[1] * (event.shiftKey ? 10 : 1)); }
      });
      over.append(handle);
    });
  };
  draw();
  placed(points);
};

// The points in the camera's own pixels, as the site file counts them.
export const corners = (read, points) => points.map(([x, y]) => [x, y].map((n) => Math.round(n * (read.camera_width ?? read.width) / read.width * 10) / 10));
