// Shared by the live lists of aggregates: each one's state as a chip, and its figures while they can be read.
import { followRows } from "../../live/rows.js";
import { h, icon, setText } from "./dom.js";
import { putFigures } from "./figures.js";
import { isOutdated } from "./outdated.js";
import { figure, gettext } from "./words.js";

const STATES = { paused: ["chip--warn", "pause", gettext("Paused")], recovering: ["chip--info", "sync", gettext("Recovering")], missing: ["chip--bad", "error", gettext("No data")] };

/**
 * Show a table's rows live, if the reader has a topic for it.
 * @param {HTMLElement | null} table  has the topic's name; its rows have the slug as data-<kind>
 * @param {string} kind
 * @param {(data: any, line: HTMLElement, slug: string) => Record<string, any>} [figuresOf]  a row's figures, if not its data
 * @param {(rows: any[]) => void} [showAll]  gets the data of all rows that can be read
 */
export function startAggregateList(table, kind, figuresOf = (data) => data, showAll = () => {}) {
  if (!table?.dataset.topic) return;
  const lines = new Map([...table.querySelectorAll(`tr[data-${kind}]`)].map((line) => [line.dataset[kind], line]));
  let known = null; // which aggregates there were when the page came
  followRows(table.dataset.topic, function show(rows) {
    const slugs = Object.keys(rows).sort().join(" ");
    known ??= slugs;
    isOutdated(slugs !== known, () => show(rows)); // one was created or deleted
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

/** Show a counter for the last hour: its sum when the page was rendered, plus what has come since then. */
function showHour(cell, count) {
  const { base, sum } = cell.dataset;
  if (base === undefined || count < Number(base)) cell.dataset.base = String(count - Number(sum)); // new, or the counter restarted
  setText(cell, figure(count - Number(cell.dataset.base)));
}

function showState(line, status) {
  if (line.dataset.status === status) return;
  line.dataset.status = status;
  const [look, symbol, word] = STATES[status] ?? [];
  line.querySelector("[data-state]").replaceChildren(...(word ? [h("span", { class: `chip ${look}` }, icon(symbol), word)] : []));
}
