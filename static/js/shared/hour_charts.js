// The last hour of one aggregate by the minute: charts that are kept fresh, and their values as tables.
import { TimeChart, drawLegend } from "./charts.js";
import { errorState, getJSON, h } from "./dom.js";
import { gettext } from "./words.js";

/** Draw the page's charts; `options`: what a TimeChart takes, by the name of the chart's box. `heard` gets the values whenever they are read. */
export function startHourCharts(page, options, heard = () => {}) {
  const box = document.querySelector("[data-charts]");
  const part = (name) => box.querySelector(`[data-chart="${name}"]`);
  const plot = (name) => part(name).querySelector(".chart__plot");
  const charts = Object.entries(options).map(([name, given]) => [name, new TimeChart(plot(name), given)]);
  let latest = null;
  let asTable = false;

  const draw = () => {
    for (const [name, chart] of charts) {
      chart.set({ at: latest.at, values: latest.values });
      part(name).querySelector(".chart__table")?.remove();
      plot(name).hidden = asTable;
      part(name).querySelector(".chart__empty")?.remove();
      if (tooFew(latest.values)) plot(name).append(h("p", { class: "chart__empty" }, gettext("Not enough data yet. The chart appears after two minutes.")));
      if (asTable) part(name).append(chart.table());
      drawLegend(part(name).querySelector(".chart__legend"), chart);
    }
  };
  const load = async () => {
    try {
      latest = await getJSON(page.samples_url);
      heard(latest.values);
      box.querySelector(".state--error")?.remove();
      draw();
    } catch {
      if (!latest && !box.querySelector(".state--error")) box.prepend(errorState(gettext("Chart not loaded"), gettext("Live data is not affected."), load));
    }
  };
  const table = document.querySelector("[data-chart-table]");
  table.addEventListener("click", () => {
    asTable = !asTable;
    table.setAttribute("aria-pressed", String(asTable));
    if (latest) draw();
  });

  load();
  setInterval(() => { if (!document.hidden) load(); }, 60_000);
}

/** Counters of the last hour: what its samples add up to, and what has come since they were read. */
export class LastHour {
  constructor(live, sums) {
    this.live = live;
    this.start(sums);
  }

  start(sums) {
    this.base = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, (this.live[name] ?? 0) - sum]));
  }

  /** The samples were read again. */
  heard(values) {
    this.start(Object.fromEntries(Object.keys(this.base).map((name) => [name, values[name].reduce((sum, value) => sum + (value ?? 0), 0)])));
  }

  /** The counters by name, now that the totals are `live`; after Redis lost them they begin at 0. */
  of(live) {
    this.live = live;
    return Object.fromEntries(Object.entries(this.base).map(([name, base]) => [name, Math.max(0, live[name] - base)]));
  }
}

const tooFew = (values) => Object.values(values).every((line) => line.filter((value) => value !== null).length < 2);

/** The largest of a chart's values; 0 where there is none. */
export const most = (values) => Math.max(0, ...(values ?? []).filter((value) => value !== null));
