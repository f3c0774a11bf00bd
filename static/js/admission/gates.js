// All gates live: every figure that moves, from one topic.
import { startAggregateList } from "../shared/aggregate_list.js";
import { figure } from "../shared/words.js";

startAggregateList(document.querySelector("[data-gates]"), "gate", ({ used, cap, waiting }, line) => {
  const bar = line.querySelector("[data-bar]");
  bar.value = Math.min(1, used / cap);
  bar.classList.toggle("bar--warn", used >= cap);
  return { used: `${figure(used)} / ${figure(cap)}`, waiting };
});
