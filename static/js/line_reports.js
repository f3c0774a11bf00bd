// A desk's report: visitors, waits and shares over the time that the address names.
import { TimeChart, drawLegend } from "./charts.js";
import { h, pageData } from "./dom.js";
import { figure, fill, gettext } from "./words.js";

const page = pageData("report-page");
const box = document.querySelector("[data-charts]");
const most = (values) => Math.max(0, ...values.map((value) => value ?? 0));
const CHARTS = {
  visitors: {
    title: gettext("Visitors"),
    series: [
      { key: "arrivals", label: gettext("Arrivals"), look: "offered", kind: "line" },
      { key: "served", label: gettext("Served"), look: "carried", kind: "area" },
      { key: "abandoned", label: gettext("Gave up"), look: "blocked", kind: "bars" },
    ],
    summary: ({ values }) => fill(gettext("At most %(n)s visitors in one step."), { n: figure(most(values.arrivals)) }),
  },
  waits: {
    title: gettext("Wait, seconds"),
    series: [
      { key: "wait_p90", label: gettext("Nine of ten"), look: "offered", kind: "line" },
      { key: "wait_p50", label: gettext("Half"), look: "carried", kind: "area" },
    ],
    summary: ({ values }) => fill(gettext("Nine of ten waited at most %(n)s s."), { n: figure(most(values.wait_p90)) }),
  },
  shares: {
    title: gettext("Shares, %"),
    series: [
      { key: "level", label: gettext("Service level"), look: "carried", kind: "line" },
      { key: "occupancy", label: gettext("Occupancy"), look: "offered", kind: "line" },
    ],
    summary: ({ values }) => fill(gettext("Occupancy was at most %(n)s%."), { n: figure(most(values.occupancy)) }),
  },
};

function start() {
  const charts = Object.entries(CHARTS).map(([name, options]) => {
    const part = box.querySelector(`[data-chart="${name}"]`);
    const chart = new TimeChart(part.querySelector(".chart__plot"), options);
    chart.set(page);
    drawLegend(part.querySelector(".chart__legend"), chart);
    return [part, chart];
  });
  const button = document.querySelector("[data-chart-table]");
  button.addEventListener("click", () => {
    const asTable = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(asTable));
    for (const [part, chart] of charts) {
      part.querySelector(".chart__table")?.remove();
      part.querySelector(".chart__plot").hidden = asTable;
      if (asTable) part.append(chart.table());
    }
  });
}

if (page.at.length > 1) start();
else {
  const words = gettext("A chart needs two hours at least. Choose a longer time.");
  box.replaceChildren(h("div", { class: "state" }, h("span", { class: "icon", "aria-hidden": "true" }, "bar_chart"), h("p", { class: "state__text" }, words)));
}
