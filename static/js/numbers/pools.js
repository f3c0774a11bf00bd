// All pools live: every figure that moves, from one topic.
import { startAggregateList } from "../shared/aggregate_list.js";
import { setText } from "../shared/dom.js";
import { Rate } from "./rate.js";
import { figure, fill, gettext, percent } from "../shared/words.js";

const rates = new Map();

function rateOf(slug, name, value) {
  const key = `${slug} ${name}`;
  if (!rates.has(key)) rates.set(key, new Rate());
  return rates.get(key).push(value);
}

function showRow(line, data, slug) {
  const put = (name, text) => setText(line.querySelector(`[data-live="${name}"]`), text);
  const busy = data.busy_up + data.busy_down;
  const usable = busy + data.pickable;
  put("occupancy", percent(usable ? busy / usable : null, 0));
  line.querySelector("[data-bar]").value = usable ? busy / usable : 0;
  put("busy", figure(busy));
  put("ready", figure(data.pickable));
  put("offline", figure(data.idle_down));
  for (const name of ["offered", "carried"]) {
    const rate = rateOf(slug, name, data[name]);
    if (rate !== null) put(name, figure(rate));
  }
}

function showTotals(rows) {
  const sum = (read) => rows.reduce((all, row) => all + read(row), 0);
  const busy = sum((row) => row.busy_up + row.busy_down);
  const usable = busy + sum((row) => row.pickable);
  const put = (name, text) => setText(document.querySelector(`[data-total="${name}"]`), text);
  put("busy", figure(busy));
  put("usable", figure(usable));
  put("of", fill(gettext("of %(n)s"), { n: figure(sum((row) => row.numbers)) }));
  put("occupancy", percent(usable ? busy / usable : null, 0));
  document.querySelector("[data-total-bar]").value = usable ? busy / usable : 0;
}

startAggregateList(document.querySelector("[data-pools]"), "pool", showRow, showTotals);
