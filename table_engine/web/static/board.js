// Draws one table's board from the engine's public view. Pure: gives elements, asks nothing.

const make = (tag, classes = "", text = "") => {
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  if (text) element.textContent = text;
  return element;
};

export const tile = (code, extra = "") => {
  if (code === "b") return make("div", `tile back ${extra}`);
  if (code === "?") return make("div", `tile unknown ${extra}`, "?");
  const face = make("div", `tile ${extra}`);
  face.style.backgroundImage = `url(/static/tiles/${code}.png)`;
  face.title = code;
  return face;
};

const ROW = 6;

// Rows of six; `rows` limits how many there are, the last one then goes on.
const pond = (seat, rows) => {
  const box = make("div", "pond");
  seat.pond.forEach((lying, n) => {
    if (n % ROW === 0 && n / ROW < rows) box.append(make("div", "row"));
    box.lastChild.append(tile(lying.tile, lying.sideways ? "sideways" : ""));
  });
  return box;
};

const melds = (seat) => {
  const strip = make("div", "strip");
  for (const set of seat.melds) {
    const box = make("div", "meld");
    set.tiles.forEach((code, n) => box.append(tile(code, n === set.turned ? "sideways" : "")));
    strip.append(box);
  }
  return strip;
};

const flowers = (seat) => {
  const strip = make("div", "flowers");
  for (const code of seat.flowers) strip.append(tile(code));
  return strip;
};

const rack = (seat) => {
  const box = make("div", "rack");
  if (seat.open.length) for (const code of seat.open) box.append(tile(code));
  else for (let n = 0; n < seat.concealed; n++) box.append(make("div", "standing"));
  box.setAttribute("aria-label", `${seat.concealed} tiles in hand`);
  return box;
};

const name = (seat) => {
  const box = make("div", "name");
  const words = make("span");
  words.append(make("b", "", seat.name || `Seat ${seat.seat + 1}`));
  words.append(make("span", "", [seat.wind, seat.dealer ? "dealer" : "", `${seat.concealed} in hand`].filter(Boolean).join(" · ")));
  if (seat.effects.length) words.append(make("span", "effects", seat.effects.join(", ").replaceAll("_", " ")));
  box.append(words);
  return box;
};

const centre = (view) => {
  const box = make("div");
  box.id = "centre";
  if (view.wall_left !== null) box.append(make("span", "wall", String(view.wall_left)), make("span", "", "tiles left"));
  if (view.dora.length) {
    const row = make("div", "dora");
    for (const code of view.dora) row.append(tile(code));
    box.append(row);
  }
  if (view.dice.length) box.append(make("span", "", `dice ${view.dice.join(" ")}`));
  return box;
};

export const board = (view) => {
  const parts = document.createDocumentFragment();
  parts.append(centre(view));
  for (const seat of view.seats) {
    const box = make("div", `seat${view.turn === seat.seat ? " turn" : ""}`);
    box.style.setProperty("--n", seat.seat);
    box.dataset.seat = seat.seat;
    box.append(pond(seat, view.ruleset === "riichi" ? 3 : 4), melds(seat), flowers(seat), rack(seat), name(seat));
    if (seat.ready) box.append(make("div", "stick"));
    parts.append(box);
  }
  return parts;
};

export const alert = (said, ended = false) => {
  const item = make("li", `alert ${said.severity}${ended ? " ended" : ""}`);
  item.dataset.code = said.code;
  item.dataset.rule = said.rule;
  item.append(make("strong", "", said.says));
  item.append(make("span", "penalty", ended ? `Withdrawn: ${said.reason}` : said.penalty));
  item.append(make("small", "", `${said.rule} · ${said.citation}`));
  const sure = `${Math.round(said.confidence * 100)} % sure`;
  const missing = said.missing.length ? ` · missing: ${said.missing.join(", ")}` : "";
  item.append(make("small", "", `hand ${said.hand}, turn ${said.turn} · ${sure}${missing}`));
  return item;
};

export const line = (text) => make("li", "", text);
