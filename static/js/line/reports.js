// A desk's report: visitors, waits and shares over the period in the URL.
import { pageData } from "../shared/dom.js";
import { showCharts } from "./charts.js";
import { most } from "../shared/chart_box.js";
import { figure, fill, gettext } from "../shared/words.js";

const page = pageData("report-page");
const CHARTS = {
  visitors: {
    title: gettext("Visitors"),
    series: [
      { key: "arrivals", label: gettext("Arrivals"), look: "offered", kind: "line" },
      { key: "served", label: gettext("Served"), look: "carried", kind: "area" },
      { key: "abandoned", label: gettext("Gave up"), look: "blocked", kind: "bars" },
    ],
    summary: ({ values }) => fill(gettext("Up to %(n)s visitors per interval."), { n: figure(most(values.arrivals)) }),
  },
  waits: {
    title: gettext("Wait (seconds)"),
    series: [
      { key: "wait_p90", label: gettext("90th percentile"), look: "offered", kind: "line" },
      { key: "wait_p50", label: gettext("Median"), look: "carried", kind: "area" },
    ],
    summary: ({ values }) => fill(gettext("Nine in ten visitors waited no more than %(n)s s."), { n: figure(most(values.wait_p90)) }),
  },
  shares: {
    title: gettext("Rates (%)"),
    series: [
      { key: "level", label: gettext("Service level"), look: "carried", kind: "line" },
      { key: "occupancy", label: gettext("Occupancy"), look: "offered", kind: "line" },
    ],
    summary: ({ values }) => fill(gettext("Occupancy peaked at %(n)s%."), { n: figure(most(values.occupancy)) }),
  },
  ranges: {
    title: gettext("Waits inside the range (%)"),
    series: [
      { key: "range_inside", label: gettext("Inside"), look: "carried", kind: "line" },
      { key: "range_sooner", label: gettext("Sooner"), look: "offered", kind: "line" },
    ],
    summary: () => gettext("The target is eight in ten inside the range."),
  },
};

showCharts(CHARTS, page, gettext("A chart needs at least two hours. Choose a longer period."));
