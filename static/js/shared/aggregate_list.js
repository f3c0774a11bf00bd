// What the live lists of aggregates share: the state of each as a chip, its figures while it can be read.
import { followRows } from "../../live/rows.js";
import { h, icon, setText } from "./dom.js";
import { putFigures } from "./figures.js";
import { figure, gettext } from "./words.js";

const STATES = { paused: ["chip--warn", "pause", gettext("Paused")], recovering: ["chip--info", "sync", gettext("Recovering")], missing: ["chip--bad", "error", gettext("No data")] };

/**
 * Show a table's rows live, if there is a topic for its reader.
 * @param {HTMLElement | null} table  names the topic; its lines carry the slug as data-<kind>
 * @param {string} kind
 * @param {(data: any, line: HTMLElement, slug: string) => Record<string, any>} [figuresOf]  what the line's figures are, if not those of its data
 * @param {(rows: any[]) => void} [showAll]  what can be read of the lines
 */
export function startAggregateList(table, kind, figuresOf = (data) => data, showAll = () => {}) {
  if (!table?.dataset.topic) return;
  const lines = new Map([...table.querySelectorAll(`tr[data-${kind}]`)].map((line) => [line.dataset[kind], line]));
  followRows(table.dataset.topic, (rows) => {
    const readable = [];
    for (const [slug, line] of lines) {
      const data = rows[slug];
      if (!data) continue;
      showState(line, data.status);
      if (data.status === "missing") continue;
      putFigures(line, figuresOf(data, line, slug));
      for (const cell of line.querySelectorAll("[data-hour]")) showHour(cell, data[cell.dataset.hour]);
      readable.push(data);
    }
    showAll(readable);
  });
}

/** A counter of the last hour: its sum as the page was drawn, and what has come since. */
function showHour(cell, count) {
  cell.dataset.base ??= String(count - Number(cell.dataset.sum));
  const passed = count - Number(cell.dataset.base);
  setText(cell, figure(passed < 0 ? Number(cell.dataset.sum) : passed)); // a counter that began anew counts for nothing
}

function showState(line, status) {
  if (line.dataset.status === status) return;
  line.dataset.status = status;
  const [look, symbol, word] = STATES[status] ?? [];
  line.querySelector("[data-state]").replaceChildren(...(word ? [h("span", { class: `chip ${look}` }, icon(symbol), word)] : []));
}
