// Talks to the server: requests, and the push with reconnecting for ever.

import { t } from "/static/words.js";

// Longer than the server waits for any sensor.
const PATIENCE_MS = 120000;
let key = null;

// A key instead of a session, as overlays have; kept in memory only.
export const useKey = (text) => { key = text || null; };

const headers = (more = {}) => ({ ...(key ? { Authorization: `Bearer ${key}` } : {}), ...more });

export class Refusal extends Error {
  constructor(status, says) { super(says); this.status = status; }
}

// No answer came, or not all of it: what was asked may have been done.
class Lost extends Error {
  constructor() { super(t("link.lost")); }
}

const lost = () => { throw new Lost(); };
const answered = async (answer) => {
  if (answer.status === 204) return null;
  if (!answer.ok) throw new Refusal(answer.status, (await answer.json().catch(() => ({}))).error ?? `HTTP ${answer.status}`);
  return answer.json().catch(lost);
};

export const get = async (path) => answered(await fetch(path, { headers: headers(), cache: "no-store" }).catch(lost));

export const send = async (path, body, method = "POST") =>
  answered(await fetch(path, { method, headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(body ?? {}), signal: AbortSignal.timeout(PATIENCE_MS) }).catch(lost));

export const text = async (path) => {
  const answer = await fetch(path, { headers: headers(), cache: "no-store" }).catch(lost);
  if (!answer.ok) await answered(answer);
  return answer.text().catch(lost);
};

const FIRST_MS = 500;
const LONGEST_MS = 15000;
const SILENT_MS = 25000;

// The push: `on.board(event)` for every event, `on.state("live" | "lost" | "refused" | "gone")` as the line comes and goes
// (refused: this key may not; gone: there is no such table), `on.alive()` whenever the server said anything. The last event's
// id is sent along after a break, so only what was missed comes again.
export const listen = ({ tables = [], parts = [] }, on) => {
  let last = "";
  let wait = FIRST_MS;
  let stopped = false;
  let abort = null;
  const query = new URLSearchParams();
  if (tables.length) query.set("tables", tables.join(","));
  if (parts.length) query.set("parts", parts.join(","));

  const read = async () => {
    abort = new AbortController();
    let watchdog = setTimeout(() => abort.abort(), SILENT_MS);
    const alive = () => { on.alive?.(); clearTimeout(watchdog); watchdog = setTimeout(() => abort.abort(), SILENT_MS); };
    try {
      const answer = await fetch(`/api/push?${query}`, {
        headers: headers(last ? { "Last-Event-ID": last } : {}), signal: abort.signal, cache: "no-store",
      });
      if (!answer.ok) throw new Refusal(answer.status, "");
      on.state?.("live");
      alive();
      wait = FIRST_MS;
      let rest = "";
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        alive();
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) {
          let data = "";
          for (const line of block.split("\n")) {
            if (line.startsWith("id: ")) last = line.slice(4);
            else if (line.startsWith("data: ")) data += line.slice(6);
          }
          if (data) on.board(JSON.parse(data));
        }
      }
    } finally { clearTimeout(watchdog); }
  };

  const forever = async () => {
    while (!stopped) {
      let status = 0;
      try { await read(); } catch (error) { status = error instanceof Refusal ? error.status : 0; }
      if (stopped) return;
      on.state?.({ 401: "refused", 403: "refused", 404: "gone" }[status] ?? "lost");
      await new Promise((resolve) => setTimeout(resolve, wait * (0.75 + Math.random() / 2)));
      wait = Math.min(wait * 1.7, LONGEST_MS);
    }
  };
  forever();
  return () => { stopped = true; abort?.abort(); };
};

// Boards of many tables, kept up to date: table → its parts.
export class Boards {
  constructor() { this.all = new Map(); }
  take(event) {
    const { table, seq, whole, id, now_ms, ...parts } = event;
    const old = this.all.get(table);
    const board = { ...(whole || !old ? {} : old), ...parts };
    board.clock = { table_ms: now_ms, heard_ms: performance.now() };
    this.all.set(table, board);
    return { table, board, before: old };
  }
}

// The table's own time now: what the server said, and what has passed since. Neither this device's clock nor when the last
// move was played has a part in it.
export const tableNow = (board) =>
  board?.clock ? board.clock.table_ms + (performance.now() - board.clock.heard_ms) : Date.now();
