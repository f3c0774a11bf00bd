// A tile per number: elements up to 2 000 numbers, a canvas above; both with one tab stop, arrows, Enter, a ring
// around the chosen number, a filter by the legend, and groups by region or switch.
import { h } from "./dom.js";
import { colour } from "./charts.js";
import { figure, gettext, phone } from "./words.js";

export const DOM_LIMIT = 2000;

// letter → word; the order is that of the legend
export const STATES = {
  R: gettext("Ready"), C: gettext("In call"), L: gettext("In call, offline"), O: gettext("Offline"), Q: gettext("Quarantined"), r: gettext("Resting"),
};

/**
 * board = new TileBoard(area, {open(index), count(counts)})
 * board.layout({numbers, groups: [{name, indexes}] | null}), board.set(states) — a letter per number —
 * board.change([[index, letter], …]), board.filter("C" | ""), board.select(index).
 */
export class TileBoard {
  constructor(area, { open, corner = {} }) {
    this.area = area;
    this.open = open;
    this.corner = corner;
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
    this.numbers = numbers;
    this.groups = groups ?? [{ name: "", indexes: numbers.map((_, index) => index) }];
    this.order = this.groups.flatMap((group) => group.indexes);
    this.place = new Map(this.order.map((index, place) => [index, place]));
    while (this.states.length < numbers.length) this.states.push("-");
    this.states.length = numbers.length;
    this.cursor = Math.min(this.cursor, Math.max(0, numbers.length - 1));
    this.view = numbers.length > DOM_LIMIT ? new CanvasTiles(this) : new ElementTiles(this);
    this.view.build();
  }

