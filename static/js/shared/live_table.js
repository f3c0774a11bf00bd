// A live table whose rows are created in the browser: a row for each key, a writer for each column.
import { flashRow, h, setText } from "./dom.js";
import { redraw } from "./figures.js";

/**
 * How a column is written: as `text`, as `parts` that are recreated when `told` changes, or by `write` itself.
 * @typedef {object} Column
 * @property {string} [label]  shown next to the value on a phone
 * @property {string} [look]  classes of the cell
 * @property {string} [name]  marks the cell as data-<name>
 * @property {boolean} [head]  the cell names its row
 * @property {boolean} [runs]  changes with time, so it is also written each second
 * @property {(row: any, key: string, place: number) => string} [text]
 * @property {(row: any, key: string) => (Node | string)[]} [parts]
 * @property {(row: any) => string} [told]  without it, the parts are created once
 * @property {(cell: HTMLElement, row: any, key: string) => boolean | void} [write]
 */
export class LiveTable {
  /**
   * @param {string} name  [data-name] is the table or its body, [data-name-empty] replaces it without rows, [data-name-hint] is the hint
   * @param {Column[]} columns
   * @param {{mark?: (line: HTMLElement, row: any, key: string) => void, flashes?: boolean}} [options]
   *   `mark` gets each row's element; `flashes`: rows flash when they come or change, but not at the first drawing
   */
  constructor(name, columns, { mark = () => {}, flashes = false } = {}) {
    const find = (more) => document.querySelector(`[data-${name}${more}]`);
    Object.assign(this, { name, table: find(""), empty: find("-empty"), hint: find("-hint"), columns, mark, flashes });
    this.body = this.table.tBodies?.[0] ?? this.table;
    this.lines = new Map(); // key → {line, row, place}
    if (columns.some(({ runs }) => runs)) setInterval(() => { if (!document.hidden) this.tick(); }, 1000);
  }

  /** Return the current row of a key. */
  row(key) {
    return this.lines.get(key)?.row;
  }

  /** Show these rows, [[key, row], …], in this order. */
  draw(rows, hint = "") {
    const held = this.body.contains(document.activeElement) ? document.activeElement : null;
    const isFirst = !this.lines.size;
    if (isFirst) this.body.replaceChildren();
    const known = new Set(rows.map(([key]) => key));
    for (const [key, { line }] of this.lines) {
      if (known.has(key)) continue;
      line.remove();
      this.lines.delete(key);
    }
    rows.forEach(([key, row], place) => {
      const shown = { line: this.lines.get(key)?.line ?? this.make(), row, place };
      this.lines.set(key, shown);
      if (this.write(key, shown) && this.flashes && !isFirst) flashRow(shown.line);
      this.mark(shown.line, row, key);
      if (this.body.children[place] !== shown.line) this.body.insertBefore(shown.line, this.body.children[place] ?? null);
    });
    if (held?.isConnected) held.focus({ preventScroll: true }); // moving a row takes the focus from its elements
    if (this.empty) {
      this.table.hidden = !rows.length;
      this.empty.hidden = rows.length > 0;
    }
    setText(this.hint, hint);
  }

  /** Write the columns that change with time. */
  tick() {
    for (const [key, shown] of this.lines) this.write(key, shown, ({ runs }) => runs);
  }

  make() {
    const cell = ({ head, label, look, name }) => h(head ? "th" : "td", { scope: head && "row", class: look, "data-label": label, ...(name && { [`data-${name}`]: "" }) });
    return h("tr", {}, ...this.columns.map(cell));
  }

  /** Name a cell's links and buttons, so that the focus and a click survive when the cell is redrawn (press.js). */
  named(parts, cell) {
    for (const part of parts) {
      if (!(part instanceof Element)) continue;
      for (const each of [part, ...part.querySelectorAll("a, button")]) if (each.matches("a, button")) each.dataset.focus ??= `${this.name} ${cell} ${each.textContent}`;
    }
    return parts;
  }

  /** Write a row. Returns whether a text has changed. */
  write(key, { line, row, place }, which = () => true) {
    let changed = false;
    this.columns.forEach((column, index) => {
      if (!which(column)) return;
      const cell = line.cells[index];
      if (column.parts) redraw(cell, column.told?.(row) ?? "", () => this.named(column.parts(row, key), `${key} ${index}`));
      else if (column.write ? column.write(cell, row, key) : setText(cell, column.text(row, key, place))) changed = true;
    });
    return changed;
  }
}
