// All groups live: every figure that moves, from one topic.
import { startAggregateList } from "./aggregate_list.js";
import { setText } from "./dom.js";
import { figure } from "./words.js";

startAggregateList(document.querySelector("[data-groups]"), "group", (line, data) => {
  for (const name of ["sessions", "active", "pending"]) setText(line.querySelector(`[data-live="${name}"]`), figure(data[name]));
});