  set(states) {
    for (let index = 0; index < this.numbers.length; index += 1) {
      const letter = states[index] ?? "-";
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

  indexOf(number) {
    return this.numbers.indexOf(number);
  }

  dims(index) {
    return this.only !== "" && this.states[index] !== this.only;
  }

  words(index) {
    return `${phone(this.numbers[index])}, ${STATES[this.states[index]] ?? gettext("Not known yet")}`;
  }

  /** Move the cursor by arrows, Home, End; Enter opens. Returns whether the key was taken. */
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
    this.view.showCursor();
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

const CELL = 7; // 6 + 1
const HEAD = 26;

class CanvasTiles {
  constructor(board) {
    this.board = board;
    this.dirty = new Set();
    this.all = true;
    this.frame = 0;
  }

  build() {
    const { board } = this;
    this.canvas = h("canvas", { class: "tile-canvas", "aria-hidden": "true" });
    // the cursor's number stands in one hidden option, so that a screen reader hears it
    this.option = h("span", { role: "option", id: "tile-cursor", "aria-selected": "true", class: "visually-hidden" });
    this.list = h("div", { role: "listbox", tabindex: "0", class: "tile-list", "aria-label": gettext("Numbers by state"), "aria-activedescendant": "tile-cursor" }, this.canvas, this.option);
    board.area.replaceChildren(this.list);
    this.list.addEventListener("keydown", (event) => board.key(event, this.across));
    this.list.addEventListener("focus", () => this.showCursor());
    this.list.addEventListener("blur", () => this.repaint());
    this.canvas.addEventListener("click", (event) => board.choose(this.at(event)));
    this.canvas.addEventListener("pointermove", (event) => board.hint(this.at(event), event));
    this.observer?.disconnect();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(board.area);
    this.resize();
  }

  resize() {
    const width = Math.max(CELL * 4, this.board.area.clientWidth - 6);
    if (width === this.width && this.builtFor === this.board.groups) return;
    this.width = width;
    this.builtFor = this.board.groups;
    this.across = Math.floor((width + 1) / CELL);
    this.boxes = new Float64Array(this.board.numbers.length * 2).fill(-1);
    this.heads = [];
    let top = 2;
    for (const group of this.board.groups) {
      if (group.name) { this.heads.push([`${group.name}  ${figure(group.indexes.length)}`, top + 12]); top += HEAD - 6; }
      group.indexes.forEach((index, place) => {
        this.boxes[index * 2] = 2 + (place % this.across) * CELL;
        this.boxes[index * 2 + 1] = top + Math.floor(place / this.across) * CELL;
      });
      top += Math.ceil(group.indexes.length / this.across) * CELL + (group.name ? 12 : 4);
    }
    this.height = top;
    const scale = devicePixelRatio || 1;
    this.canvas.width = Math.round((width + 4) * scale);
    this.canvas.height = Math.round(top * scale);
    this.canvas.style.height = `${top}px`;
    this.canvas.style.width = `${width + 4}px`;
    this.pen = this.canvas.getContext("2d", { alpha: false });
    this.pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.repaint();
  }

  at(event) {
    const { boxes, board } = this;
    const [x, y] = [event.offsetX, event.offsetY];
    // by place: groups are few, numbers many
    for (const group of board.groups) {
      const first = group.indexes[0];
      if (first === undefined) continue;
      const top = boxes[first * 2 + 1];
      const row = Math.floor((y - top) / CELL);
      const column = Math.floor((x - 2) / CELL);
      if (row < 0 || column < 0 || column >= this.across) continue;
      const index = group.indexes[row * this.across + column];
      if (index !== undefined) return index;
    }
    return undefined;
  }

  paint(index) {
    this.dirty.add(index);
  }

  flush() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  repaint() {
    this.all = true;
    this.flush();
  }

  colours() {
    const names = { R: ["ready", "ready-edge"], r: ["surface", "ready-edge"], C: ["call", "call"], L: ["lost", "lost"], O: ["surface", "offline-edge"], Q: ["surface", "quarantined"], "-": ["surface", "line2"] };
    return Object.fromEntries(Object.entries(names).map(([letter, [fillToken, edge]]) => [letter, [colour(fillToken), colour(edge)]]));
  }

  draw() {
    this.frame = 0;
    const { pen, board } = this;
    if (this.all) {
      this.paint_ = this.colours();
      this.ground = colour("surface");
      pen.fillStyle = this.ground;
      pen.fillRect(0, 0, this.width + 4, this.height);
      pen.font = "500 12px Inter, sans-serif";
      pen.fillStyle = colour("text");
      for (const [text, y] of this.heads) pen.fillText(text, 2, y);
      for (let index = 0; index < board.numbers.length; index += 1) this.cell(index);
      this.all = false;
    } else {
      for (const index of this.dirty) this.cell(index);
    }
    this.dirty.clear();
    this.ring(board.selected, colour("strong"));
    if (document.activeElement === this.list) this.ring(board.cursor, colour("strong"));
    this.option.textContent = board.numbers.length ? board.words(board.cursor) : "";
  }

  cell(index) {
    const { pen, boxes, board } = this;
    const [x, y] = [boxes[index * 2], boxes[index * 2 + 1]];
    if (x < 0) return;
    const letter = board.states[index];
    const [fillColour, edge] = this.paint_[letter] ?? this.paint_["-"];
    pen.globalAlpha = 1;
    pen.fillStyle = this.ground;
    pen.fillRect(x, y, 6, 6);
    if (board.dims(index)) pen.globalAlpha = 0.18;
    pen.fillStyle = edge;
    pen.fillRect(x, y, 6, 6);
    if (fillColour !== edge) { pen.fillStyle = fillColour; pen.fillRect(x + 1, y + 1, 4, 4); }
    pen.fillStyle = letter === "L" ? this.ground : edge;
    if (letter === "L") { pen.globalAlpha = 1; pen.beginPath(); pen.moveTo(x + 3, y); pen.lineTo(x + 6, y); pen.lineTo(x + 6, y + 3); pen.fill(); }
    if (letter === "Q") for (let step = 1; step < 5; step += 1) pen.fillRect(x + step, y + 5 - step, 1, 1);
    pen.globalAlpha = 1;
  }

  ring(index, ink) {
    if (index === undefined || index < 0) return;
    const { pen, boxes } = this;
    pen.strokeStyle = ink;
    pen.lineWidth = 1.5;
    pen.strokeRect(boxes[index * 2] - 1, boxes[index * 2 + 1] - 1, 8, 8);
  }

  showCursor() {
    const y = this.boxes[this.board.cursor * 2 + 1];
    const { area } = this.board;
    if (y < area.scrollTop) area.scrollTop = y - 4;
    else if (y + CELL > area.scrollTop + area.clientHeight) area.scrollTop = y + CELL + 4 - area.clientHeight;
    this.repaint();
  }
}

/** The legend with counts, which is also the filter. counts: {R: 99, …}; run(letter or "") on a click. */
export function drawTileLegend(box, counts, only, run) {
  const letters = Object.keys(STATES).filter((letter) => letter !== "r" || counts.r);
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

