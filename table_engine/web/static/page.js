// The page of one table: listens to the server's push, draws, and offers the demo's acts.

import { alert, board, line } from "/static/board.js";
import { acts } from "/static/demo.js";

const at = (id) => document.getElementById(id);
const STALE_MS = 15000;
let heard = 0;

const handText = (view) => {
  const phase = { waiting: "waiting for a set of tiles", dealing: "dealing", playing: `turn ${view.turns}`, ended: "hand over" }[view.phase];
  return `${view.ruleset.replaceAll("_", " ")} · hand ${view.hand} · ${phase}${view.last ? ` · ${view.last}` : ""}`;
};

const show = (picture) => {
  const view = picture.view;
  if (view) {
    at("table").replaceChildren(board(view));
    at("hand").textContent = handText(view);
  }
  at("open").replaceChildren(...picture.alerts.map((a) => alert(a)).reverse(), ...picture.ended.map((a) => alert(a, true)).reverse().slice(0, 3));
  at("quiet").hidden = picture.alerts.length > 0;
  const troubles = [...picture.faults.map((f) => `${f.source}: ${f.says}`), ...(view?.degraded ?? [])];
  at("troubles").hidden = troubles.length === 0;
  at("faults").replaceChildren(...troubles.map(line));
  at("log").replaceChildren(...picture.log.map(line).reverse());
};

const mark = (state, text) => {
  at("link").className = state;
  at("link").textContent = text;
};

const listen = (table) => {
  const source = new EventSource(`/api/tables/${table}/push`);
  source.onopen = () => mark("live", "live");
  source.onerror = () => mark("lost", "server not reached, trying again…");
  source.onmessage = (event) => {
    heard = Date.now();
    mark("live", "live");
    show(JSON.parse(event.data));
  };
  setInterval(() => {
    if (source.readyState === EventSource.CLOSED) location.reload();
    else if (heard && Date.now() - heard > STALE_MS) mark("live", `live, quiet for ${Math.round((Date.now() - heard) / 1000)} s`);
  }, 2000);
};

const start = async () => {
  const site = await (await fetch("/api/tables")).json();
  const wanted = location.pathname.startsWith("/table/") ? decodeURIComponent(location.pathname.slice(7)) : site.tables[0];
  if (site.tables.length > 1) {
    at("tables").replaceChildren(...site.tables.map((table) => {
      const link = document.createElement("a");
      link.href = `/table/${table}`;
      link.textContent = table;
      if (table === wanted) link.setAttribute("aria-current", "page");
      return link;
    }));
  }
  if (site.demo) {
    at("demo").hidden = false;
    at("acts").replaceChildren(...acts((text) => { at("said").textContent = text; }));
  }
  listen(wanted);
};

const retry = () => start().catch(() => {
  mark("lost", "server not reached, trying again…");
  setTimeout(retry, 2000);
});
retry();
