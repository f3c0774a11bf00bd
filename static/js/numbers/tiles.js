// A tile for each number: elements for up to 2,000 numbers, a canvas for more. Both are one tab stop with arrow keys
// and Enter, mark the chosen number with a ring, filter by the legend, and group by region or switch.
import { h } from "../shared/dom.js";
import { figure, gettext, phone } from "../shared/words.js";

const DOM_LIMIT = 2000;

// letter → word (numbers/topics/states.py), in the order of the legend. The first five are always in the legend.
export const STATES = {
  R: gettext("Idle"), C: gettext("In call"), L: gettext("In call, offline"), O: gettext("Offline"), Q: gettext("Quarantined"),
  r: gettext("Resting"), p: gettext("Daily limit reached"), o: gettext("Offered to a waiting call"), x: gettext("Previous call active"), u: gettext("Unconfirmed"), s: gettext("Suspect"), l: gettext("Suspect, offline"), "-": gettext("Not in Redis"), "?": gettext("Unreadable"),
};
const ALWAYS = "RCLOQ";

/**
 * board = new TileBoard(area, {open(index, number)})
 * board.layout({numbers, groups: [{name, indexes}] | null}), board.set(states) with a letter for each number,
 * board.change([[index, letter], …]), board.filter("C" | ""), board.select(index).
 */
export class TileBoard {
  constructor(area, { open }) {
    this.area = area;
    this.open = open;
    this.numbers = [];
    this.states = [];
    this.cursor = 0;
    this.selected = -1;
    this.only = "";
    this.tip = h("div", { class: "tile-tip", hidden: true });
    document.body.append(this.tip);
    area.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    document.documentElement.addEventListener("themechange", () => this.view?.repaint());
  }

  layout({ numbers, groups = null }) {
    this.view?.end?.();
    this.view = null;
    this.numbers = numbers;
    this.groups = groups ?? [{ name: "", indexes: numbers.map((_, index) => index) }];
    this.order = this.groups.flatMap((group) => group.indexes);
    this.place = new Map(this.order.map((index, place) => [index, place]));
    while (this.states.length < numbers.length) this.states.push("");
    this.states.length = numbers.length;
    this.cursor = Math.min(this.cursor, Math.max(0, numbers.length - 1));
    const turn = (this.turn = (this.turn ?? 0) + 1);
    if (numbers.length <= DOM_LIMIT) {
      this.#show(new ElementTiles(this));
    } else {
      import("./tiles_canvas.js").then(({ CanvasTiles }) => { if (turn === this.turn) this.#show(new CanvasTiles(this)); });
    }
  }

  #show(view) {
    this.view = view;
    view.build();
  }

  set(states) {
    for (let index = 0; index < this.numbers.length; index += 1) {
      const letter = states[index] ?? "";
      if (this.states[index] !== letter) { this.states[index] = letter; this.view?.paint(index); }
    }
    this.view?.flush();
  }

  change(pairs) {
    for (const [index, letter] of pairs) {
      if (index >= this.numbers.length || this.states[index] === letter) continue;
      this.states[index] = letter;
      this.view?.paint(index);
    }
    this.view?.flush();
  }

  filter(letter) {
    this.only = letter;
    this.view?.repaint();
  }

  select(index) {
    this.selected = index;
    if (index >= 0) this.cursor = index;
    this.view?.repaint();
  }

  /** Count the tiles of this page by letter. */
  counts() {
    const found = {};
    for (const letter of this.states) found[letter] = (found[letter] ?? 0) + 1;
    return found;
  }

  indexOf(number) {
    return this.numbers.indexOf(number);
  }

  dims(index) {
    return this.only !== "" && this.states[index] !== this.only;
  }

  words(index) {
    return `${phone(this.numbers[index])}, ${STATES[this.states[index]] ?? gettext("Unknown")}`;
  }

  /** Move the cursor with arrow keys, Page Up and Down, Home and End; open a tile with Enter or Space. */
  key(event, columns) {
    const place = this.place.get(this.cursor) ?? 0;
    const last = this.order.length - 1;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, PageUp: -columns * 10, PageDown: columns * 10, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.choose(this.cursor); return; }
    if (step === undefined) return;
    event.preventDefault();
    this.cursor = this.order[Math.min(last, Math.max(0, place + step))];
    this.view.showCursor();
  }

  choose(index) {
    if (index === undefined || index < 0) return;
    this.select(index);
    this.view?.showCursor();
    this.open(index, this.numbers[index]);
  }

