// All gates, live: one topic has all their figures.
import { startAggregateList } from "../shared/aggregate_list.js";
import { figure } from "../shared/words.js";

startAggregateList(document.querySelector("[data-gates]"), "gate", ({ used, cap, waiting }, line) => {
  const bar = line.querySelector("[data-bar]");
  bar.value = Math.min(1, used / cap);
  bar.classList.toggle("bar--warn", used >= cap);
  return { used: `${figure(used)} / ${figure(cap)}`, waiting };
});
