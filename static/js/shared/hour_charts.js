// The last hour of one aggregate by the minute: charts that are kept fresh, and its counters.
import { ChartBox } from "./chart_box.js";
import { gettext } from "./words.js";

/** Draw the page's charts; `options`: what a TimeChart takes, by the name of the chart's box. `heard` gets the values whenever they are read. */
export function startHourCharts(page, options, heard = () => {}) {
  const charts = new ChartBox(options, gettext("Not enough data yet. The chart appears after two minutes."));
  const load = () => charts.load(page.samples_url, ({ values }) => heard(values));
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