  hint(index, event) {
    if (index === undefined) { this.tip.hidden = true; return; }
    this.tip.replaceChildren(h("b", {}, phone(this.numbers[index])), STATES[this.states[index]] ?? "");
    this.tip.hidden = false;
    const left = Math.min(event.clientX + 12, innerWidth - this.tip.offsetWidth - 8);
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${event.clientY + 16}px`;
  }
}

function heading(group) {
  return group.name ? h("h3", { class: "tile-group__name" }, group.name, " ", h("span", { class: "num" }, figure(group.indexes.length))) : null;
}

class ElementTiles {
  constructor(board) {
    this.board = board;
  }

  build() {
    const { board } = this;
    this.tiles = [];
    const parts = board.groups.map((group) => {
      const grid = h("div", { class: "tile-grid", role: "presentation" });
      for (const index of group.indexes) {
        const tile = h("span", { class: "tile", role: "option", id: `tile-${index}`, "data-index": index, "aria-selected": "false" });
        this.tiles[index] = tile;
        grid.append(tile);
      }
      return h("div", { class: group.name ? "tile-group" : "", role: group.name ? "group" : "presentation", "aria-label": group.name || false }, heading(group), grid);
    });
    const list = h("div", { role: "listbox", tabindex: "0", class: "tile-list", "aria-label": gettext("Numbers by state") }, ...parts);
    list.addEventListener("keydown", (event) => board.key(event, this.columns()));
    list.addEventListener("focus", () => this.showCursor());
    list.addEventListener("click", (event) => {
      const tile = event.target.closest(".tile");
      if (tile) board.choose(Number(tile.dataset.index));
    });
    list.addEventListener("pointermove", (event) => {
      const tile = event.target.closest(".tile");
      board.hint(tile ? Number(tile.dataset.index) : undefined, event);
    });
    this.list = list;
    board.area.replaceChildren(list);
    this.repaint();
  }

  columns() {
    const first = this.tiles[this.board.order[0]];
    return Math.max(1, Math.floor((first.parentElement.clientWidth + 4) / 18));
  }

  paint(index) {
    const { board } = this;
    const tile = this.tiles[index];
    if (!tile) return;
    tile.dataset.state = board.states[index];
    tile.toggleAttribute("data-dim", board.dims(index));
    tile.setAttribute("aria-label", board.words(index));
  }

  flush() {}

  repaint() {
    const { board } = this;
    for (const index of board.order) this.paint(index);
    this.marked?.setAttribute("aria-selected", "false");
    this.marked = this.tiles[board.selected];
    this.marked?.setAttribute("aria-selected", "true");
  }

  showCursor() {
    const tile = this.tiles[this.board.cursor];
    this.list.querySelector("[data-cursor]")?.removeAttribute("data-cursor");
    if (!tile) return;
    tile.setAttribute("data-cursor", "");
    this.list.setAttribute("aria-activedescendant", tile.id);
    tile.scrollIntoView({ block: "nearest" });
  }
}

/** Draw the legend with counts, which is also the filter. counts: {R: 99, …}; a click calls run(letter or ""). */
export function drawTileLegend(box, counts, only, run) {
  const letters = Object.keys(STATES).filter((letter) => ALWAYS.includes(letter) || counts[letter]);
  const known = new Map([...box.querySelectorAll("button[data-letter]")].map((button) => [button.dataset.letter, button]));
  letters.forEach((letter, place) => {
    let button = known.get(letter);
    if (!button) {
      button = h("button", { type: "button", class: "legend__item", "data-letter": letter }, h("span", { class: "tile tile--small", "data-state": letter, "aria-hidden": "true" }), h("span", {}, STATES[letter]), h("b", {}));
      button.addEventListener("click", () => run(button.getAttribute("aria-pressed") === "true" ? "" : letter));
    }
    button.setAttribute("aria-pressed", String(only === letter));
    button.querySelector("b").textContent = figure(counts[letter] ?? 0);
    if (box.children[place] !== button) box.insertBefore(button, box.children[place] ?? null);
    known.delete(letter);
  });
  for (const button of known.values()) button.remove();
}

export function groupsBy(names, indexes, nothing) {
  const groups = new Map();
  indexes.forEach((place, index) => {
    const name = names[place] || nothing;
    if (!groups.has(name)) groups.set(name, { name, indexes: [] });
    groups.get(name).indexes.push(index);
  });
  return [...groups.values()].sort((a, b) => (a.name === nothing) - (b.name === nothing) || a.name.localeCompare(b.name));
}

