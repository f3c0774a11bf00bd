// A gate's batches, live: the figures in the rows of the list.
import { followRows } from "../../live/rows.js";
import { putFigures } from "../shared/figures.js";
import { isOutdated } from "../shared/outdated.js";
import { figure } from "../shared/words.js";

const table = document.querySelector("[data-batches]");

function showRow(line, data) {
  const ended = data.done + data.failed + data.expired; // the same sum as on the batch's page
  line.querySelector("[data-bar]").value = ended;
  putFigures(line, { ...data, ended: `${figure(ended)} / ${figure(data.total)}` });
}

if (table) {
  const lines = new Map([...table.querySelectorAll("tr[data-batch]")].map((line) => [line.dataset.batch, line]));
  followRows(table.dataset.topic, function show(rows) {
    const known = [...lines].filter(([id]) => rows[id]);
    if (isOutdated(known.some(([id, line]) => line.dataset.status !== rows[id].state), () => show(rows))) return;
    for (const [id, line] of known) showRow(line, rows[id]);
  });
}
