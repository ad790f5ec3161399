// The live page of one table: what everybody may see of it, and what more one's key shows.

import { alert, board, handLine, line } from "/static/board.js";
import { acts } from "/static/demo.js";
import { frame, mark, may } from "/static/frame.js";
import { at, fill } from "/static/kit.js";
import { Boards, listen } from "/static/link.js";
import { lastWords, moveWords } from "/static/moves.js";
import { told } from "/static/words.js";

const boards = new Boards();
const site = await frame({ needs: "view", title: "table" });
const table = location.pathname.startsWith("/table/") ? decodeURIComponent(location.pathname.slice(7)) : site.you.tables[0];

const show = ({ board: now }) => {
  const view = now.view;
  if (view) {
    fill(at("table"), [view, now.hands, now.ledger?.standings], () => board(view, { hands: now.hands?.seats, ledger: now.ledger }));
    at("hand").textContent = handLine(view, lastWords(now));
  }
  const open = now.alerts ?? [], ended = now.ended ?? [];
  fill(at("open"), [open, ended.slice(-3)], () => [...open.map((a) => alert(a)).reverse(), ...ended.slice(-3).map((a) => alert(a, true)).reverse()]);
  at("quiet").hidden = open.length > 0;
  const troubles = [...(now.faults ?? []).map((f) => `${f.source}: ${told(f.phrase ?? f.says)}`), ...(view?.phrases?.length ? view.phrases : view?.degraded ?? []).map(told)];
  at("troubles").hidden = troubles.length === 0;
  fill(at("faults"), troubles, () => troubles.map(line));
  const made = now.moves?.moves ?? [];
  const said = made.length ? made.map((move) => moveWords(move, view)) : now.log ?? [];
  fill(at("log"), said, () => said.map(line).reverse());
};

at("alerts").hidden = !may(site, "alerts");
if (site.demo && may(site, "setup")) {
  at("demo").hidden = false;
  at("acts").replaceChildren(...acts((text) => { at("said").textContent = text; }, table));
}
listen({ tables: [table] }, { board: (event) => show(boards.take(event)), state: mark });
