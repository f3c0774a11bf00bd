// Charts of data that came with the page.
import { ChartBox } from "../shared/chart_box.js";
import { h } from "../shared/dom.js";

/** Draw `charts` ({name: options of TimeChart}) with `data`, or show `tooShort` if there are fewer than two steps. */
export function showCharts(charts, data, tooShort) {
  if (data.at.length > 1) { new ChartBox(charts).set(data); return; }
  const words = h("div", { class: "state" }, h("span", { class: "icon", "aria-hidden": "true" }, "bar_chart"), h("p", { class: "state__text" }, tooShort));
  document.querySelector("[data-charts]").replaceChildren(words);
}
