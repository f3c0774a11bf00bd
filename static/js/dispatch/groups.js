// All groups live: every figure that moves, from one topic.
import { startAggregateList } from "../shared/aggregate_list.js";
import { setText } from "../shared/dom.js";
import { figure } from "../shared/words.js";

startAggregateList(document.querySelector("[data-groups]"), "group", (line, data) => {
  for (const name of ["sessions", "active", "pending"]) setText(line.querySelector(`[data-live="${name}"]`), figure(data[name]));
});
