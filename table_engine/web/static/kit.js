// Small things every page is made of: elements, dialogs, short notices.

export const h = (tag, props = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "text") element.textContent = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
};

export const at = (id) => document.getElementById(id);

// Replaces an element's children only when what they were made from has changed; focus and scrolling stay where they were.
export const fill = (element, made, ...children) => {
  const key = JSON.stringify(made);
  if (element.madeFrom === key) return false;
  element.madeFrom = key;
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const top = element.scrollTop;
  element.replaceChildren(...children.map((child) => (typeof child === "function" ? child() : child)).flat(Infinity).filter(Boolean));
  element.scrollTop = top;
  if (focused) element.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  return true;
};

// Keeps one element for each of some things, by name and in their order. `draw(element, thing)` brings it up to date: what lies
// under a finger stays there while its words change.
export const keep = (box, things, { name, make, draw }) => {
  const old = new Map([...box.children].map((element) => [element.dataset.kept, element]));
  const wanted = things.map((thing) => {
    const key = name(thing), element = old.get(key) ?? make(thing);
    element.dataset.kept = key;
    old.delete(key);
    draw(element, thing);
    return element;
  });
  for (const gone of old.values()) gone.remove();
  wanted.forEach((element, n) => { if (box.children[n] !== element) box.insertBefore(element, box.children[n] ?? null); });
};

let notices;
export const say = (text, kind = "") => {
  notices ??= document.body.appendChild(h("div", { class: "notices", role: "status", "aria-live": "polite" }));
  const notice = h("p", { class: `notice ${kind}`, text });
  notices.append(notice);
  setTimeout(() => notice.remove(), kind === "bad" ? 9000 : 4500);
};

// A modal dialog with a form; resolves to its data, or null when it was left.
export const ask = (title, fields, { yes, no, danger = false } = {}) =>
  new Promise((resolve) => {
    const form = h("form", { method: "dialog" },
      h("h2", { text: title }), ...fields,
      h("div", { class: "row end" },
        h("button", { type: "button", text: no, onclick: () => dialog.close() }),
        h("button", { type: "submit", class: danger ? "danger" : "primary", text: yes, value: "yes" })));
    const dialog = h("dialog", { "aria-label": title }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? Object.fromEntries(new FormData(form)) : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });

export const download = (name, text) => {
  const link = h("a", { href: URL.createObjectURL(new Blob([text])), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
};
