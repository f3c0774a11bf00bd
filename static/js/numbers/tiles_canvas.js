// More than 2,000 tiles: one canvas that redraws only the changed cells. Loaded when needed.
import { colour } from "../shared/charts.js";
import { h } from "../shared/dom.js";
import { figure, gettext } from "../shared/words.js";

const CELL = 7; // 6 + 1
const HEAD = 26;

export class CanvasTiles {
  constructor(board) {
    this.board = board;
    this.dirty = new Set();
    this.all = true;
    this.frame = 0;
  }

  build() {
    const { board } = this;
    this.canvas = h("canvas", { class: "tile-canvas", "aria-hidden": "true" });
    // a hidden option contains the cursor's number, so that screen readers announce it
    this.option = h("span", { role: "option", id: "tile-cursor", "aria-selected": "true", class: "visually-hidden" });
    this.list = h("div", { role: "listbox", tabindex: "0", class: "tile-list", "aria-label": gettext("Numbers by state"), "aria-activedescendant": "tile-cursor" }, this.canvas, this.option);
    board.area.replaceChildren(this.list);
    this.list.addEventListener("keydown", (event) => board.key(event, this.across));
    this.list.addEventListener("focus", () => this.showCursor());
    this.list.addEventListener("blur", () => this.repaint());
    this.canvas.addEventListener("click", (event) => board.choose(this.at(event)));
    this.canvas.addEventListener("pointermove", (event) => board.hint(this.at(event), event));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(board.area);
    this.resize();
  }

  end() {
    this.observer?.disconnect();
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
    // search by group, because there are few groups and many numbers
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
    const [ready, call, lost] = [["ready", "ready-edge"], ["call", "call"], ["lost", "lost"]];
    const nothing = ["surface", "line2"];
    const names = {
      R: ready, p: ready, x: ready, o: ready, r: ["surface", "ready-edge"], C: call, s: call, L: lost, l: lost,
      O: ["surface", "offline-edge"], u: ["surface", "offline-edge"], Q: ["surface", "quarantined"], "-": nothing, "?": nothing, "": nothing,
    };
    this.ink = colour("strong");
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
    const [fillColour, edge] = this.paint_[letter] ?? this.paint_[""];
    pen.globalAlpha = 1;
    pen.fillStyle = this.ground;
    pen.fillRect(x, y, 6, 6);
    if (board.dims(index)) pen.globalAlpha = 0.18;
    pen.fillStyle = edge;
    pen.fillRect(x, y, 6, 6);
    if (fillColour !== edge) { pen.fillStyle = fillColour; pen.fillRect(x + 1, y + 1, 4, 4); }
    if (letter === "L" || letter === "l") {
      pen.globalAlpha = 1;
      pen.fillStyle = this.ground;
      pen.beginPath();
      pen.moveTo(x + 3, y);
      pen.lineTo(x + 6, y);
      pen.lineTo(x + 6, y + 3);
      pen.fill();
    }
    if (letter === "Q") for (let step = 1; step < 5; step += 1) pen.fillRect(x + step, y + 5 - step, 1, 1);
    if (letter && "pxousl".includes(letter)) { pen.fillStyle = this.ink; pen.fillRect(x + 4, y + 4, 2, 2); }
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
