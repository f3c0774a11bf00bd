// All desks, live: one topic has all their figures.
import { startAggregateList } from "../shared/aggregate_list.js";
import { setText } from "../shared/dom.js";
import { tickTimes } from "../shared/time.js";

startAggregateList(document.querySelector("[data-desks]"), "desk", (data, line) => {
  showLongest(line.querySelector("[data-longest]"), data.oldest_ms);
  return data;
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
