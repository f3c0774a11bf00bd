// All pools, live: one topic has all their figures.
import { startAggregateList } from "../shared/aggregate_list.js";
import { putFigures } from "../shared/figures.js";
import { Rate } from "./rate.js";
import { figure, fill, gettext, percent } from "../shared/words.js";

const rates = new Map();
const totals = document.querySelector("[data-totals]");

/** Return a counter's rate; undefined if it is not known yet, which leaves the page's figure in place. */
function rateOf(slug, name, value) {
  const key = `${slug} ${name}`;
  if (!rates.has(key)) rates.set(key, new Rate());
  return rates.get(key).push(value) ?? undefined;
}

/** Return the calls in progress and their share of the usable numbers; the bar shows the share, too. */
function occupancyOf(busy, idle, bar) {
  const share = busy + idle ? busy / (busy + idle) : null;
  bar.value = share ?? 0;
  return { busy, occupancy: percent(share, 0) };
}

function figuresOf(data, line, slug) {
  return {
    ...occupancyOf(data.busy_up + data.busy_down, data.pickable, line.querySelector("[data-bar]")),
    ready: data.pickable,
    offline: data.idle_down,
    offered: rateOf(slug, "offered", data.offered),
    carried: rateOf(slug, "carried", data.carried),
  };
}

function showTotals(rows) {
  const sum = (read) => rows.reduce((all, row) => all + read(row), 0);
  const [busy, idle] = [sum((row) => row.busy_up + row.busy_down), sum((row) => row.pickable)];
  putFigures(totals, {
    ...occupancyOf(busy, idle, totals.querySelector("[data-bar]")),
    usable: busy + idle,
    of: fill(gettext("of %(n)s"), { n: figure(sum((row) => row.numbers)) }),
  });
}

startAggregateList(document.querySelector("[data-pools]"), "pool", figuresOf, showTotals);
