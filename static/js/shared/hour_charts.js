// The last hour of one aggregate by the minute: charts that are refreshed, and counters.
import { ChartBox } from "./chart_box.js";
import { gettext } from "./words.js";

/** Draw the page's charts; `options` are those of the TimeCharts, by name. `heard` gets the values of each read. */
export function startHourCharts(page, options, heard = () => {}) {
  const charts = new ChartBox(options, gettext("Not enough data yet. The chart appears after two minutes."));
  const load = () => charts.load(page.samples_url, ({ values }) => heard(values));
  load();
  setInterval(() => { if (!document.hidden) load(); }, 60_000);
}

/** Counters of the last hour: the sums of its samples, plus what has come since they were read. */
export class LastHour {
  constructor(live, sums) {
    this.live = live;
    this.start(sums);
  }

  start(sums) {
    this.base = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, (this.live[name] ?? 0) - sum]));
  }

  /** Use the values of a new read of the samples. */
  heard(values) {
    this.start(Object.fromEntries(Object.keys(this.base).map((name) => [name, values[name].reduce((sum, value) => sum + (value ?? 0), 0)])));
  }

  /** Return the counters by name, given the `live` totals; 0 after Redis lost the totals. */
  of(live) {
    this.live = live;
    return Object.fromEntries(Object.entries(this.base).map(([name, base]) => [name, Math.max(0, live[name] - base)]));
  }
}
