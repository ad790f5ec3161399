// The first page: the ways that are open to us.

import { tile } from "/static/board.js";
import { frame, may } from "/static/frame.js";
import { at, h } from "/static/kit.js";
import { get } from "/static/link.js";
import { mark } from "/static/frame.js";
import { named, t } from "/static/words.js";

const WAYS = [["/referee", "referee", "rule", "6z"], ["/venue", "venue", "venue", "1z"], ["/setup", "setup", "setup", "5p"], ["/access", "access", "keys", "7z"]];
const site = await frame({ needs: "view" });
mark("live");
at("venue").textContent = site.venue;
at("hint").textContent = site.you.guest ? t("guest.hint") : t("hello", { who: site.you.who, role: t(`role.${site.you.role}`) });
at("doors").replaceChildren(...WAYS.filter(([, , permission]) => may(site, permission)).map(([href, word, , code]) =>
  h("a", { href }, tile(code), h("b", { text: t(word) }), h("span", { class: "soft", text: t(`${word}.what`) }))));
const { tables } = await get("/api/tables");
at("tables").replaceChildren(...tables.map((table) => h("a", { href: `/table/${encodeURIComponent(table.id)}` }, h("b", { text: table.id }), h("span", { class: "soft", text: named("ruleset", table.ruleset) }), h("span", { class: "soft", text: table.players.filter(Boolean).join(" · ") }))));
