// A gate's batches live: what moves in the list's rows.
import { subscribe } from "../live.js";
import { applyRows } from "../live/rows.js";
import { setText } from "./dom.js";
import { figure } from "./words.js";

const table = document.querySelector("[data-batches]");

function showRow(line, data) {
  const put = (name, text) => setText(line.querySelector(`[data-live="${name}"]`), text);
  if (line.dataset.status !== data.state && !document.querySelector("dialog[open]")) { location.reload(); return; }
  put("done", `${figure(data.done)} / ${figure(data.total)}`);
  line.querySelector("[data-bar]").value = data.done;
  for (const name of ["issued", "failed", "expired"]) put(name, figure(data[name]));
}

if (table) {
  const lines = new Map([...table.querySelectorAll("tr[data-batch]")].map((line) => [line.dataset.batch, line]));
  let state = { rows: {} };
  const show = () => {
    for (const [id, line] of lines) if (state.rows[id]) showRow(line, state.rows[id]);
  };
  subscribe(table.dataset.topic, {
    snapshot(data) { state = data; show(); },
    change(data) { state = applyRows(state, data); show(); },
  });
}
