// The four languages: words by key, the sentences the server wrote, and the switch.

import { h } from "/static/kit.js";

export const LANGUAGES = { en: "English", "zh-Hans": "简体中文", "zh-Hant": "繁體中文", ja: "日本語" };
let words = {};
let spare = {};
let sentences = {};

const chosen = () => {
  const wanted = new URLSearchParams(location.search).get("lang") ?? remembered("lang") ?? navigator.language;
  if (wanted in LANGUAGES) return wanted;
  if (/^zh\b.*(hant|tw|hk|mo)/i.test(wanted)) return "zh-Hant";
  if (/^zh/i.test(wanted)) return "zh-Hans";
  return /^ja/i.test(wanted) ? "ja" : "en";
};

export const remembered = (name) => { try { return localStorage.getItem(`jantaku.${name}`); } catch { return null; } };
export const remember = (name, value) => { try { localStorage.setItem(`jantaku.${name}`, value); } catch { /* private window: forgotten with the page */ } };

const load = async (path) => (await fetch(`/static/${path}.json`)).json();

export const start = async () => {
  const lang = chosen();
  [words, spare, sentences] = await Promise.all([load(`words/${lang}`), load("words/en"), lang === "en" ? {} : load(`sentences/${lang}`)]);
  document.documentElement.lang = lang;
  const look = remembered("look");
  if (look) document.documentElement.dataset.look = look;
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
};

// The words of a key; `{name}` is filled from `values`.
export const t = (key, values = {}) => (words[key] ?? spare[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

// A word that may not be known, e.g. of a foul's code: then the code itself, readable.
export const named = (group, code) => words[`${group}.${code}`] ?? spare[`${group}.${code}`] ?? String(code).replaceAll("_", " ");

// All codes of a group that have a word.
export const known = (group) => Object.keys(spare).filter((key) => key.startsWith(`${group}.`)).map((key) => key.slice(group.length + 1));

// What the server wrote, in the reader's language: a text, or a phrase (a sentence with blanks and what fills them). What
// nobody has translated, e.g. what a person typed, stays as it was written.
export const told = (what) => {
  const { text, args = {} } = typeof what === "string" ? { text: what } : what;
  return (sentences[text] ?? text).replace(/\{(\w+)\}/g, (blank, name) => (name in args ? filling(args[name]) : blank));
};
const filling = (value) => {
  if (Array.isArray(value)) return value.map(filling).join(" ");
  return typeof value === "object" ? told(value) : words[`tile.${value}`] ?? String(value);
};

// The texts of an alert in the reader's language; the phrases they are made of are there since alerts carry them.
export const alertTexts = (alert) => {
  const { says, citation, missing = [], effects = [] } = alert.phrases ?? {};
  const each = (phrases, texts = []) => (phrases.length === texts.length ? phrases : texts).map(told);
  return { says: told(says ?? alert.says), citation: told(citation ?? alert.citation), penalty: told(alert.penalty), reason: told(alert.reason ?? ""),
    missing: each(missing, alert.missing), effects: each(effects, alert.effects) };
};

export const languageSwitch = () => {
  const select = h("select", { "aria-label": t("language"), onchange: () => { remember("lang", select.value); const url = new URL(location); url.searchParams.delete("lang"); location.replace(url); } },
    Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, text: name, lang: code })));
  select.value = document.documentElement.lang;
  return select;
};

export const lookSwitch = () => h("button", {
  class: "quiet", title: t("look"), "aria-label": t("look"), text: "◐",
  onclick: () => {
    const dark = document.documentElement.dataset.look
      ? document.documentElement.dataset.look === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.look = dark ? "light" : "dark";
    remember("look", document.documentElement.dataset.look);
  },
});

export const clockTime = (ms) => new Date(ms).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
export const dateTime = (ms) => new Date(ms).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
export const minutes = (seconds) => {
  const left = Math.max(0, Math.round(seconds));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
};
