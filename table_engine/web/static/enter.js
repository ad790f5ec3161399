// The entrance: by a ready-made link (#key), by name and password, and at the first start the first account.

import { frame, may } from "/static/frame.js";
import { at, h } from "/static/kit.js";
import { send } from "/static/link.js";
import { t } from "/static/words.js";

const next = () => { const to = new URLSearchParams(location.search).get("next") ?? "/"; return to.startsWith("/") && !to.startsWith("//") ? to : "/"; };
const key = location.hash.slice(1);
if (key) history.replaceState(null, "", location.pathname + location.search);
let site = await frame({ title: "enter" });

const field = (name, word, more = {}) => h("label", {}, t(word), h("input", { name, required: true, ...more }));
const form = (title, hint, fields, yes, go) => {
  const wrong = h("p", { class: "tag foul", role: "alert", hidden: true });
  const box = h("form", { class: "stack", onsubmit: async (event) => {
    event.preventDefault();
    wrong.hidden = true;
    try { await go(Object.fromEntries(new FormData(box))); } catch (error) { wrong.textContent = error.message; wrong.hidden = false; }
  } }, h("h1", { text: t(title) }), hint ? h("p", { class: "soft", text: t(hint) }) : null, fields, wrong, h("button", { class: "primary", text: t(yes) }));
  return box;
};

const first = () => form("first.title", "first.hint", [field("name", "name", { autocomplete: "username", maxlength: "40" }), field("password", "password", { type: "password", autocomplete: "new-password", minlength: "10" })], "first.make", async ({ name, password }) => {
  await send("/api/people", { name, password, role: "admin" });
  await send("/api/login", { name, password });
  location.replace("/");
});
const log = () => form("enter", "enter.hint", [field("name", "name", { autocomplete: "username" }), field("password", "password", { type: "password", autocomplete: "current-password" })], "enter", async (given) => {
  await send("/api/login", given);
  location.replace(next());
});
const byKey = () => h("details", {}, h("summary", { text: t("enter.key") }), form("enter.key", null, [field("key", "key", { autocomplete: "off" })], "enter", async ({ key: text }) => {
  await send("/api/enter", { key: text.trim() });
  location.replace(next());
}));

let failed = "";
if (key) {
  try {
    site = { ...site, you: await send("/api/enter", { key }) };
    if (!(site.first && !site.demo && may(site, "keys"))) location.replace(next());
  } catch (error) { failed = error.message; }
}
at("door").replaceChildren(...(site.first && may(site, "keys") && !site.demo ? [first()] : [failed ? h("p", { class: "tag foul", role: "alert", text: failed }) : "", log(), byKey()]));
