// All desks live: every figure that moves, from one topic.
import { startAggregateList } from "../shared/aggregate_list.js";
import { setText } from "../shared/dom.js";
import { tickTimes } from "../shared/time.js";
import { figure } from "../shared/words.js";

startAggregateList(document.querySelector("[data-desks]"), "desk", (line, data) => {
  for (const name of ["queues", "waiting", "free"]) setText(line.querySelector(`[data-live="${name}"]`), figure(data[name]));
  showLongest(line.querySelector('[data-live="longest"]'), data.oldest_ms);
});

function showLongest(cell, oldest) {
  if (oldest) {
    const since = new Date(oldest).toISOString();
    if (cell.dataset.running === since) return;
    cell.dataset.running = since;
    tickTimes(cell.parentElement);
  } else if (cell.dataset.running) {
    delete cell.dataset.running;
    setText(cell, "–");
  }
}
