// The ruling sheet: one case on paper, to be printed or kept as PDF by the browser's print.

import { seatName, wind } from "/static/board.js";
import { frame, mark } from "/static/frame.js";
import { at, h } from "/static/kit.js";
import { get } from "/static/link.js";
import { alertTexts, clockTime, dateTime, named, t } from "/static/words.js";

const [table, ident] = location.pathname.split("/").slice(2).map(decodeURIComponent);
const site = await frame({ needs: "alerts", title: "ruling.sheet" });
mark("live");
const base = `/api/tables/${encodeURIComponent(table)}`;
const board = await get(base).catch((error) => ({ refused: error }));
const alert = [...(board.alerts ?? []), ...(board.ended ?? [])].find((one) => one.id === ident);
if (board.refused) at("sheet").replaceChildren(h("p", { class: "empty", role: "alert", text: board.refused.status === 404 ? t("table.unknown") : board.refused.message }));
else if (!alert) at("sheet").replaceChildren(h("p", { class: "empty", text: t("case.gone") }));
else {
  const seat = board.view.seats[alert.seat], texts = alertTexts(alert);
  const found = await get(`${base}/alerts/${encodeURIComponent(ident)}/evidence`).catch(() => ({ clips: [] }));
  const rows = [["venue.word", site.venue], ["table", table], ["player", [seatName(seat), wind(seat)].filter(Boolean).join(" · ")], ["hand", `${alert.hand} · ${t("turn.n", { n: alert.turn })}`], ["time", `${dateTime(alert.at_ms)} (${clockTime(alert.at_ms)})`],
    ["ruleset.word", named("ruleset", alert.ruleset)], ["seen", texts.says], ["sureness", `${Math.round(alert.confidence * 100)} %`], ["missing.evidence", texts.missing.join("; ")],
    ["penalty", texts.penalty], ["pays", alert.points?.some(Boolean) ? alert.points.map((n, s) => (n ? `${seatName(board.view.seats[s])} ${n > 0 ? "+" : "−"}${Math.abs(n)}` : "")).filter(Boolean).join(", ") : ""], ["effect", texts.effects.join(", ")],
    ["ruling", [t(`state.${alert.state}`), alert.by].filter(Boolean).join(" · ")], ["reason", texts.reason], ["appeal", alert.appeal ? t(`appeal.${alert.appeal}`) : ""]];
  at("sheet").replaceChildren(
    h("div", { class: "row no-print" }, h("button", { class: "primary", text: t("print.now"), onclick: () => print() })),
    h("h1", { text: `${t("ruling.sheet")}: ${named("foul", alert.code)}` }),
    h("dl", {}, rows.filter(([, text]) => text).map(([word, text]) => [h("dt", { text: t(word) }), h("dd", { text })])),
    h("div", { class: "law" }, h("b", { text: alert.rule }), h("p", { text: texts.citation })),
    ...found.clips.map((clip) => h("div", { class: "twin" }, [["before", clip.before], ["after", clip.after]].filter(([, ms]) => ms !== null).map(([word, ms]) =>
      h("figure", {}, h("img", { src: `${base}/alerts/${encodeURIComponent(ident)}/evidence/${clip.camera}/${ms}.jpg`, alt: t(`still.${word}`) }), h("figcaption", { text: `${t(`still.${word}`)} · ${clockTime(ms)} · ${clip.camera}` }))))),
    h("div", { class: "signs" }, ["sign.referee", "sign.player", "sign.chief"].map((word) => h("span", { text: t(word) }))));
}
