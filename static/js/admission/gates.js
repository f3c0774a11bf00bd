// All gates live: every figure that moves, from one topic.
import { startAggregateList } from "../shared/aggregate_list.js";
import { setText } from "../shared/dom.js";
import { figure } from "../shared/words.js";

startAggregateList(document.querySelector("[data-gates]"), "gate", (line, data) => {
  const put = (name, text) => setText(line.querySelector(`[data-live="${name}"]`), text);
  put("used", `${figure(data.used)} / ${figure(data.cap)}`);
  line.querySelector("[data-bar]").value = Math.min(1, data.used / data.cap);
  put("waiting", figure(data.waiting));
  line.querySelector("[data-bar]").classList.toggle("bar--warn", data.used >= data.cap);
});
