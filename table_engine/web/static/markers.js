// The four position markers as a sheet to be printed in their true size. Patterns: OpenCV's DICT_4X4_50, numbers 0 to 3.

import { svg } from "/static/calibration.js";
import { h } from "/static/kit.js";
import { t } from "/static/words.js";

export const MARKERS = ["1011010100110010", "0000111110011010", "0011001100101101", "1001100101000110"];
const BLACK = 6;  // modules across, the black border counted

const marker = (number, side) => {
  const module = side / BLACK, whole = side + 2 * module;
  const view = svg("svg", { viewBox: `-1 -1 ${BLACK + 2} ${BLACK + 2}`, width: `${whole}mm`, height: `${whole}mm`, role: "img", "aria-label": String(number), "data-marker": number });
  view.append(svg("rect", { x: -1, y: -1, width: BLACK + 2, height: BLACK + 2, fill: "#fff" }), svg("rect", { width: BLACK, height: BLACK, fill: "#000" }));
  [...MARKERS[number]].forEach((bit, n) => bit === "1" && view.append(svg("rect", { x: 1 + n % 4, y: 1 + Math.floor(n / 4), width: 1.01, height: 1.01, fill: "#fff" })));
  return view;
};

// Prints them; `side` is that of the black square, mm.
export const printMarkers = (side) => {
  const sheet = h("section", { class: "printsheet" }, h("p", { text: t("markers.how", { mm: Math.round(side) }) }),
    h("div", {}, MARKERS.map((_, number) => h("figure", {}, marker(number, side), h("figcaption", { text: `↑ ${number} · ${t("markers.at", { seat: t("seat.number", { n: number + 1 }) })}` })))));
  document.body.append(sheet);
  document.body.classList.add("printing");
  addEventListener("afterprint", () => { document.body.classList.remove("printing"); sheet.remove(); }, { once: true });
  print();
};
