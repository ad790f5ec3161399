// Another table: its name and rules, its camera and port out of those this machine has, and away with one that was added.

import { ask, h, say } from "/static/kit.js";
import { get, send } from "/static/link.js";
import { t } from "/static/words.js";

const LOOK_MS = 1000, PATIENCE_MS = 120000;

// One device out of those found, or any other by its address. → [element, the address chosen]
const choice = (word, devices, chosen, none) => {
  const other = h("input", { size: "30", hidden: true, "aria-label": t("add.other.address") });
  const box = h("select", { "aria-label": t(word), onchange: () => { other.hidden = box.value !== "other"; if (!other.hidden) other.focus(); } },
    devices.map(({ address, used }) => h("option", { value: address, disabled: Boolean(used), text: used ? t("add.used", { address, table: used }) : address })),
    h("option", { value: "other", text: t("add.other") }), h("option", { value: "", text: t(none) }));
  box.value = chosen ?? devices.find(({ used }) => !used)?.address ?? "";
  return [h("label", {}, t(word), box, other), () => (box.value === "other" ? other.value.trim() : box.value)];
};

// Waits until the engine has begun anew with the table, or without it.
const until = async (table, there) => {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = await get("/api/tables").catch(() => null);
    if (now && now.tables.some(({ id }) => id === table) === there) return true;
  }
  return false;
};

export const newTable = async ({ put = null, done, leave }) => {
  const [found, rulesets] = await Promise.all([get("/api/found"), get("/api/rulesets")]);
  const told = h("p", { class: "soft", role: "status" });
  const name = h("input", { value: found.name, required: true, pattern: "[a-z0-9\\-]{1,32}", maxlength: "32", "aria-label": t("add.name") });
  const rules = h("select", { "aria-label": t("ruleset.word") }, rulesets.map(({ id, title }) => h("option", { value: id, text: title })));
  rules.value = put?.ruleset ?? found.ruleset;
  const width = h("input", { type: "number", value: "26", min: "20", max: "45", step: "0.5", "aria-label": t("add.width") });
  const [camera, source] = choice("camera.source", found.cameras, put?.camera, "add.no.camera");
  const [cable, port] = choice("bridge.port", found.ports, put?.port, "add.no.port");
  const again = (more) => newTable({ put: more, done, leave }).then((fresh) => box.replaceWith(fresh)).catch((error) => say(error.message, "bad"));
  const wait = async (table, there, word) => {
    box.querySelectorAll("button, input, select").forEach((one) => { one.disabled = true; });
    told.textContent = t(word, { table });
    if (await until(table, there)) return done(there ? table : null);
    told.className = "tag foul";
    told.textContent = t("add.late");
  };
  const add = async (event) => {
    event.preventDefault();
    const wish = { id: name.value, ruleset: rules.value, tile_width_mm: Number(width.value), camera: source(), port: port() };
    try { await send("/api/tables", wish); } catch (error) { say(error.message, "bad"); return; }
    await wait(wish.id, true, "add.wait");
  };
  const drop = async (table) => {
    if (await ask(t("add.drop.ask", { table }), [], { yes: t("add.drop"), no: t("back"), danger: true }) === null) return;
    try { await send(`/api/tables/${table}`, null, "DELETE"); } catch (error) { say(error.message, "bad"); return; }
    await wait(table, false, "add.wait.gone");
  };
  const stand = h("button", { text: t("add.stand"), data: { act: "table" }, onclick: async () => {
    stand.disabled = true;
    told.textContent = t("add.standing");
    try { again((await send("/api/demo", { act: "table" })).table); } catch (error) { stand.disabled = false; told.textContent = error.message; }
  } });
  const box = h("article", { class: "card stack", id: "newtable" }, h("h2", { text: t("add") }), h("p", { class: "soft", text: t("add.hint") }),
    found.demo ? h("div", { class: "row" }, h("span", { text: t("add.demo") }), stand) : null,
    h("form", { class: "stack", onsubmit: add }, h("div", { class: "fields" },
      h("label", {}, t("add.name"), name), h("label", {}, t("ruleset.word"), rules), h("label", {}, t("add.width"), width), camera, cable),
      h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: t("add"), data: { do: "add-table" } }),
        h("button", { type: "button", text: t("add.look"), onclick: () => again(put) }), h("button", { type: "button", text: t("cancel"), onclick: leave }))), told,
    found.added.length ? h("div", { class: "stack" }, h("h3", { text: t("add.added") }), found.added.map((table) => h("div", { class: "row" }, h("b", { text: table }),
      h("button", { text: t("add.drop"), data: { drop: table }, onclick: () => drop(table) })))) : null);
  return box;
};
