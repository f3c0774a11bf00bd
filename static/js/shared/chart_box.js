// A page's charts over the same period, each in the [data-chart] of its name. A button shows their values as tables.
import { TimeChart, drawLegend } from "./charts.js";
import { errorState, getJSON, h, togglePressed } from "./dom.js";
import { gettext } from "./words.js";

export class ChartBox {
  /**
   * @param {Record<string, object>} options  a TimeChart's options by name; charts without a place are left out
   * @param {string} [tooFew]  shown in place of a chart with fewer than two values
   */
  constructor(options, tooFew = "") {
    Object.assign(this, { box: document.querySelector("[data-charts]"), tooFew, latest: null, asked: 0, asTable: false, shown: "", failed: "" });
    this.parts = new Map();
    for (const [name, given] of Object.entries(options)) {
      const part = this.box.querySelector(`[data-chart="${name}"]`);
      const plot = part?.querySelector(".chart__plot");
      if (plot) this.parts.set(name, { part, plot, chart: new TimeChart(plot, given) });
    }
    const button = document.querySelector("[data-chart-table]");
    button.addEventListener("click", () => { this.asTable = togglePressed(button); this.draw(); });
  }

  /**
   * Fetch values, draw them and pass them to `heard`. An answer is ignored if a later request was sent. After a failure,
   * values from this URL stay; those of another are replaced by an error.
   */
  async load(url, heard = () => {}) {
    const mine = (this.asked += 1);
    try {
      const read = await getJSON(url);
      if (mine !== this.asked) return;
      heard(read);
      this.box.querySelector(".state--error")?.remove();
      [this.shown, this.failed] = [url, ""];
      this.set(read);
    } catch {
      if (mine !== this.asked || url === this.shown || url === this.failed) return;
      if (this.latest) for (const { part } of this.parts.values()) part.hidden = true; // values of another period
      [this.latest, this.shown, this.failed] = [null, "", url];
      this.box.querySelector(".state--error")?.remove();
      this.box.prepend(errorState(gettext("Chart not loaded"), gettext("Live data is not affected."), () => this.load(url, heard)));
    }
  }

  /** @param {{at: number[], values: Record<string, (number | null)[]>}} latest */
  set(latest) {
    this.latest = latest;
    this.draw();
  }

  draw() {
    if (!this.latest) return;
    for (const { part, plot, chart } of this.parts.values()) {
      part.hidden = false;
      chart.set(this.latest);
      part.querySelector(".chart__table")?.remove();
      part.querySelector(".chart__empty")?.remove();
      plot.hidden = this.asTable;
      if (this.tooFew && Object.values(this.latest.values).every((line) => known(line).length < 2)) plot.append(h("p", { class: "chart__empty" }, this.tooFew));
      if (this.asTable) part.append(chart.table());
      const legend = part.querySelector(".chart__legend");
      if (legend) drawLegend(legend, chart);
    }
  }

  csv(name) {
    return this.parts.get(name).chart.csv();
  }
}

export const known = (values) => (values ?? []).filter((value) => value !== null);

/** Return the largest of a chart's values, or 0 if there is none. */
export const most = (values) => Math.max(0, ...known(values));
