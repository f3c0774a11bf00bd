// Charts over one time in [data-charts]: one for each name of `charts`, and the button that shows them as tables.
import { TimeChart, drawLegend } from "../shared/charts.js";
import { h } from "../shared/dom.js";

/** Draw `charts` ({name: options of TimeChart}) of `data`; with fewer than two steps say `tooShort`. */
export function showCharts(charts, data, tooShort) {
  const box = document.querySelector("[data-charts]");
  if (data.at.length < 2) {
    box.replaceChildren(h("div", { class: "state" }, h("span", { class: "icon", "aria-hidden": "true" }, "bar_chart"), h("p", { class: "state__text" }, tooShort)));
    return;
  }
  const parts = Object.entries(charts).map(([name, options]) => [document.querySelector(`[data-chart="${name}"]`), options]);
  const drawn = parts.filter(([part]) => part).map(([part, options]) => {
    const chart = new TimeChart(part.querySelector(".chart__plot"), options);
    chart.set(data);
    drawLegend(part.querySelector(".chart__legend"), chart);
    return [part, chart];
  });
  const button = document.querySelector("[data-chart-table]");
  button.addEventListener("click", () => {
    const asTable = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(asTable));
    for (const [part, chart] of drawn) {
      part.querySelector(".chart__table")?.remove();
      part.querySelector(".chart__plot").hidden = asTable;
      if (asTable) part.append(chart.table());
    }
  });
}
