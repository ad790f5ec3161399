// The frame of every page but the overlay: who is here, the ways to the other pages, language and look.

import { at, h, say } from "/static/kit.js";
import { get, send } from "/static/link.js";
import { languageSwitch, lookSwitch, start, t } from "/static/words.js";

const WAYS = [
  ["/referee", "referee", "rule"], ["/venue", "venue", "venue"], ["/setup", "setup", "setup"], ["/access", "access", "keys"],
];

export const may = (site, permission) => Boolean(site.you?.may.includes(permission));

// Draws the header and gives what the server says about the site and us. Sends who may not see this page to the entrance.
export const frame = async ({ needs = null, title = "" } = {}) => {
  await start();
  let site = null;
  while (!site) {
    try { site = await get("/api/site"); } catch {
      mark("lost");
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
  }
  if (needs && !may(site, needs)) {
    location.replace(`/enter?next=${encodeURIComponent(location.pathname + location.search)}`);
    return new Promise(() => {});
  }
  document.title = title ? `${t(title)} · Jantaku` : "Jantaku";
  const ways = WAYS.filter(([, , permission]) => may(site, permission)).map(([href, word]) =>
    h("a", { href, text: t(word), "aria-current": location.pathname.startsWith(href) ? "page" : null }));
  document.querySelector("header.top")?.replaceChildren(
    h("a", { class: "brand", href: "/" }, h("span", { class: "mark", "aria-hidden": "true", lang: "ja" }), h("b", { text: "Jantaku" })),
    h("nav", { "aria-label": t("pages") }, ways),
    h("span", { id: "link", role: "status", class: "wait", text: t("link.wait") }),
    h("span", { class: "tools" }, languageSwitch(), lookSwitch(), who(site)));
  return site;
};

const who = (site) => site.you && !site.you.guest
  ? h("button", { class: "quiet who", title: t("leave"), text: site.you.who, onclick: async () => {
      try { await send("/api/leave"); location.assign("/"); } catch (error) { say(error.message, "bad"); }
    } })
  : h("a", { class: "who", href: `/enter?next=${encodeURIComponent(location.pathname)}`, text: t("enter") });

export const mark = (state) => {
  const link = at("link");
  if (!link) return;
  link.className = state;
  link.textContent = t(`link.${state}`);
  if (state === "gone") document.querySelector("main").replaceChildren(h("p", { class: "empty", role: "alert", text: t("table.unknown") }));
  if (state === "refused") location.replace(`/enter?next=${encodeURIComponent(location.pathname + location.search)}`);
};
