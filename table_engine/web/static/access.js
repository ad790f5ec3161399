// People, keys, and who was shown live hands.

import { frame, mark } from "/static/frame.js";
import { ask, at, h, say } from "/static/kit.js";
import { get, send } from "/static/link.js";
import { dateTime, t } from "/static/words.js";

const site = await frame({ needs: "keys", title: "access" });
mark("live");
const { tables } = await get("/api/tables");
const themes = (await get("/api/themes")).themes;

const grid = (heads, rows) => rows.length ? h("table", {}, h("thead", {}, h("tr", {}, heads.map((word) => h("th", { scope: "col", text: word ? t(word) : "" })))), h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)))))) : h("p", { class: "empty", text: t("none") });
const where = (list) => (list ? list.join(", ") : t("all.tables"));
const choose = (name, word, options) => h("label", {}, t(word), h("select", { name }, options.map(([value, text]) => h("option", { value, text }))));
const roles = (list) => choose("role", "role", list.map((role) => [role, t(`role.${role}`)]));
const tableChoice = () => choose("table", "tab.tables", [["", t("all.tables")], ...tables.map(({ id }) => [id, id])]);
const hands = () => h("label", { class: "tick" }, h("input", { type: "checkbox", name: "hands" }), t("hands.right"));
const sure = (title, text) => ask(title, [h("p", { text })], { yes: t("remove"), no: t("cancel"), danger: true });
const guarded = async (work) => { try { await work(); await show(); } catch (error) { say(error.message, "bad"); } };

const show = async () => {
  const [people, keys, looks] = await Promise.all([get("/api/people"), get("/api/keys"), get("/api/looks")]);
  at("people").replaceChildren(grid(["name", "role", "tab.tables", "hands", ""], people.map((p) => [p.name, t(`role.${p.role}`), where(p.tables), p.hands ? "✓" : "", h("button", { text: t("remove"), "aria-label": `${t("remove")} ${p.name}`, onclick: () => guarded(async () => { if (await sure(p.name, t("people.remove"))) await send(`/api/people/${encodeURIComponent(p.name)}`, {}, "DELETE"); }) })])));
  at("keys").replaceChildren(grid(["label", "role", "tab.tables", "hands", "delay", "valid", ""], keys.map((k) => [k.label, t(`role.${k.role}`), where(k.tables), k.hands ? "✓" : "", k.delay_s ? `${k.delay_s} s` : "–", k.until_ms ? dateTime(k.until_ms) : t("for.good"), h("button", { text: t("remove"), "aria-label": `${t("remove")} ${k.label}`, onclick: () => guarded(async () => { if (await sure(k.label, t("keys.remove"))) await send(`/api/keys/${k.id}`, {}, "DELETE"); }) })])));
  at("looks").replaceChildren(grid(["looks.who", "role", "address", "tab.tables", "delay", "from", "until"], looks.map((l) => [l.who, t(`role.${l.role}`), l.address, l.what, l.delay_s ? `${l.delay_s} s` : "–", dateTime(l.from_ms), l.until_ms ? dateTime(l.until_ms) : t("now")])));
};

at("add-person").onclick = () => guarded(async () => {
  const given = await ask(t("people.add"), [h("label", {}, t("name"), h("input", { name: "name", required: true, maxlength: "40", autocomplete: "off" })), h("label", {}, t("password"), h("input", { name: "password", type: "password", minlength: "10", required: true, autocomplete: "new-password" })), roles(["referee", "operator", "viewer", "admin"]), tableChoice(), hands()], { yes: t("save"), no: t("cancel") });
  if (given) await send("/api/people", { name: given.name.trim(), password: given.password, role: given.role, tables: given.table ? [given.table] : null, hands: Boolean(given.hands) });
});

at("add-key").onclick = () => guarded(async () => {
  const given = await ask(t("keys.add"), [h("label", {}, t("label"), h("input", { name: "label", required: true, maxlength: "60" })), roles(["overlay", "viewer", "referee", "operator", "admin"]), tableChoice(), hands(),
    h("label", {}, t("delay.seconds"), h("input", { name: "delay", type: "number", min: "0", max: "3600", value: "0", required: true })), h("label", {}, t("valid.hours"), h("input", { name: "hours", type: "number", min: "1", max: "8784", placeholder: t("for.good") }))], { yes: t("save"), no: t("cancel") });
  if (!given) return;
  const made = await send("/api/keys", { label: given.label, role: given.role, tables: given.table ? [given.table] : null, hands: Boolean(given.hands), delay_s: Number(given.delay), hours: given.hours ? Number(given.hours) : null });
  const link = given.role === "overlay" ? `${location.origin}/overlay/${encodeURIComponent(given.table || tables[0].id)}?theme=${themes.includes("felt") ? "felt" : themes[0]}#key=${made.key}` : `${location.origin}/enter#${made.key}`;
  const field = h("input", { readonly: true, value: link, "aria-label": t("link") });
  await ask(t("keys.made"), [h("p", { text: t("keys.once") }), field, h("button", { type: "button", text: t("copy"), onclick: () => { field.select(); navigator.clipboard?.writeText(link).then(() => say(t("copied"))); } })], { yes: t("close"), no: t("cancel") });
});
await show();
